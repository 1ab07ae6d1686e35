package cortexm

import (
	"context"
	"fmt"

	"github.com/mprof/mprof/probe"
)

// packet is what goes to the probe at once: DAP_ExecuteCommands around its
// transfers, or a lone one as it is.
type packet struct {
	transfers []*transfer
	raw       []byte
}

// limits are what one probe can take.
type limits struct {
	bytes   int  // most bytes in a request or a response
	execute bool // DAP_ExecuteCommands is there, and goes on behind a transfer that failed
	delay   bool // DAP_ExecuteCommands is there, so that a delay can stand before a transfer
	clock   bool // timestamps are there
}

// limitsOf keeps packets below the packet size, so that no zero-length packet
// is needed to end one (cmsis-dap.md section 2).
func limitsOf(p *probe.Probe) limits {
	info := p.Info()
	return limits{bytes: info.PacketSize - 1, execute: p.HasExecuteCommands(), delay: p.HasExecuteCommands(), clock: info.TimestampHz != 0}
}

// pack lays transfers into as few packets as the limits allow, in order. A
// transfer that is larger than a packet is a mistake of the planner.
func pack(l limits, transfers []*transfer) (packets []*packet, err error) {
	for _, t := range transfers {
		if n := len(packets); n > 0 && l.execute {
			p := packets[n-1]
			p.transfers = append(p.transfers, t)
			if p.encode(); p.fits(l) {
				continue
			}
			p.transfers = p.transfers[:len(p.transfers)-1]
			p.encode()
		}
		p := &packet{transfers: []*transfer{t}}
		p.encode()
		if !p.fits(l) {
			q, r := t.bytes()
			return nil, fmt.Errorf("cortexm: a transfer of %d+%d bytes does not fit a packet of %d", q, r, l.bytes)
		}
		packets = append(packets, p)
	}
	return packets, nil
}

// fits tells whether request and response stay within the limits, whichever way
// the probe takes: it would write past its buffer.
func (p *packet) fits(l limits) bool {
	return len(p.raw) <= l.bytes && longestResponse(p) <= l.bytes
}

// commands is their number.
func (p *packet) commands() (n int) {
	for _, t := range p.transfers {
		n++
		if t.delay > 0 {
			n++
		}
	}
	return n
}

// wrapped tells whether DAP_ExecuteCommands is around them.
func (p *packet) wrapped() bool { return p.commands() > 1 }

func (p *packet) encode() {
	p.raw = p.raw[:0]
	if p.wrapped() {
		p.raw = probe.AppendExecute(p.raw, p.commands())
	}
	for _, t := range p.transfers {
		p.raw = t.encode(p.raw)
	}
}

// parse fills the answers of the packet's transfers. Its error means that the
// response is no response to this packet; what a target refused is in
// transfer.err.
func (p *packet) parse(response []byte) (err error) {
	if p.wrapped() {
		if response, err = probe.ParseExecute(response, p.commands()); err != nil {
			return err
		}
	}
	for _, t := range p.transfers {
		if response, err = t.parse(response); err != nil {
			return err
		}
	}
	return nil
}

// forget makes the answers those of a packet that was not sent.
func (p *packet) forget() {
	for _, t := range p.transfers {
		t.answer, t.err = probe.Answer{Data: t.answer.Data[:0], Stamps: t.answer.Stamps[:0]}, errNotDone
	}
}

// sequence is the packets of one transaction, and room for their responses.
type sequence struct {
	packets   []*packet
	requests  [][]byte
	responses [][]byte
}

func newSequence(l limits, transfers []*transfer) (*sequence, error) {
	packets, err := pack(l, transfers)
	if err != nil {
		return nil, err
	}
	return sequenceOf(packets...), nil
}

func sequenceOf(packets ...*packet) *sequence {
	s := &sequence{packets: packets}
	for _, p := range packets {
		s.requests = append(s.requests, p.raw)
		s.responses = append(s.responses, nil)
	}
	return s
}

// run does the transaction: all packets are sent before the first response is
// waited for, as far as the probe buffers them. Whoever calls it invalidates
// what the probe driver believes of SELECT, CSW and TAR.
func (s *sequence) run(ctx context.Context, p *probe.Probe) error {
	for _, q := range s.packets {
		q.forget()
	}
	responses, err := p.Exchange(ctx, s.requests, s.responses)
	copy(s.responses, responses)
	for i, r := range responses {
		if i < len(s.packets) {
			if e := s.packets[i].parse(r); e != nil && err == nil {
				err = e
			}
		}
	}
	return err
}
