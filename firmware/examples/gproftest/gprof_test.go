package gproftest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/sim/qemu"
)

const gprof = "arm-none-eabi-gprof"

// What gprof of the GNU tools makes of what the target holds: calls of each function are the true ones, so is each arc of
// the call graph between functions that it knows, and its time is the ticks'.
func TestReadByGprof(t *testing.T) {
	qemu.Require(t, gprof)
	eachBoard(t, func(t *testing.T, p *program, hz int) {
		b := p.board(t, hz)
		b.Core().Run(b.Core().Cycles() + uint64(hz))
		p.restful(t, b.Core())
		c := p.fetched(t, coreMemory{b.Core()})
		var file bytes.Buffer
		if err := c.Data().Encode(&file, binary.LittleEndian); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "gmon.out")
		if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		run := func(args ...string) string {
			out, err := exec.Command(gprof, append(args, p.path, path)...).CombinedOutput()
			if err != nil {
				t.Fatalf("gprof: %v\n%s", err, out)
			}
			return string(out)
		}
		wantCalls, wantGraph := map[string]uint64{}, map[string]uint64{}
		for _, a := range b.Truth().Arcs() {
			caller := p.function(a.From - 2)
			if !p.profiled[a.Function] || caller == "" {
				continue // gprof has no caller for handlers, and drops their calls
			}
			if caller != a.Function {
				wantCalls[a.Function] += a.Count
			}
			wantGraph[caller+" "+a.Function] += a.Count
		}
		calls, seconds := flat(t, run("-b", "-p"))
		if diff := cmp.Diff(wantCalls, calls); diff != "" {
			t.Errorf("calls (-true +gprof):\n%s", diff)
		}
		if want := float64(c.Total()) * c.After.Interval(); seconds < want-0.02 || seconds > want+0.02 {
			t.Errorf("%.3f s, want %.3f", seconds, want)
		}
		if diff := cmp.Diff(wantGraph, graph(t, run("-b", "-q"))); diff != "" {
			t.Errorf("arcs (-true +gprof):\n%s", diff)
		}
	})
}

// flat reads calls and the sum of seconds of a flat profile: percent, cumulative, self, calls, two columns of time
// for each call, name.
func flat(t *testing.T, text string) (calls map[string]uint64, seconds float64) {
	calls = map[string]uint64{}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 4 {
			continue
		}
		if _, err := strconv.ParseFloat(f[0], 64); err != nil {
			continue
		}
		s, err := strconv.ParseFloat(f[1], 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		seconds = s
		if n, err := strconv.ParseUint(f[3], 10, 64); err == nil && len(f) >= 5 {
			calls[f[len(f)-1]] = n
		}
	}
	return calls, seconds
}

// graph reads the arcs of a call graph: entries are lines of callers, of the function, which has its number in brackets in front,
// and of callees. Recursion is in the number of calls of the function itself, behind a plus.
func graph(t *testing.T, text string) map[string]uint64 {
	arcs := map[string]uint64{}
	for entry := range strings.SplitSeq(text, "-----------------------------------------------") {
		name := ""
		for line := range strings.Lines(entry) {
			f := strings.Fields(line)
			if len(f) < 4 {
				continue
			}
			if strings.HasPrefix(f[0], "[") && strings.HasPrefix(f[len(f)-1], "[") {
				name = f[len(f)-2]
				if _, again, ok := strings.Cut(f[len(f)-3], "+"); ok {
					arcs[name+" "+name] += number(t, again)
				}
				continue
			}
			if name == "" || !strings.HasPrefix(f[len(f)-1], "[") {
				continue // a caller: it has the same arc among its callees
			}
			n, _, ok := strings.Cut(f[len(f)-3], "/")
			if !ok {
				continue
			}
			arcs[name+" "+f[len(f)-2]] += number(t, n)
		}
	}
	return arcs
}

func number(t *testing.T, text string) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(fmt.Errorf("gprof's table: %w", err))
	}
	return n
}
