package probe

import (
	"bytes"
	"context"
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
			if err := p.checkRequest(r); err != nil {
				return err
			}
			if err := p.write(ctx, r); err != nil {
				return err
			}
		}
		r, err := p.hear(ctx, buffer, queue[got][0])
		if err != nil {
			return err
		}
		buffer = r
		for _, next := range heard(got, r) {
			queue = append(queue, bytes.Clone(next)) // it may wait longer than heard keeps it
		}
	}
	return nil
}
