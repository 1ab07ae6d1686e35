//go:build cgo && linux

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/usbfs"
)

// pcsrThroughLibusb runs mprof sample --method pcsr as a process that sees the
// board through the real libusb, the board's clock following the wall clock. The run
// ends with enough, by an interrupt, or else by these arguments.
func pcsrThroughLibusb(t testing.TB, model string, enough func(*sim.Board) bool, args ...string) (s summaryOf, board *sim.Board) {
	t.Helper()
	if _, err := usbfs.Preload(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	board, err := sim.New(sim.Options{ELF: demo.ELF, Model: model})
	if err != nil {
		t.Fatal(err)
	}
	bus, err := usbfs.NewBus()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bus.Close() })
	if _, err := bus.Plug(usbfs.ConfigOf(board.Model()), board.PacedTransport()); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	image := filepath.Join(dir, "demo.elf")
	if err := os.WriteFile(image, demo.ELF, 0o666); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"sample", "--method", "pcsr", "--speed", "10M", "--json", "-o", filepath.Join(dir, "out.folded"), image}, args...)
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "MPROF_TEST_AS_COMMAND=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := bus.Start(cmd); err != nil {
		t.Fatal(err)
	}
	if enough != nil {
		defer time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() }).Stop()
		for !enough(board) {
			time.Sleep(5 * time.Millisecond)
		}
		_ = cmd.Process.Signal(syscall.SIGINT)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s%s", err, stdout.String(), stderr.String())
	}
	if err := json.Unmarshal(stdout.Bytes(), &s); err != nil {
		t.Fatalf("%v: %s", err, stdout.String())
	}
	return s, board
}

// PCs come through the real libusb, nothing is lost, and the core is never
// halted. How many come depends on the machine.
func TestPCSRThroughLibusb(t *testing.T) {
	models := []string{"mcu-link", "debugprobe", "daplink-hid"}
	if testing.Short() {
		models = models[:1]
	}
	for _, model := range models {
		t.Run(model, func(t *testing.T) {
			s, board := pcsrThroughLibusb(t, model, func(b *sim.Board) bool { return b.Packets() >= 500 })
			if s.Samples.Method != "pcsr" || s.Samples.Taken < 1000 || s.Samples.Taken+s.Samples.NoPCs["zero"]+s.Samples.NoPCs["ones"]+s.Samples.NoPCs["outside_of_code"] != s.Samples.Asked {
				t.Errorf("%+v", s.Samples)
			}
			if board.HaltedTime() != 0 || board.CoreState().Halted {
				t.Errorf("halted for %v", board.HaltedTime())
			}
			t.Logf("%.0f PCs/s", float64(s.Samples.Taken)/s.DurationS)
		})
	}
}

// BenchmarkPCSRThroughLibusb is the rate that is reached with the board in real
// time on this machine, which also simulates the target.
func BenchmarkPCSRThroughLibusb(b *testing.B) {
	for _, model := range []string{"mcu-link", "debugprobe", "daplink-hid"} {
		b.Run(model, func(b *testing.B) {
			for b.Loop() {
				s, board := pcsrThroughLibusb(b, model, nil, "--duration", "3")
				b.ReportMetric(float64(s.Samples.Taken)/s.DurationS, "PC/s")
				b.ReportMetric(board.Lag().Seconds(), "s-lag")
			}
		})
	}
}
