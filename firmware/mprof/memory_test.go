package mprof_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/mprof/mprof/trace"
)

// TestSmallestMemory: whatever the size, the module refuses it or works within it.
// AddressSanitizer watches what lies beyond.
func TestSmallestMemory(t *testing.T) {
	path := driver(t, "exclusive")
	step, least := 28, 0
	if testing.Short() {
		step = 196
	}
	for size := step; size < 1300; size += step {
		c := exec.Command(path, strings.Fields(fmt.Sprintf("script 1 hz 1000000 size %d depth 3 contexts 2 packet 64", size))...)
		c.Stdin = strings.NewReader("p 2 S 0 p 2 e 101 e 201 x 201 x 101 e 301 x 301 P 0 p 4")
		var errs bytes.Buffer
		c.Stderr = &errs
		out, err := c.Output()
		switch refused := strings.Contains(errs.String(), "mprof_init: no"); {
		case refused && least == 0 && err != nil:
		case refused || err != nil:
			t.Fatalf("%d bytes: %v\n%s", size, err, errs.String())
		default:
			if least == 0 {
				least = size
			}
			if !bytes.Contains(out, []byte("w ")) {
				t.Fatalf("%d bytes: nothing was sent", size)
			}
		}
	}
	// Two stacks of 5 frames and one of 2, three contexts, two packets, names, 5 slots.
	if least < 900 || least > 1150 {
		t.Errorf("the smallest memory is %d bytes", least)
	}
}

// TestNoise: whatever comes from the host, the module lives, and does what it is
// told after that.
func TestNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	for range 20 {
		var script strings.Builder
		for range 60 {
			for range r.IntN(40) {
				b := []int{0x55, 0xAA, 0, 1, 2, 3, 4, 5, 0x0A, r.IntN(256)}
				fmt.Fprintf(&script, "h %d ", b[r.IntN(len(b))])
			}
			script.WriteString("p 1 e 101 x 101 ")
			if r.IntN(4) == 0 {
				script.WriteString(host(trace.CommandStart + byte(r.IntN(4))))
			}
		}
		script.WriteString("p 9 t 1000000 " + host(trace.CommandStop) + "p 9")
		h := play(t, script.String())
		if h.status.Known != trace.KnownUnmatched || h.status.Running || len(h.losses) != 0 {
			t.Errorf("%+v", h)
		}
	}
}

// TestBothVersions: a host that asks for nothing gets version 1, also after one
// that asked for version 2.
func TestBothVersions(t *testing.T) {
	h := play(t, host(trace.CommandGetMetadata)+"p 3 S 0 e 101 t 3000 x 101")
	if len(h.records) != 1 || h.metadata.Version != 1 || h.version != 1 {
		t.Fatalf("%+v", h)
	}
	if r := h.records[0]; r.Func != 101 || r.Context != trace.NoContext || r.Duration < 3000 || r.Duration > 3100 {
		t.Errorf("%+v", r)
	}
}
