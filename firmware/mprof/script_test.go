package mprof_test

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mprof/mprof/trace"
)

// host is the bytes of a command, as the driver's script has them.
func host(command byte, body ...byte) string {
	var b strings.Builder
	for _, c := range trace.AppendCommand(nil, command, body...) {
		fmt.Fprintf(&b, "h %d ", c)
	}
	return b.String()
}

// play runs a script (testdata/pc/script.c), and decodes what the module sends;
// a STATUS is the last.
func play(t *testing.T, script string, args ...string) *heard {
	t.Helper()
	c := exec.Command(driver(t, "exclusive"), append(strings.Fields("script 1 hz 1000000 size 4000 depth 4 contexts 2 packet 200"), args...)...)
	c.Stdin = strings.NewReader("p 3 " + host(trace.CommandGetMetadata, 2, 0) + "p 3 " + script + " p 5 t 100000 p 5 " + host(trace.CommandStatus) + "p 3")
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	h := &heard{}
	d := trace.NewDecoder(h, trace.DecoderOptions{Variant: &trace.Variant{}})
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		if text, ok := strings.CutPrefix(s.Text(), "w "); ok {
			b, err := hex.DecodeString(text)
			if err != nil {
				t.Fatal(err)
			}
			d.Write(b)
		}
	}
	d.Close()
	return h
}

// calls is the records in short: function, context, depth.
func (h *heard) calls() []string {
	var all []string
	for _, r := range h.records {
		all = append(all, fmt.Sprintf("%d %d %d", r.Func, r.Context, r.Depth))
	}
	return all
}

// TestUnusualReturns: what was not left as it was entered is counted, and what is
// recorded is true.
func TestUnusualReturns(t *testing.T) {
	for _, c := range []struct {
		name, script      string
		calls             []string
		unmatched, drops  uint32
		tooDeep, duration uint32 // duration: of the last record, 0: whatever
	}{
		{"plain", "S 0 e 101 e 201 x 201 x 101", []string{"200 0 1", "100 0 0"}, 0, 0, 0, 0},
		{"longjmp over two calls", "S 0 e 101 e 201 e 301 x 101 e 401 x 401", []string{"100 0 0", "400 0 0"}, 2, 0, 0, 0},
		{"longjmp into an earlier call of the same function", "S 0 e 101 t 1000 E 101 x 101", []string{"100 0 0"}, 1, 0, 0, 1002},
		{"longjmp to a loop", "S 0 k 900 e 101" + strings.Repeat(" k 800 e 201 k 700 e 301", 9) + " k 800 e 201 k 700 e 301 x 301 x 201", []string{"300 0 2", "200 0 1"}, 18, 0, 0, 0},
		{"longjmp to a loop, from what the loop calls", "S 0 k 900 e 101" + strings.Repeat(" k 800 e 201", 9) + " x 201 e 201 x 201", []string{"200 0 3", "200 0 3"}, 6, 0, 0, 0},
		{"longjmp from too deep to a loop", "S 0 k 900 e 101 k 800 e 201 k 700 e 301 k 600 e 401 k 500 e 501 k 400 e 601 k 800 e 201 k 700 e 301 x 301 x 201 x 101", []string{"300 0 2", "200 0 1", "100 0 0"}, 5, 0, 0, 0},
		{"longjmp into an earlier call, from the same place", "S 0 k 900 e 101 t 1000 k 800 e 101 k 850 e 201 x 201 x 101", []string{"200 0 1", "100 0 0"}, 1, 0, 0, 1004},
		{"inlined into one another", "S 0 k 900 e 101 e 201 e 301 x 301 x 201 e 201 x 201 x 101", []string{"300 0 2", "200 0 1", "200 0 1", "100 0 0"}, 0, 0, 0, 0},
		{"stacks of handlers and tasks", "S 0 k 100 e 101 i 20 k 900 e 201 i 21 k 800 e 301 x 301 i 20 x 201 i 0 k 90 e 401 x 401 c 1 k 500 e 501 c 0 x 101 c 1 x 501", []string{"300 277 0", "200 276 0", "400 0 1", "0 1 0", "0 0 0", "100 0 0", "0 1 0", "500 1 0"}, 0, 0, 0, 0},
		{"a handler too deep that does not return", "S 0 e 101 e 201 e 301 e 401 i 20 e 501 i 0 x 401 x 301 x 201 x 101", []string{"400 0 3", "300 0 2", "200 0 1", "100 0 0"}, 1, 0, 0, 0},
		{"a task that is deleted, and another one", "S 0 e 101 c 1" + strings.Repeat(" k 500 e 201 e 301 c 0 n 1 c 1 k 400", 5) + " e 201 x 201", []string{"0 1 0", "0 0 0", "0 1 0", "0 0 0", "0 1 0", "0 0 0", "0 1 0", "0 0 0", "0 1 0", "0 0 0", "0 1 0", "200 1 0"}, 10, 0, 0, 0},
		{"return without an entry", "S 0 x 101 e 201 x 301 x 201", []string{"200 0 0"}, 2, 0, 0, 0},
		{"open at START", "e 101 e 201 S 0 x 201 e 301 x 301 x 101", []string{"300 0 0"}, 2, 0, 0, 0},
		{"open at STOP, closed after START", "S 0 e 101 P 0 x 101 S 0 e 101 x 101", []string{"100 0 0"}, 0, 0, 0, 0},
		{"START while it runs", "S 0 e 101 e 201 x 201 S 0 x 101", []string{"100 0 0"}, 0, 0, 0, 0},
		{"RESET", "S 0 e 101 x 101 R 0 e 201 x 201", []string{"200 0 0"}, 0, 0, 0, 0},
		{"too deep", "S 0 e 101 e 201 e 301 e 401 e 501 e 401 x 401 x 501 e 501 x 501 x 401 x 301 x 201 x 101", []string{"400 0 3", "300 0 2", "200 0 1", "100 0 0"}, 0, 3, 3, 0},
		{"a handler", "S 0 e 101 i 20 e 201 e 301 x 301 x 201 i 0 e 401 x 401 x 101", []string{"300 276 1", "200 276 0", "400 0 1", "100 0 0"}, 0, 0, 0, 0},
		{"a handler in a handler", "S 0 i 20 e 201 i 21 e 301 x 301 i 20 x 201", []string{"300 277 0", "200 276 0"}, 0, 0, 0, 0},
		{"a handler that does not return", "S 0 e 101 i 20 e 201 e 301 i 0 e 401 x 401 x 101", []string{"400 0 1", "100 0 0"}, 2, 0, 0, 0},
		{"a handler does not return from a call of its thread", "S 0 e 101 i 20 x 101 i 0 x 101", []string{"100 0 0"}, 1, 0, 0, 0},
		{"a handler that switches tasks", "S 0 e 101 i 14 e 201 c 1 x 201 i 0 e 301 x 301 i 14 e 201 c 0 x 201 i 0 x 101", []string{"0 1 0", "300 1 0", "0 0 0", "100 0 0"}, 4, 0, 0, 0},
		{"a task that is none", "S 0 e 101 c 7 e 301 x 301 c 0 x 101", []string{"0 0 0", "100 0 0"}, 0, 2, 1, 0},
		{"a function that is none", "S 0 e 101 e 0 x 0 x 101", []string{"100 0 0"}, 0, 1, 0, 0},
		{"a call from a place without bit 0", "S 0 e 100 t 1000 x 100", []string{"100 0 0"}, 0, 0, 0, 1001},
		{"half a minute without a poll", "S 0 t 700000000 p 1 e 101 t 3000000000 e 201 x 201 x 101", []string{"200 0 1", "100 0 0"}, 0, 0, 0, 3_000_000_004},
		{"hooks by hand, from nowhere", "S 0 E 536899585 X 536899585 X 536899585 e 101 x 101", []string{"536899584 0 0", "100 0 0"}, 1, 0, 0, 0},
		{"a long call", "S 0 e 101 t 300000000 p 1 t 300000000 p 1 t 1000000000 p 1 x 101", []string{"100 0 0"}, 0, 0, 0, 0},
		{"a call longer than the clock", "S 0 e 101" + strings.Repeat(" t 500000000 p 1", 10) + " x 101 e 201 x 201", []string{"100 0 0", "200 0 0"}, 0, 0, 0, 0},
		{"both, in one another", "S 0 e 101" + strings.Repeat(" t 500000000 p 1", 6) + " e 201 x 201 e 301 t 300000000 p 1 e 401 x 401 x 301 x 101", []string{"200 0 1", "400 0 2", "300 0 1", "100 0 0"}, 0, 0, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := play(t, c.script, "step", "1")
			if diff := cmp.Diff(c.calls, h.calls()); diff != "" {
				t.Errorf("calls (-want +got)\n%s", diff)
			}
			if s := h.status; s.Unmatched != c.unmatched || s.Dropped != c.drops || s.TooDeep != c.tooDeep || s.Waiting != 0 {
				t.Errorf("%+v, want unmatched %d, dropped %d, too deep %d", s, c.unmatched, c.drops, c.tooDeep)
			}
			last := h.records[len(h.records)-1]
			if c.duration != 0 && (last.Duration < c.duration-2 || last.Duration > c.duration+4) {
				t.Errorf("%+v, want a duration of about %d", last, c.duration)
			}
		})
	}
}

// TestLongCalls: durations are right as far as the clock goes, and beyond that they
// are said to be so.
func TestLongCalls(t *testing.T) {
	for ticks, want := range map[int]uint32{1: 500_000_000, 4: 2_000_000_000, 5: trace.Saturated, 10: trace.Saturated} {
		h := play(t, "S 0 e 101 e 201"+strings.Repeat(" t 500000000 p 1", ticks)+" x 201 x 101")
		if len(h.records) != 2 {
			t.Fatalf("%+v", h)
		}
		for _, r := range h.records {
			if want == trace.Saturated && r.Duration != want || want != trace.Saturated && r.Duration-want > 100 {
				t.Errorf("after %d times 500 s %+v, want %d", ticks, r, want)
			}
		}
	}
}

// TestNames: the tasks that have one, and what does not fit is left out.
func TestNames(t *testing.T) {
	h := play(t, "n 0 n 1 n 9 "+host(trace.CommandGetMetadata, 2))
	want := []trace.ContextName{{ID: 0, Name: "even"}, {ID: 1, Name: "odd"}}
	if !slices.Equal(h.metadata.Contexts, want) || h.metadata.Name != "driver" || h.metadata.Known != trace.KnownContexts {
		t.Errorf("%+v", h.metadata)
	}
	h = play(t, strings.Repeat("n 0 n 1 n 2 n 3 n 4 n 5 n 6 n 7 ", 1)+host(trace.CommandGetMetadata, 2), "contexts", "8", "packet", "64")
	if n := len(h.metadata.Contexts); n == 0 || n == 8 || h.metadata.Known != trace.KnownContexts {
		t.Errorf("%+v", h.metadata)
	}
}

// TestRefusals: what the target cannot do, it says.
func TestRefusals(t *testing.T) {
	for script, want := range map[string][2]byte{
		string(host(9)):                               {9, trace.ReasonUnknownCommand},
		host(trace.CommandStart, 1):                   {trace.CommandStart, trace.ReasonWrongLength},
		host(trace.CommandGetMetadata, 2, 40):         {trace.CommandGetMetadata, trace.ReasonNotNow},
		"S 0 " + host(trace.CommandGetMetadata, 2, 3): {trace.CommandGetMetadata, trace.ReasonNotNow},
	} {
		if h := play(t, script); h.answers == nil || h.answers[len(h.answers)-1] != want {
			t.Errorf("%s: %v, want %v", script, h.answers, want)
		}
	}
}
