package probe

import (
	"context"
	"fmt"
)

// Converse is Exchange for a host that decides on the way: after each response
// heard says which requests follow those that are already sent or waiting. i
// counts the responses from 0. What is under way goes on meanwhile, so that the
// probe has work while the host thinks.
//
// Response and answer are valid until the next call of heard. Errors are those
// of Exchange.
func (p *Probe) Converse(ctx context.Context, requests [][]byte, heard func(i int, response []byte) [][]byte) error {
	if err := p.settle(ctx); err != nil {
		return err
	}
	queue := append([][]byte(nil), requests...)
	var buffer []byte
	for sent, got := 0, 0; got < len(queue); got++ {
		for ; sent < len(queue) && p.owed < p.info.PacketCount; sent++ {
			r := queue[sent]
			if len(r) == 0 || len(r) > p.transport.PacketSize() {
				return fmt.Errorf("probe: request of %d bytes, packets have at most %d", len(r), p.transport.PacketSize())
			}
			if err := p.write(ctx, r); err != nil {
				return err
			}
		}
		id := queue[got][0]
		r, err := p.read(ctx, buffer, id)
		if err != nil {
			return err
		}
		buffer = r
		if r[0] != id && r[0] != cmdInvalid {
			p.outOfStep = true
			return fmt.Errorf("probe: %w", badResponse(commandName(id), r))
		}
		queue = append(queue, heard(got, r)...)
	}
	return nil
}
