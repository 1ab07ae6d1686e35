package unwind

import (
	"fmt"
	"testing"

	"github.com/mprof/mprof/snapshot"
)

// The values of each architecture, written out from its manual.
func TestEXCRETURNValues(t *testing.T) {
	want := map[uint32]bool{}
	for _, v := range []uint32{0xf1, 0xf9, 0xfd, 0xe1, 0xe9, 0xed} { // ARMv6-M, ARMv7-M
		want[v] = true
	}
	for _, v := range []uint32{0xb0, 0xb8, 0xbc, 0xa0, 0xa8, 0xac} { // ARMv8-M
		want[v] = true
	}
	for v := range uint32(0x100) { // ARMv8-M with the Security Extension
		secureCode, defaultStacking, secureHandler := v&0x40 != 0, v&0x20 != 0, v&1 != 0
		if v >= 0x80 && v&2 == 0 && (defaultStacking || secureCode && secureHandler) {
			want[v] = true
		}
	}
	for v := range uint32(0x100) {
		for high, made := range map[uint32]bool{0xffffff00: true, 0xfffffe00: false, 0xfeffff00: false, 0: false} {
			if _, got := excReturnOf(high | v); got != (made && want[v]) {
				t.Errorf("0x%08x: %v, want %v", high|v, got, made && want[v])
			}
		}
	}
	for _, v := range []uint32{0xffffff81, 0xffffff90, 0xffffffd0, 0xffffffd8, 0xfffffff3, 0xffffffff, 0xfffffffe} {
		if _, ok := excReturnOf(v); ok {
			t.Errorf("0x%08x is no exception return", v)
		}
	}
}

const mainS, processS, mainNS, processNS = ram + 0x80, ram + 0x180, ram + 0x200, ram + 0x300

// states gives the board all stack pointers and says in what state it is.
func (b *board) states(isSecure bool, control, controlS, controlNS uint32) {
	b.set(snapshot.MSPS, mainS)
	b.set(snapshot.PSPS, processS)
	b.set(snapshot.MSPNS, mainNS)
	b.set(snapshot.PSPNS, processNS)
	b.set(snapshot.CONTROLS, controlS<<24)
	b.set(snapshot.CONTROLNS, controlNS<<24)
	b.set(snapshot.CONTROL, control<<24)
	main, process := uint32(mainNS), uint32(processNS)
	if isSecure {
		main, process = mainS, processS
	}
	b.set(snapshot.MSP, main)
	b.set(snapshot.PSP, process)
	b.set(snapshot.SP, main)
}

// calleeFrame puts the additional state context at addr.
func (b *board) calleeFrame(addr, v uint32) {
	b.stack(addr, 0xfefa125a|v>>4&1, 0, 4, 5, 6, 7, 8, 9, 10, 11)
}

// A handler of either state interrupts a thread of either state on either stack.
func TestSecurityStates(t *testing.T) {
	for v := uint32(0xffffffa0); v != 0; v++ {
		e, ok := excReturnOf(v)
		if !ok || !e.thread() {
			continue
		}
		for _, process := range []bool{false, true} {
			if !e.flips() && process != e.spsel() {
				continue
			}
			t.Run(fmt.Sprintf("0x%08x process %v", v, process), func(t *testing.T) {
				b := interrupted(v)
				control := uint32(0)
				if process {
					control = 2
				}
				handler := uint32(mainNS)
				if v&1 != 0 {
					handler = mainS
				}
				b.states(v&1 != 0, 0, control, control)
				at := [2][2]uint32{{mainNS, processNS}, {mainS, processS}}[v>>6&1][stackIndex(process)]
				frame, words := at, uint32(8)
				if v&0x40 != 0 && v&0x21 != 0x21 {
					b.calleeFrame(at, v)
					frame += 40
				}
				if v&0x10 == 0 {
					words = 26
				}
				sp := frame + 4*words
				b.frame(frame, sp, 0x01000000)
				b.expect(t, expectedStack(handler, sp), Stop{})
				if !e.flips() {
					return
				}
				// Without CONTROL of the other state the stack shows itself.
				trial := *b
				trial.snap.Regs = snapshot.Registers{}
				for r := range snapshot.Reg(snapshot.NumRegs) {
					if value, ok := b.snap.Regs.Value(r); ok && r != snapshot.CONTROLS && r != snapshot.CONTROLNS {
						trial.set(r, value)
					}
				}
				trial.expect(t, expectedStack(handler, sp), Stop{})
				// Without its stack pointers it ends there.
				for r := range snapshot.Reg(snapshot.NumRegs) {
					if value, ok := b.snap.Regs.Value(r); ok && r <= snapshot.CONTROL {
						if r == 0 {
							trial.snap.Regs = snapshot.Registers{}
						}
						trial.set(r, value)
					}
				}
				trial.snap.Regs = snapshot.Registers{}
				for r := range snapshot.CONTROL + 1 {
					if value, ok := b.snap.Regs.Value(r); ok {
						trial.set(r, value)
					}
				}
				edge := expectedStack(handler, sp)[:2]
				edge[1].CFA = 0
				trial.expect(t, edge, Stop{OtherState, v})
			})
		}
	}
}

func TestSignature(t *testing.T) {
	const v = 0xfffffff8 // from a Non-secure handler to a Secure thread on its main stack
	b := interrupted(v)
	b.states(false, 0, 0, 0)
	b.frame(mainS+40, mainS+72, 0x01000000)
	edge := expectedStack(mainNS, 0)[:2]
	for _, sig := range []uint32{0, 0xfefa125a, 0xfefa1259} { // 0xfefa125a is that of a frame with floating-point state
		b.stack(mainS, sig)
		b.expect(t, edge, Stop{BadFrame, mainS})
	}
	b.calleeFrame(mainS, v)
	b.expect(t, expectedStack(mainNS, mainS+72), Stop{})
	b.stack(mainS+40+28, 0x01400000)
	b.expect(t, edge, Stop{BadFrame, mainS + 40 + 28})
}

// Secure frames with FPCCR.TS have S16-S31: FPCCR tells, or what comes next.
func TestSecretRegisters(t *testing.T) {
	for _, ts := range []uint32{0, 1 << 26} {
		for _, captured := range []bool{false, true} {
			t.Run(fmt.Sprintf("TS 0x%x captured %v", ts, captured), func(t *testing.T) {
				const v = 0xffffffe9
				b := interrupted(v)
				b.states(true, 0, 0, 0)
				b.program.CPUArch = 17
				if captured {
					w := snapshot.Window{Addr: 0xe000ef00, Data: make([]byte, 0x40)}
					w.Data[0x37] = byte(0xc0000000>>24 | ts>>24)
					b.snap.Windows = append(b.snap.Windows, w)
				}
				sp := uint32(mainS + 4*26)
				if ts != 0 {
					sp += 4 * 16
				}
				b.frame(mainS, sp, 0x01000000)
				b.expect(t, expectedStack(mainS, sp), Stop{})
			})
		}
	}
	// Code for ARMv7-M has no such frames, whatever the stack looks like.
	b := interrupted(0xffffffe9)
	b.states(true, 0, 0, 0)
	b.program.CPUArch = 13
	b.frame(mainS, mainS+4*42, 0x01000000)
	frames, _, _ := b.unwind(t)
	if len(frames) != 3 {
		t.Errorf("%v", frames)
	}
}

// A Non-secure function at +0x100 was called by BLXNS from a Secure one at +0x200,
// which Non-secure code at +0x400 called through a gateway at +0x500.
func secureCall(ra uint32) *board {
	b := newBoard()
	b.functions(0x100, 0x110, 0x200, 0x210, 0x400, 0x410)
	b.code(0x100, 0x4770)
	b.code(0x200, 0xb510, 0xbf00, 0xbf00, 0x479c, 0xbd10) // PUSH {R4,LR}; NOP; NOP; BLXNS R3; POP
	b.code(0x400, 0xbf00, 0xbf00, 0xf000, 0xf87c)         // BL +0x500
	b.code(0x500, 0xe97f, 0xe97f, 0xf7ff, 0xbe7c)         // SG; B.W +0x200
	b.program.Outermost = []uint32{flash + 0x400}
	b.set(snapshot.PC, flash+0x100)
	b.set(snapshot.LR, ra)
	b.set(snapshot.XPSR, 0x01000000)
	b.stack(processS, flash+0x209, 1<<20)
	b.stack(processS+8, 0x44, flash+0x408)
	return b
}

func TestSecureCalls(t *testing.T) {
	want := []Frame{
		{PC: flash + 0x100, CFA: processNS},
		{PC: flash + 0x208, CFA: processS + 16, Kind: Caller, Method: FromExceptionFrame},
		{PC: flash + 0x408, CFA: processNS, Kind: Caller, Method: FromPrologue},
	}
	b := secureCall(fncReturn)
	b.states(false, 2, 2, 2)
	b.set(snapshot.SP, processNS)
	b.expect(t, want, Stop{})

	// In a handler it is the main stack.
	b.set(snapshot.XPSR, 0x01000001)
	b.states(false, 0, 2, 2)
	b.stack(mainS, flash+0x209, 1<<20|16)
	b.stack(mainS+8, 0x44, 0xfffffff9)
	got, stop, _ := b.unwind(t)
	if len(got) < 3 || got[1].PC != flash+0x208 || got[2].Kind != Exception || got[2].ExcNum != 16 {
		t.Errorf("%+v %v", got, stop)
	}

	// A jump to a Secure function leaves FNC_RETURN without its bit 0.
	b = secureCall(fncReturn &^ 1)
	b.states(true, 2, 2, 2)
	b.set(snapshot.SP, processS)
	want[0].CFA = processS
	b.expect(t, want, Stop{})

	// Without the Secure stack pointers it ends there; those of Non-secure state
	// are missed a frame later.
	b = secureCall(fncReturn)
	b.states(false, 2, 2, 2)
	b.snap.Regs = snapshot.Registers{}
	b.set(snapshot.PC, flash+0x100)
	b.set(snapshot.LR, fncReturn)
	b.set(snapshot.SP, processNS)
	b.set(snapshot.PSP, processNS)
	b.set(snapshot.XPSR, 0x01000000)
	want[0].CFA = processNS
	b.expect(t, want[:1], Stop{OtherState, flash + 0x100})

	for name, words := range map[string][2]uint32{"no call before": {flash + 0x203, 0}, "mode": {flash + 0x209, 15}, "flags": {flash + 0x209, 1 << 24}} {
		b := secureCall(fncReturn)
		b.states(false, 2, 2, 2)
		b.set(snapshot.SP, processNS)
		b.stack(processS, words[0], words[1])
		if got, stop, _ := b.unwind(t); len(got) != 1 || stop.Reason != BadFrame && stop.Reason != BadRA {
			t.Errorf("%s: %v %v", name, got, stop)
		}
	}
}

// A Secure function that waits for Non-secure code whose stack pointer nobody
// knows: the caller is named, and no more.
func TestGatewayWithoutStackPointer(t *testing.T) {
	b := secureCall(0)
	b.functions(0x200, 0x210, 0x400, 0x410)
	b.program.Outermost = nil
	b.set(snapshot.PC, flash+0x200)
	b.set(snapshot.LR, flash+0x408)
	b.set(snapshot.SP, processS)
	b.expect(t, []Frame{{PC: flash + 0x200, CFA: processS}, {PC: flash + 0x408, Kind: Caller, Method: FromLR}}, Stop{OtherState, flash + 0x408})
	// Nothing leads to the function through SG: the Thumb bit is missing.
	b.code(0x500, 0xbf00, 0xbf00)
	b.expect(t, []Frame{{PC: flash + 0x200, CFA: processS}}, Stop{BadRA, flash + 0x408})
}

// An exception was taken from a core in lockup.
func TestStackedLockup(t *testing.T) {
	b := interrupted(0xfffffff9)
	b.set(snapshot.SP, ram+0x40)
	b.frame(ram+0x40, ram+0x60, 0x01000003)
	b.stack(ram+0x40+24, lockupPC, 0x01000000)
	edge := expectedStack(ram+0x40, ram+0x60)[:2]
	b.expect(t, edge, Stop{InLockup, lockupPC})
}
