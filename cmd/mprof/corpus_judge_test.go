package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mprof/mprof/firmware/corpus"
	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/sim/truth"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/unwind"
)

// knowledge is what the unwinder is given of a program.
type knowledge int

const (
	knowAll     knowledge = iota // the ELF file as it is
	knowTables                   // without call frame information: .ARM.exidx, symbols and code
	knowSymbols                  // symbols and code alone
	numKnowledge
)

var knowledgeText = [numKnowledge]string{"whole", "no CFI", "symbols only"}

// limit takes away what the unwinder is not to know.
func (k knowledge) limit(p *unwind.Program) {
	if k >= knowTables {
		p.DebugFrame, p.EHFrame = nil, nil
	}
	if k >= knowSymbols {
		p.Exidx = unwind.Range{}
	}
}

// verdict counts the stacks of one program under one knowledge.
type verdict struct {
	stacks  int
	equal   int // every frame is the true one, and the stack says that it is complete
	cut     int // every frame is the true one, but some are missing, and the stack says so
	lost    int // cut before a return address that is in no register nor in the frame that it should be in
	guessed int // differs, and has a frame that is marked as guessed
	wrong   int // a frame that is not the true one and not marked, or complete where frames are missing
	places  map[place]*example
}

// place is where stacks differ.
type place struct {
	function string // of the leaf
	kind     string
	reason   unwind.Reason
}

type example struct {
	n         int
	pcs       map[uint32]int
	got, want string
	stop      unwind.Stop
}

// mostInstructions ends a program that does not come to its end.
const mostInstructions = 3_000_000

// judgeProgram runs a program and compares its stack with the true one before every
// instruction.
func judgeProgram(t *testing.T, path string) [numKnowledge]verdict {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	board, err := sim.New(sim.Options{ELF: data})
	if err != nil {
		t.Fatal(err)
	}
	image, err := symbol.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var unwinders [numKnowledge]*unwind.Unwinder
	var verdicts [numKnowledge]verdict
	for k := range numKnowledge {
		p := sampling.UnwindProgram(alone(image))
		k.limit(&p)
		if unwinders[k], err = unwind.New(p); err != nil {
			t.Fatal(err)
		}
		verdicts[k].places = map[place]*example{}
	}
	var snap snapshot.Snapshot
	var got []unwind.Frame
	var want []truth.Frame
	core := board.Core()
	for range mostInstructions {
		core.Step()
		freeze(core, &snap)
		if want = trueStack(want[:0], board); want[0].Function == corpus.Done {
			return verdicts
		}
		for k, u := range unwinders {
			var stop unwind.Stop
			got, stop = u.Unwind(got[:0], &snap)
			verdicts[k].add(got, stop, want, &snap, image)
		}
	}
	t.Fatalf("%s was not reached; the stack is %v", corpus.Done, board.Truth().Stack(core.LastPC()))
	return verdicts
}

// trueStack is the shadow call stack, under a handler that has written PSP that
// of the thread which it switches to.
func trueStack(dst []truth.Frame, board *sim.Board) []truth.Frame {
	pc, _ := board.Core().ReadReg(uint8(snapshot.PC))
	psp, _ := board.Core().ReadReg(uint8(snapshot.PSP))
	const returnAddress = 24 // in an exception frame (DDI 0403E B1.5.6)
	var resume uint32
	if data := board.Core().Memory(psp + returnAddress); len(data) >= 4 {
		resume = binary.LittleEndian.Uint32(data)
	}
	return board.Truth().AppendStackOn(dst, pc, psp, resume)
}

// freeze takes the registers and both stacks from their pointers upwards, as a
// sampler does: nothing below, where handlers and calls have been.
func freeze(core *armv7m.Core, s *snapshot.Snapshot) {
	for _, reg := range frozen {
		v, _ := core.ReadReg(uint8(reg))
		s.Regs.Set(reg, v)
	}
	s.Windows = s.Windows[:0]
	for _, reg := range []snapshot.Reg{snapshot.MSP, snapshot.PSP} {
		sp, _ := s.Regs.Value(reg)
		if data := core.Memory(sp); data != nil {
			s.Windows = append(s.Windows, snapshot.Window{Addr: sp, Data: data})
		}
	}
}

var frozen = []snapshot.Reg{snapshot.R0, snapshot.R1, snapshot.R2, snapshot.R3, snapshot.R4, snapshot.R5, snapshot.R6, snapshot.R7,
	snapshot.R8, snapshot.R9, snapshot.R10, snapshot.R11, snapshot.R12, snapshot.SP, snapshot.LR, snapshot.PC, snapshot.XPSR, snapshot.MSP,
	snapshot.PSP, snapshot.CONTROL}

// sameFrame compares what a frame says: its PC, return address or interrupted
// PC, or the number of its exception.
func sameFrame(got unwind.Frame, want truth.Frame) bool {
	return got.PC == want.PC && int(got.ExcNum) == want.Exception && (got.Kind == unwind.Exception) == (want.Exception != 0)
}

func (v *verdict) add(got []unwind.Frame, stop unwind.Stop, want []truth.Frame, snap *snapshot.Snapshot, image *symbol.Image) {
	v.stacks++
	same := 0
	for same < min(len(got), len(want)) && sameFrame(got[same], want[same]) {
		same++
	}
	kind := "wrong"
	switch {
	case same == len(got) && same == len(want) && stop.Reason == unwind.Complete:
		v.equal++
		return
	case slices.ContainsFunc(got, unwind.Frame.Guessed):
		kind = "guessed"
		v.guessed++
	case same == len(got) && stop.Reason != unwind.Complete && nowhere(want, same, snap):
		kind = "lost"
		v.lost++
	case same == len(got) && stop.Reason != unwind.Complete:
		kind = "cut"
		v.cut++
	default:
		v.wrong++
	}
	at := place{want[0].Function, kind, stop.Reason}
	e := v.places[at]
	if e == nil {
		e = &example{pcs: map[uint32]int{}, got: gotText(got, image), want: wantText(want), stop: stop}
		v.places[at] = e
	}
	e.n++
	e.pcs[want[0].PC]++
}

// nowhere tells that a return address is gone: it is that of want[i], the caller
// of want[i-1], and is neither in a register nor in the frame of that function.
func nowhere(want []truth.Frame, i int, s *snapshot.Snapshot) bool {
	if i == 0 || i >= len(want) || want[i].Exception != 0 || want[i-1].Exception != 0 || i > 1 && want[i-2].Exception != 0 {
		return false
	}
	ra := want[i].PC | 1
	for _, reg := range frozen[:snapshot.PC] {
		if v, _ := s.Regs.Value(reg); v == ra {
			return false
		}
	}
	low, _ := s.Regs.Value(snapshot.SP)
	if i > 1 {
		low = want[i-2].SP
	}
	for at := low; at < want[i-1].SP; at += 4 {
		for _, w := range s.Windows {
			if off := at - w.Addr; at >= w.Addr && int(off)+4 <= len(w.Data) && binary.LittleEndian.Uint32(w.Data[off:]) == ra {
				return false
			}
		}
	}
	return true
}

func gotText(frames []unwind.Frame, image *symbol.Image) string {
	var s []string
	for _, f := range frames {
		if f.Kind == unwind.Exception {
			s = append(s, fmt.Sprintf("<exception %d>", f.ExcNum))
			continue
		}
		fn, _ := image.Function(f.LookupPC())
		s = append(s, fmt.Sprintf("%s@%x/%d", fn.Name, f.PC, f.Method))
	}
	return strings.Join(s, " ")
}

func wantText(frames []truth.Frame) string {
	var s []string
	for _, f := range frames {
		if f.Exception != 0 {
			s = append(s, f.Function)
			continue
		}
		s = append(s, fmt.Sprintf("%s@%x", f.Function, f.PC))
	}
	return strings.Join(s, " ")
}

func percent(n, of int) string { return fmt.Sprintf("%.3f %%", 100*float64(n)/float64(of)) }

// String is the counts of a verdict: equal, lost, cut, guessed, wrong.
func (v *verdict) String() string {
	return fmt.Sprintf("%d stacks: %s equal, %s lost, %s cut, %s guessed, %s wrong",
		v.stacks, percent(v.equal, v.stacks), percent(v.lost, v.stacks), percent(v.cut, v.stacks), percent(v.guessed, v.stacks), percent(v.wrong, v.stacks))
}

// worst describes the places with most differences.
func (v *verdict) worst(n int) string {
	places := slices.SortedFunc(maps.Keys(v.places), func(a, b place) int {
		return cmp.Or(cmp.Compare(v.places[b].n, v.places[a].n), cmp.Compare(a.function, b.function))
	})
	var s strings.Builder
	for _, at := range places[:min(n, len(places))] {
		e := v.places[at]
		pcs := slices.Sorted(maps.Keys(e.pcs))
		fmt.Fprintf(&s, "  %d %s in %s (%v 0x%08x) at %x\n    got  %s\n    want %s\n", e.n, at.kind, at.function, e.stop.Reason, e.stop.Addr, pcs[:min(8, len(pcs))], e.got, e.want)
	}
	return s.String()
}
