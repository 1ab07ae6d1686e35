package adi

import (
	"math/bits"
	"testing"
)

// drop is a wire with several ports, driven bit by bit.
type drop struct {
	wire  *Wire
	buses []*memory
}

// out drives and in samples.
func (d *drop) out(v uint64, n int) {
	for i := range n {
		d.wire.Clock(true, v>>i&1 != 0)
	}
}

func (d *drop) in(n int) (v uint64) {
	for i := range n {
		if d.wire.Clock(false, false) {
			v |= 1 << i
		}
	}
	return v
}

func (d *drop) sequence(b ...byte) {
	for _, v := range b {
		d.out(uint64(v), 8)
	}
}

func (d *drop) lineReset() { d.sequence(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0) }

func (d *drop) targetsel(v uint32) {
	d.out(0x99, 8)
	d.in(5)
	d.out(uint64(v)|uint64(bits.OnesCount32(v)&1)<<32, 33)
	d.out(0, 2)
}

// read and write are single transfers; the acknowledge is returned.
func (d *drop) read(req uint8) (ack uint8, v uint32) {
	d.out(0x81|uint64(req)<<1|uint64(bits.OnesCount8(req)&1)<<5, 8)
	d.in(1)
	if ack = uint8(d.in(3)); ack != OK {
		d.in(34)
		return ack, 0
	}
	data := d.in(33)
	d.in(1)
	if uint64(bits.OnesCount32(uint32(data))&1) != data>>32 {
		return 8, uint32(data)
	}
	return ack, uint32(data)
}

func (d *drop) write(req uint8, v uint32) uint8 {
	d.out(0x81|uint64(req)<<1|uint64(bits.OnesCount8(req)&1)<<5, 8)
	d.in(1)
	ack := uint8(d.in(3))
	d.in(1)
	if ack == OK {
		d.out(uint64(v)|uint64(bits.OnesCount32(v)&1)<<32, 33)
	}
	return ack
}

func newDrop(silent bool) *drop {
	d := &drop{}
	var ports []*Port
	for i := range uint32(3) {
		d.buses = append(d.buses, &memory{})
		ports = append(ports, NewPort(Config{Bus: d.buses[i], TARGETID: 0x01002927, Instance: i, Multidrop: silent}))
	}
	d.wire = NewWire(ports...)
	d.sequence(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x9e, 0xe7)
	return d
}

// TARGETSEL picks one of several ports by its instance: it alone answers, and
// its memory alone is written, until the next line reset.
func TestMultidrop(t *testing.T) {
	for _, silent := range []bool{true, false} {
		d := newDrop(silent)
		for i := range uint32(3) {
			d.lineReset()
			d.targetsel(i<<28 | 0x01002927)
			if ack, _ := d.read(rDPIDR); ack != OK {
				t.Fatalf("port %d: acknowledge %d", i, ack)
			}
			if !d.wire.Settled() || d.wire.Selected() != d.wire.lines[i].port {
				t.Errorf("port %d is not the settled one", i)
			}
			d.write(wSELECT, 3)
			if _, v := d.read(rCTRLSTAT); v != i<<28|1 {
				t.Errorf("port %d: DLPIDR 0x%08x", i, v)
			}
			d.write(wSELECT, 0)
			d.write(wCTRLSTAT, 0x50000000)
			d.write(wA0, 0x23000012)
			d.write(wA4, 0x20000000)
			d.write(wAC, 0x100+i)
		}
		for i, b := range d.buses {
			if len(b.log) != 1 || b.data[0] != byte(i) {
				t.Errorf("bus %d: %d accesses, %d", i, len(b.log), b.data[0])
			}
		}
	}
}

// Without TARGETSEL silent ports do not answer; others answer together, and
// where they differ a low level wins: the parity tells.
func TestMultidropWithoutTARGETSEL(t *testing.T) {
	d := newDrop(true)
	d.lineReset()
	if ack, _ := d.read(rDPIDR); ack != NoAck {
		t.Errorf("acknowledge %d", ack)
	}
	d = newDrop(false)
	d.lineReset()
	if ack, v := d.read(rDPIDR); ack != OK || v != 0x0be12477 || d.wire.Settled() {
		t.Errorf("acknowledge %d, 0x%08x, settled %v", ack, v, d.wire.Settled())
	}
	d.write(wSELECT, 3)
	if ack, v := d.read(rCTRLSTAT); v != 1 { // instances 0, 1, 2 at once
		t.Errorf("DLPIDR: acknowledge %d, 0x%08x", ack, v)
	}
	d.lineReset()
	d.targetsel(0x21002927 + 1)
	if ack, _ := d.read(rDPIDR); ack != NoAck || d.wire.Named(2) != 0 {
		t.Errorf("nobody was named, acknowledge %d", ack)
	}
}

// ADIv6: DPIDR is banked, a ROM table lists the ports, each has its registers
// at 0xD00, and what is nowhere is an error.
func TestADIv6(t *testing.T) {
	buses := []*memory{{}, {}}
	b := &bench{T: t}
	b.Port = NewPort(Config{DPIDR: 0x4c013477, Ports: []AccessPort{
		{Addr: 0x2000, IDR: 0x34770008, Bus: buses[0]}, {Addr: 0x4000, IDR: 0x34770008, Bus: buses[1]}}})
	b.Port.Write(wCTRLSTAT, 0x50000000, true)
	for bank, want := range []uint32{0x4c013477, 32, 1, 0} {
		b.Port.Write(wSELECT, uint32(bank), true)
		if v := b.Port.Read(rDPIDR); v != want {
			t.Errorf("DP address 0, bank %d: 0x%08x, want 0x%08x", bank, v, want)
		}
	}
	at := func(addr uint32) uint32 {
		b.Port.Write(wSELECT, addr&^0xf, true)
		b.Port.Read(APnDP | RnW | uint8(addr&0xc))
		return b.Port.Read(rRDBUFF)
	}
	for addr, want := range map[uint32]uint32{
		0: 0x2003, 4: 0x4003, 8: 0, 0xff4: 0x90, 0xfbc: 0x47700af7,
		0x2dfc: 0x34770008, 0x2fbc: 0x47700a17, 0x4d00: 0x23000042,
	} {
		if v := at(addr); v != want {
			t.Errorf("0x%04x: 0x%08x, want 0x%08x", addr, v, want)
		}
	}
	b.Port.Write(wSELECT, 0x4d00, true)
	b.Port.Write(wA4, 0x20000010, true)
	b.Port.Write(wAC, 7, true)
	if len(buses[0].log) != 0 || len(buses[1].log) != 1 {
		t.Errorf("%d and %d accesses", len(buses[0].log), len(buses[1].log))
	}
	at(0x9000)
	if b.Port.Request(rAC) != FAULT {
		t.Error("no error where nothing is")
	}
}
