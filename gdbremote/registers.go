package gdbremote

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/mprof/mprof/snapshot"
)

// Window is a piece of target memory.
type Window struct {
	Addr uint32
	Size int
}

// request is one of the requests for a sample, and what becomes of its answer.
type request struct {
	packet []byte
	kind   requestKind
	reg    snapshot.Reg
	part   int // of a CONTROL
	window int
	offset int // in the window
	size   int
}

type requestKind byte

const (
	askAll requestKind = iota
	askRegister
	askMemory
)

// Has tells whether the server offers a register.
func (c *Client) Has(r snapshot.Reg) bool { return c.layout.have.Has(r) && !c.refused.Has(r) }

// Registers reads the registers of the halted target: those of every sample, extra
// ones that the server offers, and windows of memory: in one exchange where
// requests may follow one another. What the server refuses is missing: a register
// is not set, a window is nil or shorter than it should be. The windows are the
// caller's.
func (c *Client) Registers(ctx context.Context, extra []snapshot.Reg, windows []Window) (regs snapshot.Registers, memory [][]byte, err error) {
	if !c.halted {
		return regs, nil, fmt.Errorf("gdbremote: read registers: %w", ErrRunning)
	}
	if c.layout.inG < 0 {
		if err := c.measure(ctx); err != nil {
			return regs, nil, err
		}
	}
	c.requests = c.requests[:0]
	c.requestRegisters(extra)
	memory = make([][]byte, len(windows))
	for i, w := range windows {
		c.requestWindow(i, w)
	}
	packets := make([][]byte, len(c.requests))
	for i := range c.requests {
		packets[i] = c.requests[i].packet
	}
	err = c.exchange(ctx, packets, func(i int, answer []byte) error {
		return c.takePart(&c.requests[i], answer, &regs, memory)
	})
	return regs, memory, err
}

// base are the registers of every sample.
func base(arch snapshot.Arch) (all []snapshot.Reg) {
	if arch == snapshot.RV32 {
		all = append(all, snapshot.PC)
		for i := range snapshot.Reg(31) {
			all = append(all, snapshot.X0+1+i)
		}
		return all
	}
	for r := snapshot.R0; r <= snapshot.XPSR; r++ {
		all = append(all, r)
	}
	return all
}

// requestRegisters asks for all that g holds, and for the others one by one.
func (c *Client) requestRegisters(extra []snapshot.Reg) {
	var asked snapshot.RegSet
	if c.layout.inG > 0 {
		c.requests = append(c.requests, request{packet: []byte("g"), kind: askAll})
	}
	for _, list := range [2][]snapshot.Reg{base(c.arch), extra} {
		for _, r := range list {
			if int(r) < snapshot.NumRegs && c.Has(r) && !asked.Has(r) {
				asked.Add(r)
				c.requestRegister(r)
			}
		}
	}
}

func (c *Client) requestRegister(r snapshot.Reg) {
	parts := [4]place{c.layout.at[r]}
	if isControl(r) {
		parts = c.layout.controls[r]
	}
	for i, p := range parts {
		if p.size > 0 && p.offset+p.size > c.layout.inG {
			c.requests = append(c.requests, request{packet: fmt.Appendf(nil, "p%x", p.num), kind: askRegister, reg: r, part: i, size: p.size})
		}
	}
}

// requestWindow asks for memory, in pieces that fit the server's packets.
func (c *Client) requestWindow(i int, w Window) {
	for done := 0; done < w.Size; {
		n := min(w.Size-done, c.mostRead())
		c.requests = append(c.requests, request{packet: c.readRequest(w.Addr+uint32(done), n), kind: askMemory, window: i, offset: done, size: n})
		done += n
	}
}

// takePart takes one answer. A part of memory behind a missing one is dropped, so
// that what there is of a window begins at its address.
func (c *Client) takePart(r *request, answer []byte, regs *snapshot.Registers, memory [][]byte) error {
	switch r.kind {
	case askAll:
		return c.takeAll(answer, regs)
	case askRegister:
		return c.takeRegister(r, answer, regs)
	}
	p, err := c.memoryOf(r.packet, answer, r.size)
	if isRefusal(answer) {
		return nil
	}
	if err != nil {
		return err
	}
	if got := memory[r.window]; len(got) == r.offset {
		memory[r.window] = append(got, p...)
	}
	return nil
}

// takeAll takes the answer to g: digits, "x" where a register is not available.
func (c *Client) takeAll(answer []byte, regs *snapshot.Registers) error {
	if isRefusal(answer) {
		return nil
	}
	if len(answer) != 2*c.layout.inG { // it is the answer to something else
		return answerError("g", answer)
	}
	for r := range c.layout.at {
		reg := snapshot.Reg(r)
		if isControl(reg) {
			continue
		}
		if p := c.layout.at[r]; p.size > 0 && 2*(p.offset+p.size) <= len(answer) {
			if err := set(regs, reg, 0, answer[2*p.offset:2*(p.offset+p.size)]); err != nil {
				return err
			}
		}
	}
	for reg, parts := range c.layout.controls {
		for i, p := range parts {
			if p.size > 0 && 2*(p.offset+p.size) <= len(answer) {
				if err := set(regs, reg, i, answer[2*p.offset:2*(p.offset+p.size)]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// takeRegister takes the answer to p. What is refused once is not asked again.
func (c *Client) takeRegister(r *request, answer []byte, regs *snapshot.Registers) error {
	if isRefusal(answer) {
		if r.part == 0 {
			c.refused.Add(r.reg)
		}
		return nil
	}
	return set(regs, r.reg, r.part, answer)
}

// set enters a register as the wire has it: little-endian, in digits. The parts of
// a CONTROL add up; without the first there is none.
func set(regs *snapshot.Registers, reg snapshot.Reg, part int, digits []byte) error {
	if bytes.ContainsAny(digits, "xX") {
		return nil // not available
	}
	var raw [8]byte
	if len(digits) > 2*len(raw) {
		return answerError("register "+reg.String(), digits)
	}
	if _, err := hex.Decode(raw[:], digits); err != nil {
		return answerError("register "+reg.String(), digits)
	}
	v := binary.LittleEndian.Uint64(raw[:])
	if v>>32 != 0 || len(digits) == 0 {
		return answerError("register "+reg.String(), digits)
	}
	if !isControl(reg) {
		regs.Set(reg, uint32(v))
		return nil
	}
	whole, have := regs.Value(reg)
	if have || part == 0 {
		regs.Set(reg, whole|uint32(v)&0xff<<(24-8*part))
	}
	return nil
}
