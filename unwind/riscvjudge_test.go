package unwind

import (
	"debug/elf"
	"fmt"
	"testing"

	"github.com/mprof/mprof/snapshot"
)

// shadow is the true stack: the return addresses, and the boundaries of traps.
type shadow struct {
	entries []shadowEntry
}

type shadowEntry struct {
	pc   uint32 // the return address, or the interrupted PC
	trap bool
}

// execute follows one instruction, w at pc, to where it led. regs are those
// before it.
func (s *shadow) execute(w, pc, next uint32, regs []uint32, vector uint32) {
	size, link, target, jump := uint32(4), uint32(0), uint32(0), false
	switch {
	case w&3 != 3:
		size = 2
		switch hw := w & 0xffff; {
		case hw&0xe003 == 0x2001: // C.JAL
			link = 1
		case hw&0xf07f == 0x9002 && hw != 0x9002: // C.JALR
			link = 1
		case hw&0xf07f == 0x8002 && hw != 0x8002: // C.JR
			target, jump = regs[hw>>7&31], true
		}
	case w&0x7f == 0x6f:
		link = w >> 7 & 31
	case w&0x7f == 0x67:
		link, target, jump = w>>7&31, regs[w>>15&31]+uint32(int32(w)>>20), w>>7&31 == 0
	case w == 0x30200073: // MRET
		for n := len(s.entries); n > 0; n = len(s.entries) {
			top := s.entries[n-1]
			s.entries = s.entries[:n-1]
			if top.trap {
				return
			}
		}
		return
	}
	n := len(s.entries)
	switch {
	case next == vector && next != pc+size: // nothing jumps there
		s.entries = append(s.entries, shadowEntry{pc, true})
	case link != 0:
		s.entries = append(s.entries, shadowEntry{pc: pc + size})
	case jump && n > 0 && !s.entries[n-1].trap && target&^1 == s.entries[n-1].pc:
		s.entries = s.entries[:n-1]
	}
}

// frames are those of the true stack. A trap is a boundary and the PC that it
// interrupted; the outermost function is _start, which calls main.
func (s *shadow) frames(pc uint32) []Frame {
	want := []Frame{{PC: pc}}
	for i := len(s.entries) - 1; i >= 0; i-- {
		if e := s.entries[i]; e.trap {
			want = append(want, Frame{Kind: Exception}, Frame{PC: e.pc, Kind: Interrupted})
		} else {
			want = append(want, Frame{PC: e.pc, Kind: Caller})
		}
	}
	return want
}

// hartJudge counts.
type hartJudge struct {
	total, equal, cut, wrong, traps int
	notes                           []string
	also                            func(s *snapshot.Snapshot, want []Frame) // nil: nobody else wants to see them
}

func (j *hartJudge) String() string {
	return fmt.Sprintf("%d stacks, %d equal (%.2f %%), %d cut, %d wrong; %d traps", j.total, j.equal, 100*float64(j.equal)/float64(max(j.total, 1)), j.cut, j.wrong, j.traps)
}

const maxNotes = 20

// run steps to the end of the program or most instructions.
func (j *hartJudge) run(t *testing.T, e *emulator, path string, u *Unwinder, most int) {
	symbols := symbolsOf(t, path)
	start, end, vector, top := symbols["_start"], symbols["done"], symbols["trap_entry"], symbols["__stack"]
	code := u.code.p.ReadCode
	var s shadow
	for {
		if e.registers()[32] == start {
			break
		}
		e.step()
	}
	var frames []Frame
	for n := range most {
		regs := e.registers()
		pc, sp := regs[32], regs[2]
		if pc == end {
			break
		}
		if top-sp <= 0x4000 { // the stack is set up
			snap := hartSnapshot(e, regs, top)
			var stop Stop
			frames, stop = u.Unwind(frames[:0], snap)
			want := s.frames(pc)
			j.judge(frames, stop, want)
			if j.also != nil {
				j.also(snap, want)
			}
		}
		if n%211 == 210 {
			e.writeCSR("mip", 2)
		}
		var w [4]byte
		if !code(pc, w[:]) && !code(pc, w[:2]) {
			t.Fatalf("no code at 0x%08x", pc)
		}
		e.step()
		next := e.registers()[32]
		if next == vector {
			j.traps++
		}
		s.execute(uint32(w[0])|uint32(w[1])<<8|uint32(w[2])<<16|uint32(w[3])<<24, pc, next, regs, vector)
	}
}

// hartSnapshot freezes the hart with all of its stack.
func hartSnapshot(e *emulator, regs []uint32, top uint32) *snapshot.Snapshot {
	s := &snapshot.Snapshot{}
	for i, v := range regs[1:32] {
		s.Regs.Set(snapshot.X0+1+snapshot.Reg(i), v)
	}
	s.Regs.Set(snapshot.PC, regs[32])
	s.Regs.Set(snapshot.MEPC, e.readCSR("mepc"))
	s.Regs.Set(snapshot.MCAUSE, e.readCSR("mcause"))
	if low := regs[2] &^ 3; low < top {
		s.Windows = []snapshot.Window{{Addr: low, Data: e.memory(low, top-low)}}
	}
	return s
}

// judge compares one stack with the truth.
func (j *hartJudge) judge(frames []Frame, stop Stop, want []Frame) {
	j.total++
	same := 0
	for same < min(len(frames), len(want)) && frames[same].PC == want[same].PC && frames[same].Kind == want[same].Kind {
		same++
	}
	switch {
	case same == len(frames) && same == len(want) && stop == (Stop{}):
		j.equal++
		return
	case same == len(frames) && stop.Reason != Complete:
		j.cut++
	default:
		j.wrong++
	}
	if len(j.notes) < maxNotes {
		j.notes = append(j.notes, fmt.Sprintf("0x%08x: %v 0x%08x\n  want %x\n  got  %x", want[0].PC, stop.Reason, stop.Addr, pcsOf(want), pcsOf(frames)))
	}
}

// symbolsOf gives the addresses of all symbols.
func symbolsOf(t *testing.T, path string) map[string]uint32 {
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
	at := map[string]uint32{}
	for _, s := range symbols {
		at[s.Name] = uint32(s.Value)
	}
	return at
}

func pcsOf(frames []Frame) (pcs []uint32) {
	for _, f := range frames {
		pcs = append(pcs, f.PC)
	}
	return pcs
}
