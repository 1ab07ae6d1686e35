package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mprof/mprof/trace"
)

// playRaw plays bytes through the command, and returns its summary for programs and the one for
// people.
func playRaw(t *testing.T, raw []byte, flags ...string) (tracedSummary, string) {
	t.Helper()
	dir := t.TempDir()
	path, app := filepath.Join(dir, "raw.bin"), demoFile(t)
	if err := os.WriteFile(path, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"trace", "--from", path, "-o", filepath.Join(dir, "out.json.gz"), app}, flags...)
	s := mprof(t.Context(), nil, append(args, "--json")...)
	if s.code != 0 {
		t.Fatalf("exit code %d: %s", s.code, s.stderr)
	}
	people := mprof(t.Context(), nil, args...)
	if people.code != 0 {
		t.Fatalf("exit code %d: %s", people.code, people.stderr)
	}
	return traceSummary(t, s), people.stdout
}

// One byte of a packet is wrong: its records are counted as missing, for the numbers of
// version 2 and the STATUS at the end say how many those were.
func TestTraceLosesAPacket(t *testing.T) {
	target := newFakeTarget(t, 2)
	raw := target.recording(1000)
	raw[len(raw)/2] ^= 0x10
	summary, text := playRaw(t, raw)
	if summary.Trace.Lost == 0 || summary.Trace.Calls+summary.Trace.Lost != uint64(target.records()) {
		t.Errorf("%d calls and %d lost of %d", summary.Trace.Calls, summary.Trace.Lost, target.records())
	}
	for _, want := range []string{"missing", "calls at least", "lost", "CRC", "away"} {
		if !strings.Contains(text, want) {
			t.Errorf("the summary lacks %q:\n%s", want, text)
		}
	}
	// What is left is exact: no call became longer or shorter.
	for _, key := range []string{"min_ns", "max_ns"} {
		if got := summary.of("receive", key); got != innerTicks*1000 {
			t.Errorf("%s of receive is %.0f ns", key, got)
		}
	}
}

// The target had no room for some records, and says so in their place.
func TestTraceDropped(t *testing.T) {
	target := newFakeTarget(t, 2)
	summary, text := playRaw(t, target.recording(100, func() { _ = target.encoder.Dropped(7) }))
	if summary.Trace.Lost != 7 || !strings.Contains(text, "buffer was full") {
		t.Errorf("%d lost:\n%s", summary.Trace.Lost, text)
	}
}

// The target is reset in the middle: its clock begins again, and no call is made of the step.
func TestTraceReset(t *testing.T) {
	target := newFakeTarget(t, 2)
	target.recording(100)
	target.now = 0
	target.metadata.Flags |= trace.FlagStarted
	_ = target.encoder.Restart()
	summary, text := playRaw(t, target.recording(100))
	if summary.of("main", "calls") != 200 || summary.of("main", "max_ns") != outerTicks*1000 || !strings.Contains(text, "resets") {
		t.Errorf("%.0f calls of main, the longest took %.0f ns:\n%s", summary.of("main", "calls"), summary.of("main", "max_ns"), text)
	}
}

// Firmware of others frames its packets otherwise: that is found out, and --crc says it.
func TestTraceOtherFraming(t *testing.T) {
	target := newFakeTarget(t, 1)
	v := trace.Variant{CRC: trace.MODBUS, Over: trace.OverPayload, AA55: true}
	target.encoder = trace.NewEncoder(&target.out, trace.EncoderOptions{Version: 1, Variant: v})
	raw := target.recording(100)
	for _, flags := range [][]string{nil, {"--crc", v.String()}} {
		summary, _ := playRaw(t, raw, flags...)
		judgeRounds(t, summary, 100)
	}
}

// The firmware measured what tracing takes: it is subtracted, and said; --no-calibrate
// leaves it.
func TestTraceCalibration(t *testing.T) {
	target := newFakeTarget(t, 2)
	target.metadata.PairCost, target.metadata.InnerCost = 5*256, 2*256 // cycles of 1 µs
	raw := target.recording(100)
	summary, text := playRaw(t, raw)
	// A call has its own 2 µs less, and 5 for each that it made; one that the handler
	// interrupted has the 3 less that were not in the handler's own time.
	for _, c := range []struct {
		function, key string
		want          float64
	}{
		{"receive", "max_ns", innerTicks - 2}, {"receive", "min_ns", innerTicks - 2 - 3},
		{"main", "max_ns", outerTicks - 2 - 5}, {"main", "min_ns", outerTicks - 2 - 5 - 3},
		{"SysTick_Handler", "max_ns", handlerTicks - 2},
	} {
		if got := summary.of(c.function, c.key); got != c.want*1000 || !summary.Trace.Calibrated {
			t.Errorf("%s of %s is %.0f ns, want %.0f µs", c.key, c.function, got, c.want)
		}
	}
	if !strings.Contains(text, "5 µs per call") || !strings.Contains(text, "--no-calibrate") {
		t.Errorf("the summary does not say what was subtracted:\n%s", text)
	}
	left, text := playRaw(t, raw, "--no-calibrate")
	judgeRounds(t, left, 100)
	if left.Trace.Calibrated || !strings.Contains(text, "it is in the times") {
		t.Errorf("the summary does not say that the cost is left:\n%s", text)
	}
}
