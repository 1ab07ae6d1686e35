package unwind

import (
	"debug/elf"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/snapshot"
)

// shadow is a call stack kept by watching calls, returns, exceptions and
// context switches: what the program itself would say.
type shadow struct {
	stack   []shadowCall
	threads map[uint32][]shadowCall // by address of the exception frame
}

// shadowCall is a call to be returned from, or (exc not 0) an exception.
type shadowCall struct {
	ret, sp uint32
	exc     uint16
	psp     bool // the exception interrupted a process stack
}

func (s *shadow) Call(_, _, ret, sp uint32) { s.stack = append(s.stack, shadowCall{ret: ret, sp: sp}) }

// Jump is a return where it goes to the return address of a call with the
// stack pointer that the call was made with. Calls deeper than the stack
// pointer are gone.
func (s *shadow) Jump(_, to, sp uint32) {
	for n := len(s.stack); n > 0; n-- {
		top := s.stack[n-1]
		switch {
		case top.exc != 0 || top.sp > sp:
			return
		case top.sp == sp && top.ret != to:
			return
		}
		s.stack = s.stack[:n-1]
		if top.sp == sp {
			return
		}
	}
}

func (s *shadow) Enter(exc int, ret, frame, excReturn, _ uint32) {
	s.threads[frame] = slices.Clone(s.stack)
	s.stack = append(s.stack, shadowCall{ret: ret, sp: frame, exc: uint16(exc), psp: excReturn&4 != 0})
}

// Leave goes on with whatever was interrupted when the frame was made. A frame
// that the program made begins a thread.
func (s *shadow) Leave(_ int, frame, _, _ uint32) {
	s.stack = append(s.stack[:0], s.threads[frame]...)
	delete(s.threads, frame)
}

// frames appends the true stack, innermost first. From a handler that has moved
// PSP on, the stack goes on in the thread that it moved to, which is the one
// that the exception returns to.
func (s *shadow) frames(dst []Frame, pc, psp uint32, word func(uint32) uint32) []Frame {
	dst = append(dst, Frame{PC: pc})
	stack := s.stack
	for n := len(stack) - 1; n >= 0; n-- {
		call := stack[n]
		if call.exc == 0 {
			dst = append(dst, Frame{PC: call.ret, Kind: Caller})
			continue
		}
		if call.psp && call.sp != psp {
			call.ret, stack = word(psp+24)&^1, s.threads[psp]
			n = len(stack)
		}
		dst = append(dst, Frame{Kind: Exception, ExcNum: call.exc}, Frame{PC: call.ret, Kind: Interrupted})
	}
	return dst
}

// simulation is a program on the simulated core.
type simulation struct {
	*armv7m.Core
	*shadow
	snap snapshot.Snapshot
}

// simulate loads an ELF into a core with ROM and RAM; what is loaded runs from
// where the linker placed it.
func simulate(t testing.TB, path string, arch armv7m.Arch) *simulation {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ram := make([]byte, 256<<10)
	cfg := armv7m.Config{Arch: arch, Regions: []armv7m.Region{{Base: 0x20000000, Data: ram}}}
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || p.Filesz == 0 {
			continue
		}
		data := make([]byte, p.Filesz)
		if _, err := p.ReadAt(data, 0); err != nil {
			t.Fatal(err)
		}
		cfg.Regions = append(cfg.Regions, armv7m.Region{Base: uint32(p.Paddr), Data: data, ROM: true})
		if cfg.VTOR == 0 {
			cfg.VTOR = uint32(p.Paddr)
		}
	}
	s := &simulation{shadow: &shadow{threads: map[uint32][]shadowCall{}}}
	cfg.Tracer = s.shadow
	if s.Core, err = armv7m.New(cfg); err != nil {
		t.Fatal(err)
	}
	s.snap.Windows = []snapshot.Window{{Addr: 0x20000000, Data: ram}}
	return s
}

// freeze takes the registers; the window is the RAM itself.
func (s *simulation) freeze() *snapshot.Snapshot {
	for _, reg := range []snapshot.Reg{snapshot.R0, snapshot.R1, snapshot.R2, snapshot.R3, snapshot.R4, snapshot.R5, snapshot.R6, snapshot.R7,
		snapshot.R8, snapshot.R9, snapshot.R10, snapshot.R11, snapshot.R12, snapshot.SP, snapshot.LR, snapshot.PC, snapshot.XPSR, snapshot.MSP,
		snapshot.PSP, snapshot.CONTROL} {
		v, _ := s.ReadReg(uint8(reg))
		s.snap.Regs.Set(reg, v)
	}
	return &s.snap
}

func (s *simulation) word(addr uint32) uint32 {
	return binary.LittleEndian.Uint32(s.snap.Windows[0].Data[addr-0x20000000:])
}
