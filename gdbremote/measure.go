package gdbremote

import (
	"bytes"
	"context"
	"fmt"

	"github.com/mprof/mprof/snapshot"
)

// measure finds out how much g holds, of a target that stands. Servers without a
// description are recognised by that.
func (c *Client) measure(ctx context.Context) error {
	if !c.halted {
		return nil
	}
	if err := c.choose(ctx); err != nil {
		return err
	}
	p, err := c.ask(ctx, "g")
	if err != nil {
		return err
	}
	size := len(p) / 2
	if isRefusal(p) {
		size = 0
	} else if len(p)%2 != 0 {
		return answerError("g", p)
	}
	if !c.layout.described {
		if err := c.assume(ctx, size); err != nil {
			return err
		}
	}
	c.layout.inG = size
	return nil
}

// The layouts of servers that do not describe them: gdb's own.
const (
	coreBytes   = 17 * 4            // R0 to R15, xPSR
	oldArmBytes = 16*4 + 8*12 + 2*4 // R0 to R15, F0 to F7, FPS, CPSR: the FPA of old
	oldArmCPSR  = 25
	hartBytes   = 33 * 4 // x0 to x31, pc
	firstCSR    = 65     // number of CSR 0 (gdb: riscv-tdep.h, RISCV_FIRST_CSR_REGNUM)
	csrMEPC     = 0x341
	csrMCAUSE   = 0x342
)

// assume makes a layout by the size of the answer to g. Where there is no g, the
// registers are numbered as in the smallest layout.
func (c *Client) assume(ctx context.Context, size int) error {
	c.remarks = append(c.remarks, "the server does not describe the target's registers: the usual ones are taken to be there")
	l := layout{inG: size}
	wrong := &ArchError{Program: c.arch, Stub: fmt.Sprintf("one with %d bytes of registers, undescribed", size)}
	switch c.arch {
	case snapshot.CortexM:
		cpsr := place{num: 16, offset: 64, size: 4}
		switch size {
		case 0, coreBytes:
		case oldArmBytes:
			cpsr = place{num: oldArmCPSR, offset: oldArmBytes - 4, size: 4}
		default:
			return wrong
		}
		for i := range 16 {
			l.set(snapshot.Reg(i), place{num: i, offset: 4 * i, size: 4})
		}
		l.set(snapshot.XPSR, cpsr)
	case snapshot.RV32:
		switch size {
		case 0, hartBytes, hartBytes + 32*4, hartBytes + 32*8: // f0 to f31 of the F or D extension
		default:
			return wrong
		}
		for i := range 32 {
			l.set(snapshot.X0+snapshot.Reg(i), place{num: i, offset: 4 * i, size: 4})
		}
		l.set(snapshot.PC, place{num: 32, offset: 128, size: 4})
		l.set(snapshot.MEPC, place{num: firstCSR + csrMEPC, offset: mostPacket, size: 4})
		l.set(snapshot.MCAUSE, place{num: firstCSR + csrMCAUSE, offset: mostPacket, size: 4})
	}
	c.layout = l
	return c.tryAssumed(ctx)
}

func (l *layout) set(r snapshot.Reg, p place) {
	l.at[r] = p
	l.have.Add(r)
}

// tryAssumed asks for what is not in g, once: without a PC there is no sample.
func (c *Client) tryAssumed(ctx context.Context) error {
	for _, r := range []snapshot.Reg{snapshot.PC, snapshot.MEPC, snapshot.MCAUSE} {
		p := c.layout.at[r]
		if p.size == 0 || p.offset+p.size <= c.layout.inG {
			continue
		}
		request := fmt.Sprintf("p%x", p.num)
		answer, err := c.ask(ctx, request)
		switch {
		case err != nil:
			return err
		case !isRefusal(answer) && allDigits(answer) && len(answer) == 8 || bytes.Equal(answer, []byte("xxxxxxxx")):
		case r == snapshot.PC:
			return refusal("g and "+request, answer)
		default:
			c.refused.Add(r)
		}
	}
	return nil
}
