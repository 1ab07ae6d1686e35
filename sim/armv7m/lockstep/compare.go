package lockstep

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// Difference is where two machines part: the state before the instruction, and
// what each made of it.
type Difference struct {
	Step         uint64
	Before       State
	Want, Got    State    // of QEMU, of the simulated core
	Trail        []uint32 // addresses of the instructions before it, oldest first
	Instructions string   // bytes and disassembly around the instruction
}

func (d *Difference) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "lockstep: step %d at 0x%08x: state differs\n%s", d.Step, d.Before.R[15], d.Instructions)
	fmt.Fprintf(&b, "  after instructions at %08x\n", d.Trail)
	fmt.Fprintf(&b, "%8s %10s %10s %10s\n", "", "before", "qemu", "simulated")
	row := func(name string, before, want, got uint32) {
		note := ""
		if want != got {
			note = "  <- differs"
		}
		fmt.Fprintf(&b, "%8s 0x%08x 0x%08x 0x%08x%s\n", name, before, want, got, note)
	}
	for i := range 16 {
		row(fmt.Sprintf("R%d", i), d.Before.R[i], d.Want.R[i], d.Got.R[i])
	}
	row("xPSR", d.Before.XPSR, d.Want.XPSR, d.Got.XPSR)
	if d.Before.S != d.Want.S || d.Want.S != d.Got.S || d.Want.FPSCR != d.Got.FPSCR {
		for i := range d.Want.S {
			row(fmt.Sprintf("S%d", i), d.Before.S[i], d.Want.S[i], d.Got.S[i])
		}
		row("FPSCR", d.Before.FPSCR, d.Want.FPSCR, d.Got.FPSCR)
	}
	return b.String()
}

// ErrNotOver is a program that had not ended when the limit of steps was
// reached; up to there the machines were equal.
var ErrNotOver = errors.New("lockstep: the program is not over")

// Lockstep runs a program on a reference machine and on the one under test,
// until the reference is at p.Done or limit states were compared. visit, if not
// nil, is called with every state before an instruction and the one after it.
// The error is a *Difference where the machines differ.
func Lockstep(p Program, ref, test Machine, limit uint64, visit func(before, after *State)) (steps uint64, err error) {
	var before, want, got State
	var trail trail
	if err := ref.Next(&before); err != nil {
		return 0, err
	}
	if s, ok := test.(*simulated); ok {
		if err := s.adopt(&before); err != nil {
			return 0, err
		}
	}
	if err := test.Next(&got); err != nil {
		return 0, err
	}
	if before != got {
		return 0, &Difference{0, before, before, got, nil, ""}
	}
	for before.R[15] != p.Done {
		if steps == limit {
			return steps, fmt.Errorf("%w after %d steps, at 0x%08x", ErrNotOver, limit, before.R[15])
		}
		if err := ref.Next(&want); err != nil {
			return steps, atStep(err, steps, &before)
		}
		if err := test.Next(&got); err != nil {
			return steps, atStep(err, steps, &before)
		}
		steps++
		if err := settle(ref, test, &before, &want, &got); err != nil {
			return steps, atStep(err, steps, &before)
		}
		if want != got && yields(p.Flash, before.R[15]) {
			if visit != nil {
				visit(&before, &got)
			}
			before = got
			if err := test.Next(&got); err != nil {
				return steps, atStep(err, steps, &before)
			}
			steps++
		}
		if want != got && !forgive(test, p.Flash, &before, &want, &got) {
			return steps, &Difference{steps, before, want, got, trail.list(), disassemble(p.Flash, before.R[15])}
		}
		if visit != nil {
			visit(&before, &want)
		}
		before = want
		trail.add(before.R[15])
	}
	return steps, nil
}

// trail is the addresses of the last instructions.
type trail struct {
	pc [24]uint32
	n  int
}

func (t *trail) add(pc uint32) {
	t.pc[t.n%len(t.pc)] = pc
	t.n++
}

// list is the addresses but the last, which is that of the instruction itself.
func (t *trail) list() []uint32 {
	var l []uint32
	for i := max(0, t.n-len(t.pc)); i < t.n-1; i++ {
		l = append(l, t.pc[i%len(t.pc)])
	}
	return l
}

func atStep(err error, steps uint64, before *State) error {
	return fmt.Errorf("%w (step %d at 0x%08x)", err, steps, before.R[15])
}

// settle passes over the moment between an instruction and the exception that
// it made pending, where one of the machines shows that moment and the other
// does not: QEMU after an interrupt was pended or unmasked, the simulated core
// always. It is no state before an instruction. The one that has not entered a
// handler yet is stepped, which enters it. QEMU also logs the first instruction of
// a handler twice where another exception was pended in entering it.
func settle(ref, test Machine, before, want, got *State) error {
	active := func(s *State) uint32 { return s.XPSR & 0x1ff }
	if *want == *before && *got != *before && active(before) != 0 {
		if err := ref.Next(want); err != nil {
			return err
		}
	}
	for range 2 {
		w, g, b := active(want), active(got), active(before)
		late, s := ref, want
		switch {
		case w == g:
			return nil
		case w != 0 && (g == b || g == 0):
			late, s = test, got
		case g != 0 && (w == b || w == 0):
		default:
			return nil
		}
		if err := late.Next(s); err != nil {
			return err
		}
	}
	return nil
}

// yields tells whether a YIELD, WFE or WFI stands at an address. QEMU leaves its
// loop for them without stopping for the debugger, so that a step over one of
// them takes the next instruction along.
func yields(flash []byte, pc uint32) bool {
	if int(pc)+4 > len(flash) {
		return false
	}
	first, second := binary.LittleEndian.Uint16(flash[pc:]), binary.LittleEndian.Uint16(flash[pc+2:])
	if first == 0xf3af {
		return second >= 0x8001 && second <= 0x8003
	}
	return first == 0xbf10 || first == 0xbf20 || first == 0xbf30
}

// SameMemory compares a piece of RAM at the end of a run.
func SameMemory(ref, test Machine, addr, size uint32) error {
	want, got := make([]byte, size), make([]byte, size)
	if err := ref.Memory(addr, want); err != nil {
		return err
	}
	if err := test.Memory(addr, got); err != nil {
		return err
	}
	if bytes.Equal(want, got) {
		return nil
	}
	for i := range want {
		if want[i] != got[i] {
			return fmt.Errorf("lockstep: RAM differs at 0x%08x: %#02x, simulated %#02x", addr+uint32(i), want[i], got[i])
		}
	}
	return nil
}
