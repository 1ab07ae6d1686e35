package cortexm

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/snapshot"
)

// pcPackets are one of each kind, on a probe with packets of 64 bytes.
func pcPackets() []*pcPacket {
	l := newPCLayout(limits{bytes: 63, execute: true, delay: true}, Costs{Transfer: 5 * time.Microsecond}, 4)
	packets := make([]*pcPacket, 5)
	for i := range packets {
		packets[i] = &pcPacket{}
	}
	packets[0].block(l, l.most)
	packets[1].pause(l, 5*time.Microsecond)
	packets[2].check(l, l.most, 0, false)
	packets[3].check(l, l.delayed, 5*time.Microsecond, false)
	packets[4].check(l, l.both, 0, true)
	return packets
}

// pcAnswer is the response to a packet whose PCs are 0x08000000 and up, with DHCSR
// as given.
func pcAnswer(p *pcPacket, dhcsr uint32) (r []byte) {
	switch {
	case p.n == 0:
		return []byte{0x09, 0}
	case p.wrapped:
		r = []byte{0x7F, 2, 0x09, 0}
	}
	if p.checked {
		r = append(r, 0x05, byte(len(p.reqs)), 1)
		r = binary.LittleEndian.AppendUint32(r, dhcsr)
	} else {
		r = append(r, 0x06, byte(p.n), 0, 1)
	}
	for i := range p.n {
		r = binary.LittleEndian.AppendUint32(r, 0x08000000+2*uint32(i))
	}
	if p.both {
		r = binary.LittleEndian.AppendUint32(r, dhcsr)
	}
	return r
}

// Requests and responses of every kind fit the packet on every probe, and what
// was read comes back.
func TestPCPackets(t *testing.T) {
	for _, size := range []int{64, 512, 1024} {
		for _, slow := range []bool{false, true} {
			for _, delay := range []bool{false, true} {
				c := Costs{Transfer: 20 * time.Microsecond, RoundTrip: 2 * time.Millisecond}
				if slow {
					c.Packet = time.Second
				}
				l := newPCLayout(limits{bytes: size - 1, delay: delay}, c, 4)
				most := size - 1
				if slow {
					most = size // a report may be full
				}
				var all []*pcPacket
				add := func(f func(p *pcPacket)) {
					p := &pcPacket{}
					f(p)
					all = append(all, p)
				}
				add(func(p *pcPacket) { p.block(l, l.most) })
				add(func(p *pcPacket) { p.check(l, l.most, 0, false) })
				add(func(p *pcPacket) { p.check(l, l.both, 0, true) })
				if delay {
					add(func(p *pcPacket) { p.check(l, l.delayed, time.Millisecond, false) })
				}
				if l.waiting > 0 {
					add(func(p *pcPacket) { p.wait(l, l.waiting, time.Millisecond) })
				}
				for i, p := range all {
					p.response = pcAnswer(p, sSleep)
					if len(p.raw) > size-1 || len(p.response) > most {
						t.Errorf("%d bytes, slow %v, delay %v, packet %d: %d bytes out, %d back", size, slow, delay, i, len(p.raw), len(p.response))
					}
					r := p.read(size)
					if r.miss != snapshot.Taken || len(r.pcs) != p.n || r.pcs[p.n-1] != 0x08000000+2*uint32(p.n-1) || r.checked != p.checked || r.both != p.both {
						t.Errorf("%d bytes, packet %d: %+v", size, i, r)
					}
				}
			}
		}
	}
}

// A block that the target refuses half-way keeps what came before; a padded
// report, which does not say where that ends, keeps nothing.
func TestPCPacketCutShort(t *testing.T) {
	p := pcPackets()[0]
	p.response = append([]byte{0x06, 5, 0, byte(probe.WAIT)}, pcAnswer(p, 0)[4:4+4*4]...)
	if r := p.read(64); len(r.pcs) != 4 || r.lost != p.n-4 || r.miss != snapshot.TargetWait || r.strayed {
		t.Errorf("%+v", r)
	}
	p.response = append(p.response, make([]byte, 64-len(p.response))...)
	if r := p.read(64); len(r.pcs) != 0 || r.lost != p.n {
		t.Errorf("padded: %+v", r)
	}
	check := pcPackets()[2]
	check.response = pcAnswer(check, 1<<31) // no DHCSR
	if r := check.read(64); len(r.pcs) != 0 || r.lost != check.n || !r.strayed {
		t.Errorf("strayed: %+v", r)
	}
}

// Whatever a probe answers, every PC that was asked for came or is lost, for a
// reason.
func FuzzPCResponse(f *testing.F) {
	for i, p := range pcPackets() {
		f.Add(uint8(i), pcAnswer(p, 0x00030001))
		f.Add(uint8(i), pcAnswer(p, 1<<30))
	}
	f.Fuzz(func(t *testing.T, kind uint8, response []byte) {
		packets := pcPackets()
		p := packets[int(kind)%len(packets)]
		p.response = bytes.Clone(response[:min(len(response), 64)])
		r := p.read(64)
		if len(r.pcs)+r.lost != p.n || r.lost > 0 && r.miss == snapshot.Taken || r.miss == snapshot.Taken && r.checked != p.checked {
			t.Fatalf("%+v of %d", r, p.n)
		}
	})
}
