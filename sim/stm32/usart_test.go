package stm32

import (
	"slices"
	"testing"
)

const usart2IRQ = 38

// Two bytes behind the idle frame, ten bits of BRR cycles of the bus each.
func TestTransmit(t *testing.T) {
	r := newRig(t)
	r.enable()
	r.write(rccBase+0x08, 5<<10) // APB1 by 4
	r.write(usart2Base+0x08, 0x45)
	r.write(usart2Base+0x0c, cr1UE|cr1TE)
	start := r.core.Cycles()
	r.write(usart2Base+0x04, 'a')
	r.want("behind the idle frame", usart2Base, srTC)
	const frame = 10 * 0x45 * 4
	r.run(frame + 4)
	r.want("shifting", usart2Base, srTC|srTXE)
	r.write(usart2Base+0x04, 'b') // SR was read: TC goes
	r.want("both", usart2Base, 0)
	r.run(frame)
	r.want("second", usart2Base, srTXE)
	r.run(frame)
	r.want("complete", usart2Base, srTXE|srTC)
	if want := []got{{'a', start + 2*frame}, {'b', start + 3*frame}}; !slices.Equal(r.host["USART2"], want) {
		t.Errorf("%v, want %v", r.host["USART2"], want)
	}
	r.write(usart2Base, ^uint32(srTC))
	r.want("TC written 0", usart2Base, srTXE)
}

// Frames of other lengths, and sampling by 8.
func TestFrames(t *testing.T) {
	r := newRig(t)
	r.enable()
	for _, c := range []struct {
		brr, cr1, cr2 uint32
		want          uint64
		sends         byte // of 0xff
	}{
		{160, 0, 0, 1600, 0xff},
		{160, cr1M, 0, 1760, 0xff},
		{160, cr1PCE, 0, 1600, 0x7f},
		{160, cr1M | cr1PCE, 0, 1760, 0xff},
		{160, 0, 2 << 12, 1760, 0xff},
		{160, 0, 1 << 12, 1520, 0xff},
		{160, 0, 3 << 12, 1680, 0xff},
		{0x25, cr1OVER8, 0, 10 * (2*8 + 5), 0xff},
		{7, 0, 0, 0, 0},
	} {
		r.host = map[string][]got{}
		r.write(usart2Base+0x0c, 0)
		r.write(usart2Base+0x08, c.brr)
		r.write(usart2Base+0x10, c.cr2)
		r.write(usart2Base+0x0c, cr1UE|cr1TE|c.cr1)
		if n := r.chip.usarts[1].Frame(); n != c.want {
			t.Errorf("%+v: %d cycles", c, n)
		}
		if c.want == 0 {
			continue
		}
		r.write(usart2Base+0x04, 0xff)
		if r.run(4000); r.sent("USART2") != string([]byte{c.sends}) {
			t.Errorf("%+v: sent %q", c, r.sent("USART2"))
		}
	}
}

// RXNE, ORE and IDLE, and what clears them.
func TestReceive(t *testing.T) {
	r := newRig(t)
	r.enable()
	r.write(usart2Base+0x08, 100)
	r.write(usart2Base+0x0c, cr1UE|cr1RE)
	r.line(1)("a")
	r.run(996)
	r.want("before the stop bit is through", usart2Base, 0xc0)
	r.run(8)
	r.want("received", usart2Base, 0xc0|srRXNE)
	r.run(980)
	r.want("not yet idle", usart2Base, 0xc0|srRXNE)
	r.run(20)
	r.want("idle", usart2Base, 0xc0|srRXNE|srIDLE)
	r.want("data", usart2Base+0x04, 'a')
	r.want("SR and DR read", usart2Base, 0xc0)
	r.run(5000)
	r.want("idle is told once", usart2Base, 0xc0)
	r.line(1)("bcd")
	r.run(3010)
	r.want("overrun", usart2Base, 0xc0|srRXNE|srORE)
	r.want("the first is kept", usart2Base+0x04, 'b')
	r.want("cleared", usart2Base, 0xc0)
	r.line(1)("e")
	r.run(1004)
	r.write(usart2Base, ^uint32(srRXNE))
	r.want("RXNE written 0", usart2Base, 0xc0)
	// ORE is not cleared by DR alone.
	r.run(2000)
	r.read(usart2Base)
	r.read(usart2Base + 0x04)
	r.line(1)("fg")
	r.run(2010)
	r.read(usart2Base + 0x04)
	r.want("DR alone", usart2Base, 0xc0|srORE)
}

// Each source raises the interrupt with its enable and not without.
func TestInterrupts(t *testing.T) {
	r := newRig(t)
	r.enable()
	r.write(usart2Base+0x08, 100)
	r.write(usart2Base+0x0c, cr1UE|cr1TE|cr1RE)
	r.run(2000)
	if r.pending(usart2IRQ) {
		t.Error("TXE and TC without an enable")
	}
	for _, bit := range []uint32{cr1TXEIE, cr1TCIE} {
		r.write(usart2Base+0x0c, cr1UE|cr1TE|cr1RE|bit)
		if !r.pending(usart2IRQ) {
			t.Errorf("enable 0x%x: nothing", bit)
		}
		if !r.pending(usart2IRQ) {
			t.Errorf("enable 0x%x: the line is not a level", bit)
		}
	}
	r.write(usart2Base+0x0c, cr1UE|cr1RE|cr1RXNEIE)
	r.pending(usart2IRQ)
	r.line(1)("a")
	if r.run(1010); !r.pending(usart2IRQ) {
		t.Error("RXNE: nothing")
	}
	r.read(usart2Base)
	r.read(usart2Base + 0x04)
	r.pending(usart2IRQ)
	r.write(usart2Base+0x0c, cr1UE|cr1RE|cr1IDLEIE)
	if r.run(900); r.pending(usart2IRQ) {
		t.Error("idle too early")
	}
	if r.run(200); !r.pending(usart2IRQ) {
		t.Error("IDLE: nothing")
	}
}
