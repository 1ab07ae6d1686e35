package sampling

import (
	"context"
	"encoding/binary"

	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// Next is the sampler's, and tells whether the core slept. A GDB server does not: it
// wakes the core and says where it stands, which is behind the instruction that waits.
func (s *gdbSampler) Next(ctx context.Context) (*snapshot.Snapshot, error) {
	snap, err := s.Sampler.Next(ctx)
	if snap != nil && snap.Miss == snapshot.Taken {
		if pc, ok := snap.Regs.Value(snapshot.PC); ok && waits(s.core.of, target.Arch(s.core.of), pc) {
			snap.State |= snapshot.Sleeping
		}
	}
	return snap, err
}

// Instructions that wait for an interrupt: their first halfword in memory, and their
// second or 0 (ARMv7-M ARM, A7.7.261 and A7.7.262, T1 and T2; RISC-V Privileged
// Architecture, "Wait for Interrupt").
var (
	armWaits   = [][2]uint16{{0xbf30, 0}, {0xbf20, 0}, {0xf3af, 0x8003}, {0xf3af, 0x8002}}
	riscvWaits = [][2]uint16{{0x0073, 0x1050}}
)

// codeOf is where a program's code is: *symbol.Program.
type codeOf interface {
	ReadCode(addr uint32, p []byte) bool
	Bounds(pc uint32) (symbol.Range, bool)
}

// waits tells whether the instruction before pc, or at it, is one of those: a core that
// does not sleep is there for one instruction, and hardly ever seen.
func waits(of codeOf, arch snapshot.Arch, pc uint32) bool {
	list := armWaits
	if arch == snapshot.RV32 {
		list = riscvWaits
	}
	at := func(addr uint32) uint16 {
		var p [2]byte
		if !of.ReadCode(addr, p[:]) {
			return 0
		}
		return binary.LittleEndian.Uint16(p[:])
	}
	pc &^= 1
	before, here := [2]uint16{at(pc - 4), at(pc - 2)}, [2]uint16{at(pc), at(pc + 2)}
	for _, w := range list {
		switch {
		case w[1] != 0 && (before == w || here == w), w[1] == 0 && here[0] == w[0]:
			return true
		case w[1] == 0 && before[1] == w[0] && begins(of, pc-2):
			return true
		}
	}
	return false
}

// begins tells whether an instruction of Thumb begins at addr, and not in the middle of
// one of two halfwords (ARMv7-M ARM, A5.1), counted from the begin of the function.
func begins(of codeOf, addr uint32) bool {
	const longest = 64 << 10
	function, ok := of.Bounds(addr)
	if !ok || addr-function.Low > longest {
		return true
	}
	code := make([]byte, addr-function.Low)
	if !of.ReadCode(function.Low, code) {
		return true
	}
	n := 0
	for n+1 < len(code) {
		n += 2
		if code[n-1] >= 0xe8 {
			n += 2
		}
	}
	return n <= len(code)
}
