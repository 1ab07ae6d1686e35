package cmsdk

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/mprof/mprof/sim/armv7m"
)

const base = 0x40004000

// got is a byte on the line and its cycle.
type got struct {
	b  byte
	at uint64
}

// rig is a core that does nothing, with a UART whose registers the test uses.
type rig struct {
	testing.TB
	core *armv7m.Core
	uart *UART
	host []got
}

func newRig(t testing.TB) *rig {
	r := &rig{TB: t, uart: NewUART(Interrupts{RX: 0, TX: 1, Overrun: &Shared{IRQ: 12}}, 1000)}
	rom := make([]byte, 0x200)
	binary.LittleEndian.PutUint32(rom, 0x20000400)
	binary.LittleEndian.PutUint32(rom[4:], 0x101)
	binary.LittleEndian.PutUint16(rom[0x100:], 0xe7fe) // b .
	core, err := armv7m.New(armv7m.Config{
		Regions: []armv7m.Region{{Base: 0, Data: rom, ROM: true}, {Base: 0x20000000, Data: make([]byte, 0x400)}},
		Mounts:  []armv7m.Mount{{Base: base, Size: 0x1000, Device: r.uart}},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.core = core
	r.uart.Attach(core)
	r.uart.Line.ToHost = func(b byte, at uint64) { r.host = append(r.host, got{b, at}) }
	return r
}

func (r *rig) write(offset, v uint32) {
	r.Helper()
	if !r.core.WriteBus(base+offset, 4, v) {
		r.Fatalf("write 0x%x: bus error", offset)
	}
}

func (r *rig) want(what string, offset, want uint32) {
	r.Helper()
	if v, ok := r.core.ReadBus(base+offset, 4); !ok || v != want {
		r.Errorf("%s: register 0x%x is 0x%x, want 0x%x", what, offset, v, want)
	}
}

// pending are the interrupts that are pending, and takes them back.
func (r *rig) pending() uint32 {
	v, _ := r.core.ReadBus(0xe000e200, 4)
	r.core.WriteBus(0xe000e280, 4, 0xffffffff)
	return v
}

func (r *rig) run(cycles uint64) { r.core.Run(r.core.Cycles() + cycles) }

// DDI 0479C, table 4-5: what registers hold after reset.
func TestReset(t *testing.T) {
	r := newRig(t)
	for range 2 {
		for _, offset := range []uint32{regDATA, regSTATE, regCTRL, regINTSTAT, regBAUDDIV} {
			r.want("reset", offset, 0)
		}
		r.write(regCTRL, 0xffffffff)
		r.want("writable", regCTRL, 0x7f)
		r.write(regBAUDDIV, 0xffffffff)
		r.want("writable", regBAUDDIV, 0xfffff)
		r.write(regBAUDDIV, 16)
		r.write(regDATA, 'x')
		r.core.Reset()
	}
	if r.run(1000); len(r.host) != 0 {
		t.Errorf("a byte went on over a reset: %v", r.host)
	}
	for i, want := range []uint32{0x04, 0, 0, 0, 0x21, 0xb8, 0x1b, 0, 0x0d, 0xf0, 0x05, 0xb1} {
		r.want("identification", 0xfd0+4*uint32(i), want)
	}
}

// Two bytes: one in the shift register, one in the buffer, one behind the other,
// ten times BAUDDIV cycles each.
func TestTransmit(t *testing.T) {
	r := newRig(t)
	r.write(regBAUDDIV, 217)
	r.write(regCTRL, ctrlTX|ctrlTXInt)
	start := r.core.Cycles()
	r.write(regDATA, 'a')
	r.want("buffer moved on", regSTATE, 0)
	r.want("buffer went empty", regINTSTAT, intTX)
	if n := r.pending(); n != 1<<1 {
		t.Errorf("pending 0x%x", n)
	}
	r.write(regINTSTAT, intTX)
	r.want("cleared", regINTSTAT, 0)
	r.pending()
	r.write(regDATA, 'b')
	r.want("buffer waits", regSTATE, stateTXFull)
	r.run(2169 - 3)
	r.want("frame under way", regSTATE, stateTXFull)
	if len(r.host) != 0 {
		t.Errorf("%v before 2170 cycles", r.host)
	}
	r.run(6)
	r.want("second frame", regSTATE, 0)
	r.want("second frame", regINTSTAT, intTX)
	r.run(5000)
	if want := []got{{'a', start + 2170}, {'b', start + 4340}}; !slices.Equal(r.host, want) {
		t.Errorf("%v, want %v", r.host, want)
	}
}

// A byte more than the buffer holds is an overrun, and takes the other's place.
func TestTransmitOverrun(t *testing.T) {
	r := newRig(t)
	r.write(regBAUDDIV, 100)
	r.write(regCTRL, ctrlTX)
	for _, b := range "abc" {
		r.write(regDATA, uint32(b))
	}
	r.want("overrun", regSTATE, stateTXFull|stateTXOverrun)
	r.want("not enabled", regINTSTAT, 0)
	r.write(regCTRL, ctrlTX|1<<4)
	r.want("enabled", regINTSTAT, stateTXOverrun)
	if n := r.pending(); n&(1<<12) == 0 {
		t.Errorf("pending 0x%x", n)
	}
	r.write(regSTATE, 0xffffffff)
	r.want("cleared by STATE", regSTATE, stateTXFull)
	r.want("cleared by STATE", regINTSTAT, 0)
	r.run(3000)
	if len(r.host) != 2 || r.host[1].b != 'c' {
		t.Errorf("%v", r.host)
	}
}

// Without an enable or a rate nothing goes out, and then it does.
func TestTransmitWaits(t *testing.T) {
	r := newRig(t)
	r.write(regDATA, 'a')
	r.write(regBAUDDIV, 15)
	r.write(regCTRL, ctrlTX)
	r.run(10_000)
	r.want("no rate", regSTATE, stateTXFull)
	r.write(regBAUDDIV, 16)
	r.run(164)
	if len(r.host) != 1 {
		t.Errorf("%v", r.host)
	}
	r.write(regCTRL, 0)
	r.write(regDATA, 'b')
	r.run(10_000)
	r.want("not enabled", regSTATE, stateTXFull)
	r.write(regCTRL, ctrlTX|ctrlTest)
	r.run(14)
	if len(r.host) != 2 {
		t.Errorf("test mode: %v", r.host)
	}
}

func TestReceive(t *testing.T) {
	r := newRig(t)
	r.uart.Line.Send([]byte("x"), 0)
	r.run(2000)
	r.want("receiver off", regSTATE, 0)
	r.write(regBAUDDIV, 50)
	r.write(regCTRL, ctrlRX|ctrlRXInt)
	r.pending()
	r.uart.Line.Send([]byte("ab"), r.core.Cycles()+100)
	r.run(596)
	r.want("before the stop bit is through", regSTATE, 0)
	r.run(8)
	r.want("received", regSTATE, stateRXFull)
	r.want("received", regINTSTAT, intRX)
	if n := r.pending(); n != 1 {
		t.Errorf("pending 0x%x", n)
	}
	r.write(regINTSTAT, intRX)
	r.want("data", regDATA, 'a')
	r.want("read", regSTATE, 0)
	r.run(500)
	r.want("data", regDATA, 'b')
}

// What the program does not read is overwritten, and STATE says so.
func TestReceiveOverrun(t *testing.T) {
	r := newRig(t)
	r.write(regBAUDDIV, 50)
	r.write(regCTRL, ctrlRX|1<<5)
	r.uart.Line.Send([]byte("abc"), 0)
	r.run(1600)
	r.want("overrun", regSTATE, stateRXFull|stateRXOverrun)
	r.want("overrun", regINTSTAT, stateRXOverrun)
	if n := r.pending(); n&(1<<12) == 0 {
		t.Errorf("pending 0x%x", n)
	}
	r.write(regINTSTAT, stateRXOverrun)
	r.want("cleared by INTCLEAR", regSTATE, stateRXFull)
	r.want("data", regDATA, 'c')
}
