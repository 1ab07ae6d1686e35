package cortexm

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/snapshot"
)

// dice hands out the bytes of a fuzzer's input, then zeros.
type dice struct{ p []byte }

func (d *dice) byte() byte {
	if len(d.p) == 0 {
		return 0
	}
	v := d.p[0]
	d.p = d.p[1:]
	return v
}

func (d *dice) word() uint32 {
	var b [4]byte
	d.p = d.p[copy(b[:], d.p):]
	return binary.LittleEndian.Uint32(b[:])
}

// acks are what transfers end with, mostly well.
var acks = [...]probe.Ack{probe.OK, probe.OK, probe.OK, probe.OK | probe.Mismatch, probe.WAIT, probe.FAULT, probe.NoAck, probe.Protocol, probe.FAULT | probe.Mismatch, 0, 3}

// answer makes a response to t that has the form of one. A word is a status
// that lets registers pass, or anything.
func (d *dice) answer(dst []byte, t *transfer) []byte {
	if t.delay > 0 {
		dst = append(dst, 9, d.byte()&0x80)
	}
	ack := acks[int(d.byte())%len(acks)]
	word := func() {
		v := d.word()
		if d.byte()&1 == 0 {
			v = sHalt | sRegRdy | 3
		}
		dst = appendWord(dst, v)
	}
	if t.block > 0 {
		n := t.block
		if ack != probe.OK {
			n = int(d.byte()) % (t.block + 1)
		}
		dst = append(dst, 6, byte(n), byte(n>>8), byte(ack))
		for range n {
			word()
		}
		return dst
	}
	n := len(t.reqs)
	if ack != probe.OK {
		n = int(d.byte()) % (n + 1)
	}
	dst = append(dst, 5, byte(n), byte(ack))
	for _, r := range t.reqs[:n] {
		for range r.ResponseLen() / 4 {
			word()
		}
	}
	return dst
}

// respond makes the response to a packet: of the right form, or cut, or any
// bytes at all.
func (d *dice) respond(p *packet) (r []byte) {
	form := d.byte()
	if form >= 0xF0 {
		n := min(int(d.byte()), len(d.p))
		r, d.p = bytes.Clone(d.p[:n]), d.p[n:]
		return r
	}
	if p.wrapped() {
		r = append(r, 0x7F, byte(p.commands()))
	}
	for _, t := range p.transfers {
		r = d.answer(r, t)
	}
	if form >= 0xE0 {
		r = r[:len(r)-int(d.byte())%len(r)]
	}
	return r
}

// FuzzCapture: whatever the probe answers to a sample, nothing panics, and each
// register and word of the stack is one that was in the answer.
func FuzzCapture(f *testing.F) {
	f.Add(uint8(0), []byte{})
	f.Add(uint8(1), []byte{0, 3, 0, 1, 0, 0, 0, 7})
	f.Add(uint8(2), bytes.Repeat([]byte{0xF1, 40, 0x7F, 4, 5, 17, 1}, 30))
	f.Add(uint8(3), bytes.Repeat([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 60))
	f.Add(uint8(0x8e), append([]byte{0x0f, 0, 0xff}, bytes.Repeat([]byte{0xbe}, 115)...)) // shared words of no alternative
	shapes := captureShapes(f)
	f.Fuzz(func(t *testing.T, which uint8, input []byte) {
		s := shapes[int(which)%len(shapes)]
		d := dice{p: input}
		c := &capture{list: s.list}
		var all []byte
		for _, q := range s.packets {
			q.forget()
			response := d.respond(q)
			all = append(all, response...)
			_ = q.parse(response)
			c.collect(q.transfers)
		}
		checkCapture(t, c, all)
	})
}

// FuzzPCRead: the same for a block of PCs, and what it counts as lost is what
// it does not bring.
func FuzzPCRead(f *testing.F) {
	f.Add(uint8(0), []byte{6, 2, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Add(uint8(1), []byte{0, 0, 0, 1, 0, 0, 0})
	f.Add(uint8(6), bytes.Repeat([]byte{0, 3, 1, 2}, 40))
	f.Fuzz(func(t *testing.T, shape uint8, input []byte) {
		n := 1 + int(shape>>3)%14
		var p pcPacket
		switch l := (pcLayout{}); shape & 3 {
		case 0:
			p.block(l, n)
		case 1:
			p.check(l, n, 0, shape&4 != 0)
		case 2:
			p.check(l, n, time.Millisecond, shape&4 != 0)
		case 3:
			p.pause(l, time.Millisecond)
			n = 0
		}
		d := dice{p: input}
		p.response = d.respond(pcShape(&p))
		r := p.read([]int{64, 512}[shape>>7])
		if len(r.pcs) > n || r.lost < 0 || r.miss != snapshot.Taken && n > 0 && r.lost+len(r.pcs) != n {
			t.Fatalf("%d PCs and %d lost of %d, %v", len(r.pcs), r.lost, n, r.miss)
		}
		for _, v := range r.pcs {
			if !bytes.Contains(p.response, appendWord(nil, v)) {
				t.Fatalf("PC 0x%08x, which nobody sent", v)
			}
		}
	})
}

// pcShape is the packet as dice answers it.
func pcShape(p *pcPacket) *packet {
	q := &transfer{reqs: p.reqs}
	switch {
	case p.wrapped:
		return &packet{transfers: []*transfer{{delay: 1, block: 0, reqs: p.reqs}}}
	case p.n == 0:
		return &packet{transfers: []*transfer{{delay: 1}}}
	case !p.checked:
		q = &transfer{block: p.n}
	}
	return &packet{transfers: []*transfer{q}}
}

// captureShape is what a sample sends.
type captureShape struct {
	packets []*packet
	list    []alternative
}

// captureShapes are plans for large packets, in one and in several, and openings
// for small ones.
func captureShapes(t testing.TB) (shapes []captureShape) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 4 {
		p, err := testPlanner(512, 1+i).make(randomWants(r), 0)
		if err != nil {
			t.Fatal(err)
		}
		shapes = append(shapes, captureShape{p.seq.packets, p.list})
	}
	for _, execute := range []bool{false, true} {
		pl := bareProbe()
		pl.l.execute, pl.l.delay = execute, execute
		g := pl.guess(twoStacks())
		o, err := pl.open(pl.regs, g)
		if err != nil {
			t.Fatal(err)
		}
		shapes = append(shapes, captureShape{o.packets, g.list})
	}
	return shapes
}

// checkCapture wants everything that was captured to be in the responses, but SP,
// which an exact match tells.
func checkCapture(t *testing.T, c *capture, responses []byte) {
	has := func(v uint32) bool { return bytes.Contains(responses, appendWord(nil, v)) }
	for r := range snapshot.Reg(snapshot.NumRegs) {
		told := func(a alternative) bool {
			v, _ := c.regs.Value(r)
			return r == snapshot.SP && a.exact() && a.value == v
		}
		if v, ok := c.regs.Value(r); ok && !has(v) && !slices.ContainsFunc(c.list, told) {
			t.Fatalf("register %v is 0x%08x, which nobody sent", r, v)
		}
	}
	stack := 0
	for _, w := range c.joined() {
		stack += len(w.Data)
		for i := 0; i+4 <= len(w.Data); i += 4 {
			if v := binary.LittleEndian.Uint32(w.Data[i:]); !has(v) {
				t.Fatalf("0x%08x holds 0x%08x, which nobody sent", w.Addr+uint32(i), v)
			}
		}
	}
	if stack > len(responses) {
		t.Fatalf("%d bytes of stack in %d bytes of responses", stack, len(responses))
	}
	_ = c.state()
	_, _ = c.haltedTime(1_000_000)
}
