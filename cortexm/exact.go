package cortexm

import (
	"context"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/snapshot"
)

// exactWords is how much stack the exact way reads where it is not known how
// far the stack reaches.
const exactWords = 128

// exact takes a sample in two steps: halt and registers, then, when the host
// knows the stack pointers, the stacks. It costs one more round trip while the
// core stands still, and the resume hangs on the host in between. It is the
// teacher of the plan, and the way where nothing else fits.
//
// The error is that of a transaction that did not come through; the core may
// then be halted.
func (s *Sampler) exact(ctx context.Context) (*capture, error) {
	c := &capture{}
	first, err := newSequence(s.limits, s.planner.halting(exactRegisters(s.planner.regs)))
	if err != nil {
		return c, err
	}
	if err = s.transact(ctx, first, c); err != nil {
		return c, err
	}
	var windows []Extent
	if c.miss == snapshot.Taken {
		windows = s.exactWindows(&c.regs)
	}
	second, err := newSequence(s.limits, s.planner.reading(windows))
	if err != nil {
		return c, err
	}
	return c, s.transact(ctx, second, c)
}

// exactRegisters are the registers that tell which stacks matter, too.
func exactRegisters(regs []snapshot.Reg) []snapshot.Reg {
	return append([]snapshot.Reg{snapshot.MSP, snapshot.PSP, snapshot.CONTROL}, regs...)
}

// halting are the transfers of the first step, cut so that each fits a packet.
func (pl *planner) halting(regs []snapshot.Reg) []*transfer {
	aim, t := &transfer{}, &transfer{}
	pl.steps.aim(aim)
	pl.steps.halt(t)
	all := []*transfer{aim, t}
	for _, r := range regs {
		q, a := t.bytes()
		if max(q+7, a+8) > pl.l.bytes-2 {
			t = &transfer{role: roleRegisters}
			all = append(all, t)
		}
		t.readRegister(r)
	}
	return all
}

// reading are the transfers of the second step: the windows, the resume, the
// guard.
func (pl *planner) reading(windows []Extent) []*transfer {
	t := &transfer{role: roleOther}
	t.write(probe.WriteSELECT, pl.steps.memory)
	all := []*transfer{t}
	for _, w := range windows {
		for a := w.Low; a < w.High; a += 4 {
			q, r := t.bytes()
			if max(q+6, r+4) > pl.l.bytes-2 {
				t = &transfer{}
				all = append(all, t)
			}
			if a == w.Low || a%tarWrap == 0 {
				t.write(probe.WriteTAR, a)
			}
			t.read(probe.ReadDRW, mark{stackWord, a})
		}
	}
	q, r := t.bytes()
	if max(q+10, r+4) > pl.l.bytes-2 {
		t = &transfer{}
		all = append(all, t)
	}
	pl.steps.resumeByDRW(t)
	t.role = roleResume
	return append(all, pl.steps.guard())
}

// exactWindows are the stacks to read: the one in use, and in a handler also
// that of the thread where it has one of its own.
func (s *Sampler) exactWindows(regs *snapshot.Registers) (windows []Extent) {
	sp, _ := regs.Value(snapshot.SP)
	psp, _ := regs.Value(snapshot.PSP)
	windows = append(windows, s.exactWindow(sp))
	if inHandler(regs) && psp != 0 && psp != sp && s.inRAM(psp) {
		windows = append(windows, s.exactWindow(psp))
	}
	return windows
}

// exactWindow reaches from sp to the end of its stack as far as it is known.
func (s *Sampler) exactWindow(sp uint32) Extent {
	sp &^= 3
	w := Extent{sp, sp + 4*exactWords}
	if w.High < sp {
		w.High = ^uint32(3)
	}
	if top, ok := s.history.top(sp); ok {
		w.High = top
	}
	for _, top := range s.options.StackTops {
		if top > sp && top < w.High {
			w.High = top
		}
	}
	if s.stretch > 0 {
		w.High = max(w.High, sp+4*(exactWords+s.stretch))
	}
	return w.clamp(s.options.RAM)
}

func (s *Sampler) inRAM(addr uint32) bool {
	if len(s.options.RAM) == 0 {
		return addr != 0
	}
	for _, r := range s.options.RAM {
		if r.contains(addr) {
			return true
		}
	}
	return false
}

// inHandler tells whether an exception was active: IPSR, xPSR[8:0].
func inHandler(regs *snapshot.Registers) bool {
	xpsr, ok := regs.Value(snapshot.XPSR)
	return ok && xpsr&0x1FF != 0
}
