package unwind

import (
	"debug/elf"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// callers are those of the functions of testdata/cmse_*.c.
var callers = map[string]string{
	"secure_main": "Reset_Handler", "ns_main": "secure_main", "ns_outer": "ns_main", "ns_inner": "ns_outer",
	"secure_api": "ns_inner", "s_middle": "secure_api", "s_leaf": "s_middle", "ns_callback": "s_middle", "ns_cb_leaf": "ns_callback",
	"s_low_work": "S_Low_Handler", "ns_from_low": "s_low_work", "s_high_work": "S_High_Handler",
	"ns_low_work": "NS_Low_Handler", "secure_low_api": "ns_low_work", "s_low_api_leaf": "secure_low_api", "ns_high_work": "NS_High_Handler",
}

// viaLibrary are those that are called through the library's nsCall.
var viaLibrary = map[string]bool{"ns_main": true, "ns_callback": true, "ns_from_low": true}

const nsCall = "__gnu_cmse_nonsecure_call"

// handlers are the exceptions: number and priority, of which a lower one wins.
var handlers = map[string]struct{ number, priority int }{
	"S_Low_Handler": {16, 0x80}, "NS_Low_Handler": {17, 0x80}, "S_High_Handler": {18, 0x40}, "NS_High_Handler": {19, 0x40},
}

// active is an exception in progress.
type active struct {
	handler     string
	interrupted uint32
	function    string // that was interrupted,
	library     string // and what called the library's function if that was it
}

// watched follows the exceptions of a run, instruction by instruction.
type watched struct {
	names   func(uint32) string
	pc      uint32
	stack   []active
	library string // what called nsCall last, in the present context
}

// function is the name of the source's function around pc.
func (w *watched) function(pc uint32) string { return strings.TrimPrefix(w.names(pc), "__acle_se_") }

// moved notes that the core went from w.pc to pc.
func (w *watched) moved(pc uint32) {
	from, to := w.function(w.pc), w.function(pc)
	top := len(w.stack) - 1
	switch h, isHandler := handlers[to]; {
	case isHandler && to != from && callers[from] != to && !w.returns(from, pc):
		a := active{to, w.pc, from, w.library}
		if top >= 0 && h.priority >= handlers[w.stack[top].handler].priority { // tail-chained
			a.interrupted, a.function, a.library = w.stack[top].interrupted, w.stack[top].function, w.stack[top].library
			w.stack = w.stack[:top]
		}
		w.stack = append(w.stack, a)
	case w.returns(from, pc):
		w.library = w.stack[top].library
		w.stack = w.stack[:top]
	case to == nsCall && from != nsCall && callers[from] != "" && !viaLibrary[from]:
		w.library = from
	}
	w.pc = pc
}

// returns tells whether going from a function to pc ends the innermost exception.
func (w *watched) returns(from string, pc uint32) bool {
	top := len(w.stack) - 1
	return top >= 0 && from == w.stack[top].handler && pc == w.stack[top].interrupted
}

// truth is the stack as names, the innermost first.
func (w *watched) truth() (out []string) {
	f, library := w.function(w.pc), w.library
	for i := len(w.stack); ; {
		for f != "" {
			out = append(out, f)
			switch {
			case f == nsCall:
				f = library
			case viaLibrary[f]:
				out = append(out, nsCall)
				f = callers[f]
			default:
				f = callers[f]
			}
		}
		if i--; i < 0 {
			return out
		}
		out = append(out, fmt.Sprintf("<%d>", handlers[w.stack[i].handler].number))
		f, library = w.stack[i].function, w.stack[i].library
	}
}

// named are the functions and exceptions of frames.
func (w *watched) named(frames []Frame) (out []string) {
	for _, f := range frames {
		if f.Kind == Exception {
			out = append(out, fmt.Sprintf("<%d>", f.ExcNum))
			continue
		}
		out = append(out, w.function(f.LookupPC()))
	}
	return out
}

func compileCMSE(t *testing.T, flags string) string {
	t.Helper()
	gcc, dir := tool(t, "arm-none-eabi-gcc"), t.TempDir()
	run := func(args ...string) {
		args = append(append([]string{"-mcpu=cortex-m33", "-mthumb", "-g"}, strings.Fields(flags)...), args...)
		if msg, err := exec.Command(gcc, args...).CombinedOutput(); err != nil {
			t.Fatalf("arm-none-eabi-gcc %v: %v\n%s", args, err, msg)
		}
	}
	s, ns, out := filepath.Join(dir, "cmse_secure.o"), filepath.Join(dir, "cmse_nonsecure.o"), filepath.Join(dir, "cmse.elf")
	run("-mcmse", "-c", "-o", s, "testdata/cmse_secure.c")
	run("-c", "-o", ns, "testdata/cmse_nonsecure.c")
	run("-nostartfiles", "-nostdlib", "-T", "testdata/cmse.ld", "-Wl,--no-warn-rwx-segments,--section-start=.gnu.sgstubs=0x10008000", "-o", out, s, ns, "-lc", "-lgcc")
	return out
}

func imageNames(t *testing.T, path string) func(uint32) string {
	t.Helper()
	image, err := symbol.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return func(pc uint32) string {
		f, _ := image.Function(pc)
		return f.Name
	}
}

func symbolAt(t *testing.T, path, name string) uint32 {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(symbols, func(s elf.Symbol) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("%s has no %s", path, name)
	}
	return uint32(symbols[i].Value) &^ 1
}

// Secure and Non-secure code, each calling and interrupting the other, on QEMU's
// Cortex-M33: interrupts come at random, the true stack is known from where the PC
// has been.
func TestTrustZone(t *testing.T) {
	variants := []string{"-O0 -mfloat-abi=soft", "-O2 -mfloat-abi=hard -DS_PROCESS -DNS_PROCESS", "-Os -mfloat-abi=hard -DTS -DNS_PROCESS",
		"-O1 -mfloat-abi=soft -DS_PROCESS"}
	if testing.Short() {
		variants = variants[1:2]
	}
	for _, flags := range variants {
		t.Run(flags, func(t *testing.T) {
			path := compileCMSE(t, flags)
			p := imageProgram(t, path)
			p.CPUArch = 17
			u, err := New(p)
			if err != nil {
				t.Fatal(err)
			}
			m := startM33(t, path, symbolAt(t, path, "gadget"))
			runTrustZone(t, m, u, imageNames(t, path))
		})
	}
}

func runTrustZone(t *testing.T, m *m33, u *Unwinder, names func(uint32) string) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 5))
	w := &watched{names: names, pc: m.regs[15]}
	for w.function(m.regs[15]) != "ns_main" { // memory is partitioned by then
		m.next()
		w.moved(m.regs[15])
	}
	const points = 1200
	seen := map[string]int{}
	wrong := map[string]int{}
	for range points {
		pend := uint32(0)
		if random.IntN(12) == 0 {
			pend = 1 << random.IntN(4)
			if random.IntN(4) == 0 {
				pend |= 1 << random.IntN(4)
			}
		}
		snap := m.look(pend)
		frames, stop := u.Unwind(nil, snap)
		want := w.truth()
		got := w.named(frames)
		// With less known of the other state a stack may be shorter, and no frame false.
		for _, last := range []snapshot.Reg{snapshot.CONTROL, snapshot.PSPS} {
			part := *snap
			part.Regs = snapshot.Registers{}
			for r := range last + 1 {
				if v, ok := snap.Regs.Value(r); ok {
					part.Regs.Set(r, v)
				}
			}
			less, why := u.Unwind(nil, &part)
			if names := w.named(less); len(names) > len(want) || !slices.Equal(names, want[:len(names)]) || len(names) < len(want) && why.Reason == Complete {
				t.Errorf("registers up to %v: got %v\nwant %v\n%v 0x%08x", last, names, want, why.Reason, why.Addr)
			}
		}
		if !slices.Equal(got, want) || stop.Reason != Complete {
			key := want[0]
			if wrong[key]++; wrong[key] == 1 {
				lr, _ := snap.Regs.Value(snapshot.LR)
				t.Logf("at 0x%08x, LR 0x%08x\ngot  %v\nwant %v\n%v 0x%08x", w.pc, lr, got, want, stop.Reason, stop.Addr)
			}
			wrong["all"]++
		}
		for _, f := range frames {
			if f.Kind == Exception {
				seen[fmt.Sprint("exception ", f.ExcNum)]++
			}
		}
		seen[fmt.Sprint("nested ", len(w.stack))]++
		m.next()
		w.moved(m.regs[15])
		if fn := w.function(w.pc); strings.Contains(fn, "Fault") {
			t.Fatalf("in %s, from %v", fn, want)
		}
	}
	t.Log(seen)
	if wrong["all"] > points/500 {
		t.Errorf("%d of %d stacks differ: %v", wrong["all"], points, wrong)
	}
}
