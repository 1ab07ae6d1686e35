package unwind

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/snapshot"
)

var registerNames = map[string]snapshot.Reg{
	"r0": snapshot.R0, "r1": snapshot.R1, "r2": snapshot.R2, "r3": snapshot.R3, "r4": snapshot.R4, "r5": snapshot.R5, "r6": snapshot.R6,
	"r7": snapshot.R7, "r8": snapshot.R8, "r9": snapshot.R9, "r10": snapshot.R10, "r11": snapshot.R11, "r12": snapshot.R12,
	"sp": snapshot.SP, "lr": snapshot.LR, "pc": snapshot.PC, "xpsr": snapshot.XPSR, "msp": snapshot.MSP, "psp": snapshot.PSP,
}

// loadCapture reads NAME.snapshot.json.
func loadCapture(t *testing.T, path string) *snapshot.Snapshot {
	t.Helper()
	var in struct {
		Registers map[string]string
		Control   uint32
		Memory    []struct{ Start, Bytes string }
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &in); err != nil {
		t.Fatal(err)
	}
	s := &snapshot.Snapshot{}
	for name, text := range in.Registers {
		if reg, ok := registerNames[name]; ok {
			s.Regs.Set(reg, number(t, text))
		}
	}
	s.Regs.Set(snapshot.CONTROL, in.Control<<24)
	for _, m := range in.Memory {
		p, err := hex.DecodeString(m.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		s.Windows = append(s.Windows, snapshot.Window{Addr: number(t, m.Start), Data: p})
	}
	return s
}

func number(t *testing.T, text string) uint32 {
	t.Helper()
	v, err := strconv.ParseUint(text, 0, 32)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(v)
}

// expected is a physical frame of NAME.probe-rs.txt: lines of
// ('name', 'pc', 'inlined', 'CFA').
type expected struct {
	PC, CFA uint32
	Edge    bool // an exception
}

var probeRS = regexp.MustCompile(`^\('(.*)', '(0x[0-9a-f]+)', '(true|false)', '([0-9~]+)'\)$`)

// exceptionNames are those that probe-rs gives a line for a crossing.
var exceptionNames = regexp.MustCompile(`^("HardFault|SysTick$|SVC$)`)

// readExpected keeps the physical frames, each with the PC of the innermost
// inlined line before it (an outer line has the address of the inlined code).
// Callers have the return address less 2 there: PC is given back as the return
// address. The line of a crossing repeats the PC of the line after it. A CFA of
// ~ is not known to probe-rs: 0. A last line with PC 0 stands for the LR that
// ended the stack.
func readExpected(t *testing.T, path string) (out []expected) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	exact, innermost := true, uint32(0)
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		m := probeRS.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("%s: %q", path, line)
		}
		pc, cfa := number(t, m[2]), uint32(0)
		if m[4] != "~" {
			cfa = number(t, m[4])
		}
		switch {
		case exceptionNames.MatchString(m[1]):
			out, exact = append(out, expected{Edge: true}), true
			continue
		case pc == 0:
			continue
		}
		if innermost == 0 {
			innermost = pc
		}
		if m[3] == "true" {
			continue
		}
		switch {
		case !exact:
			innermost += 2
		case innermost&1 != 0: // an interrupted PC less 1, which is none; gdb has the even one
			innermost++
		}
		out = append(out, expected{PC: innermost, CFA: cfa})
		exact, innermost = false, 0
	}
	return out
}

func TestCaptures(t *testing.T) {
	ends := map[string]Stop{
		// The capture lacks the last word of the stack; the others end in Reset.
		"RP2040_full_unwind":        {NotCaptured, 0x20003ffc},
		"nRF52833_xxAA_full_unwind": {NotCaptured, 0x20003ffc},
		"nRF52833_xxAA_systick":     {NotCaptured, 0x20003ffc},
	}
	for _, path := range captures(t) {
		base := strings.TrimSuffix(path, ".elf")
		name := filepath.Base(base)
		t.Run(name, func(t *testing.T) {
			u, err := New(loadProgram(t, path))
			if err != nil {
				t.Fatal(err)
			}
			want := readExpected(t, base+".probe-rs.txt")
			frames, stop := u.Unwind(nil, loadCapture(t, base+".snapshot.json"))
			var got []expected
			for i, f := range frames {
				e := expected{PC: f.PC, CFA: f.CFA, Edge: f.Kind == Exception}
				if i < len(want) && want[i].CFA == 0 {
					e.CFA = 0
				}
				got = append(got, e)
			}
			if d := cmp.Diff(want, got, cmp.Transformer("hex", func(v uint32) string { return fmt.Sprintf("0x%08x", v) })); d != "" {
				t.Errorf("probe-rs (-), unwind (+):\n%s\n%v", d, frames)
			}
			if stop != ends[name] {
				t.Errorf("stop %v 0x%08x, want %v 0x%08x", stop.Reason, stop.Addr, ends[name].Reason, ends[name].Addr)
			}
			t.Log(u.Touched(), u.Remarks())
		})
	}
}
