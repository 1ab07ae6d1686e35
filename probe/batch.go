package probe

import (
	"context"
	"errors"
)

// batch is a list of transfers, cut into DAP_Transfer packets that fit.
type batch struct {
	limit             int // bytes of a request and of a response
	reqs              []Req
	ends              []int // of each finished packet, in reqs
	request, response int   // bytes of the packet being filled
	requests, replies [][]byte
}

// transferHeader is what DAP_Transfer takes before its requests and before
// its data: 3 bytes each.
const transferHeader = 3

func (b *batch) reset(limit int) {
	b.limit, b.reqs, b.ends = limit, b.reqs[:0], b.ends[:0]
	b.request, b.response = transferHeader, transferHeader
}

// begin is where the packet being filled begins in reqs.
func (b *batch) begin() int {
	if n := len(b.ends); n > 0 {
		return b.ends[n-1]
	}
	return 0
}

// fits says whether the packet being filled has room for r.
func (b *batch) fits(r ...Req) bool {
	request, response := b.request, b.response
	for _, r := range r {
		request += r.RequestLen()
		response += r.ResponseLen()
	}
	return request <= b.limit && response <= b.limit && len(b.reqs)-b.begin()+len(r) <= MaxTransfers
}

// add puts r into the packet being filled, or into a new one.
func (b *batch) add(r Req) {
	if !b.fits(r) {
		b.cut()
	}
	b.reqs = append(b.reqs, r)
	b.request += r.RequestLen()
	b.response += r.ResponseLen()
}

// cut ends the packet being filled.
func (b *batch) cut() {
	if len(b.reqs) == b.begin() {
		return
	}
	b.ends = append(b.ends, len(b.reqs))
	b.request, b.response = transferHeader, transferHeader
}

// packet is the requests of packet i.
func (b *batch) packet(i int) []Req {
	if i == 0 {
		return b.reqs[:b.ends[0]]
	}
	return b.reqs[b.ends[i-1]:b.ends[i]]
}

// run sends all packets of p.batch, pipelined, and gives each answer to take.
// At the first transfer that is refused take gets what came before it, and no
// more. When a response is lost take gets nothing: CMSIS-DAP does not number
// responses, so any of them may be the next one's.
func (p *Probe) run(ctx context.Context, take func(data []uint32)) error {
	b := &p.batch
	b.cut()
	b.requests = grow(b.requests, len(b.ends))
	for i := range b.ends {
		b.requests[i] = AppendTransfer(b.requests[i][:0], b.packet(i))
	}
	got, err := p.Exchange(ctx, b.requests, b.replies)
	if cap(got) > cap(b.replies) {
		b.replies = got
	}
	if err != nil {
		return err
	}
	for i, r := range got {
		_, err := ParseTransfer(r, b.packet(i), &p.answer)
		if errors.Is(err, ErrResponse) {
			p.outOfStep = true
			return err
		}
		take(p.answer.Data)
		if err != nil {
			return err
		}
	}
	return nil
}
