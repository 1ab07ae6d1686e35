package probe

import "context"

// Stream keeps requests under way for a caller that takes the responses one by
// one and has work of its own meanwhile. Requests go out as long as there is
// Room; responses come in the order of the requests. Nothing else may use the
// probe until all have come or the stream is given up: what is still under way
// then is taken off the connection before the next exchange.
//
// Errors are those of Exchange. After one the stream is over.
type Stream struct {
	p        *Probe
	commands []byte // of the requests under way, oldest first
}

// NewStream begins with an idle connection.
func (p *Probe) NewStream(ctx context.Context) (*Stream, error) {
	if err := p.settle(ctx); err != nil {
		return nil, err
	}
	return &Stream{p: p}, nil
}

// Room is how many more requests the probe has buffers for.
func (s *Stream) Room() int { return s.p.info.PacketCount - s.p.owed }

// Send sends one request. It is not kept.
func (s *Stream) Send(ctx context.Context, request []byte) error {
	if err := s.p.checkRequest(request); err != nil {
		return err
	}
	if err := s.p.write(ctx, request); err != nil {
		return err
	}
	s.commands = append(s.commands, request[0])
	return nil
}

// Receive waits for the response to the oldest request under way. It is in dst
// where that is large enough.
func (s *Stream) Receive(ctx context.Context, dst []byte) ([]byte, error) {
	id := s.commands[0]
	s.commands = s.commands[:copy(s.commands, s.commands[1:])]
	return s.p.hear(ctx, dst, id)
}
