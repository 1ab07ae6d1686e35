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
// together says how many of what follows had better go out at once: where the
// probe has no room for them, more responses are read first, because every pause
// of the host between two requests is one of the probe. 0 or 1 sends as soon as
// there is room for one.
//
// Response and answer are valid until the next call of heard. Errors are those
// of Exchange.
func (p *Probe) Converse(ctx context.Context, requests [][]byte, heard func(i int, response []byte) (more [][]byte, together int)) error {
	if err := p.settle(ctx); err != nil {
		return err
	}
	queue := append([][]byte(nil), requests...)
	var buffer []byte
	together := 1
	for sent, got := 0, 0; got < len(queue); got++ {
		room := p.info.PacketCount - p.owed
		if sent < len(queue) && room < min(together, len(queue)-sent) && p.owed > 0 {
			room = 0
		}
		for ; sent < len(queue) && room > 0; sent, room = sent+1, room-1 {
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
		more, n := heard(got, r)
		if len(more) > 0 {
			together = max(1, n)
		}
		for _, next := range more {
			queue = append(queue, bytes.Clone(next)) // it may wait longer than heard keeps it
		}
	}
	return nil
}
