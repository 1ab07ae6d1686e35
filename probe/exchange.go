package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/mprof/mprof/schedule"
)

// Exchange sends requests and returns their responses in the same order. At
// most Info.PacketCount requests are under way at a time. The buffers in
// responses are used again where given (nil is fine), and grow as needed.
//
// On an error the responses that came are returned with it. What is still
// under way then is taken off the connection before the next exchange, so that
// no response is ever taken for another one's. Timeouts wrap ErrTimeout and
// name the command; the end of ctx is ctx.Err().
//
// Exchange does not know what the packets do: call Invalidate if they change
// SELECT, CSW or TAR.
func (p *Probe) Exchange(ctx context.Context, requests, responses [][]byte) ([][]byte, error) {
	for _, r := range requests {
		if err := p.checkRequest(r); err != nil {
			return responses[:0], err
		}
	}
	if err := p.settle(ctx); err != nil {
		return responses[:0], err
	}
	responses = grow(responses, len(requests))
	sent, got := 0, 0
	for got < len(requests) {
		for sent < len(requests) && p.owed < p.info.PacketCount {
			if err := p.write(ctx, requests[sent]); err != nil {
				return responses[:got], err
			}
			sent++
		}
		r, err := p.hear(ctx, responses[got], requests[got][0])
		if err != nil {
			return responses[:got], err
		}
		responses[got] = r
		got++
	}
	return responses, nil
}

// checkRequest rejects a packet that the transport does not carry.
func (p *Probe) checkRequest(r []byte) error {
	if size := p.transport.PacketSize(); len(r) == 0 || len(r) > size {
		return fmt.Errorf("probe: request of %d bytes, packets have at most %d", len(r), size)
	}
	return nil
}

// hear reads the response to the command id: a response begins with the
// command that it answers, or says that the probe does not know it.
func (p *Probe) hear(ctx context.Context, dst []byte, id byte) ([]byte, error) {
	r, err := p.read(ctx, dst, id)
	if err == nil && r[0] != id && r[0] != cmdInvalid {
		p.outOfStep = true
		err = fmt.Errorf("probe: %w", badResponse(commandName(id), r))
	}
	return r, err
}

// grow makes s n long and keeps the buffers that it has.
func grow(s [][]byte, n int) [][]byte {
	for cap(s) < n {
		s = append(s[:cap(s)], nil)
	}
	return s[:n]
}

// write hands one packet to the transport and counts it as owed: whether a
// write that failed was taken is not known.
func (p *Probe) write(ctx context.Context, request []byte) error {
	tctx, cancel := schedule.Patience(ctx, p.options.Timeout)
	defer cancel()
	p.owed++
	if err := p.transport.WritePacket(tctx, request); err != nil {
		p.outOfStep = true
		return p.transportError(ctx, "send "+commandName(request[0]), err)
	}
	return nil
}

// read waits for one response, in dst if it is large enough.
func (p *Probe) read(ctx context.Context, dst []byte, id byte) ([]byte, error) {
	if cap(dst) < p.transport.PacketSize() {
		dst = make([]byte, p.transport.PacketSize())
	}
	tctx, cancel := schedule.Patience(ctx, p.options.Timeout)
	defer cancel()
	n, err := p.transport.ReadPacket(tctx, dst[:p.transport.PacketSize()])
	if err != nil {
		p.outOfStep = true
		return nil, p.transportError(ctx, commandName(id), err)
	}
	p.owed--
	if n == 0 {
		p.outOfStep = true
		return nil, fmt.Errorf("probe: %w", badResponse(commandName(id), nil))
	}
	return dst[:n], nil
}

// transportError tells our own time limit from the end of the caller's ctx.
func (p *Probe) transportError(ctx context.Context, what string, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("probe: %s: %w (%v)", what, ErrTimeout, p.options.Timeout)
	}
	return fmt.Errorf("probe: %s: %w", what, err)
}

// mostStale is how many packets of an earlier session a probe may still hold.
const mostStale = 64

// questions are harmless commands whose answers can be told from each other
// and, but for DAP_Info, from those of all commands that the driver sends
// otherwise: they begin with answer.
var questions = []struct{ request, answer []byte }{
	{[]byte{cmdInfo, infoPacketCount}, []byte{cmdInfo, 1}},
	{[]byte{cmdInfo, infoPacketSize}, []byte{cmdInfo, 2}},
	{[]byte{cmdHostStatus, hostRunning, 0}, []byte{cmdHostStatus}},
	{[]byte{cmdDelay, 0, 0}, []byte{cmdDelay}},
}

// hostRunning is the LED of DAP_HostStatus that says that the target runs.
const hostRunning = 1

// settle brings requests and responses back in step after an exchange that was
// given up: it asks something whose answer cannot be one of those owed, and
// drops all that comes before that answer. The questions take turns, so that
// an answer to the last attempt is not taken for one to this.
func (p *Probe) settle(ctx context.Context) error {
	if !p.outOfStep && p.owed == 0 {
		return nil
	}
	for p.owed >= max(1, p.info.PacketCount) { // the probe takes no more
		if _, err := p.read(ctx, p.spare, cmdInfo); errors.Is(err, ErrTimeout) {
			p.owed = 0 // lost
		} else if err != nil && !errors.Is(err, ErrResponse) {
			return err
		}
	}
	if _, err := p.ask(ctx); err != nil {
		return err
	}
	p.owed, p.outOfStep = 0, false
	return nil
}

// ask sends the next question and says how many packets came before its answer.
func (p *Probe) ask(ctx context.Context) (stale int, err error) {
	q := questions[p.turn%len(questions)]
	p.turn++
	if err := p.write(ctx, q.request); err != nil {
		return 0, err
	}
	for stale = range mostStale {
		r, err := p.read(ctx, p.spare, q.request[0])
		if err != nil && !errors.Is(err, ErrResponse) {
			return stale, err
		}
		if bytes.HasPrefix(r, q.answer) {
			return stale, nil
		}
	}
	return stale, fmt.Errorf("probe: %d stale packets and no end: %w", mostStale, ErrResponse)
}

// settleUnknown is settle after a session that nobody knows, which may have
// left answers to the same questions, but to no more than it tried in a row:
// one more must be answered at once. A probe that is silent is asked a few
// times: it may be busy with what it was left.
func (p *Probe) settleUnknown(ctx context.Context) error {
	const rounds, tries = 32, 3
	silent := 0
	for clean := 0; clean <= tries; {
		stale, err := p.ask(ctx)
		switch {
		case errors.Is(err, ErrTimeout) && silent < tries-1:
			silent++
			clean = 0
		case err != nil:
			return err
		case p.turn > rounds:
			return fmt.Errorf("probe: answers do not come in step with requests: %w", ErrResponse)
		case stale > 0:
			clean = 0
		default:
			clean++
		}
	}
	p.owed, p.outOfStep = 0, false
	return nil
}

// command sends one request and returns its response, valid until the next
// command.
func (p *Probe) command(ctx context.Context, request []byte) ([]byte, error) {
	p.one[0] = request
	r, err := p.Exchange(ctx, p.one[:], p.reply[:])
	if err != nil {
		return nil, err
	}
	p.reply[0] = r[0]
	return r[0], nil
}

// status sends a command that answers with one status byte.
func (p *Probe) status(ctx context.Context, request []byte) error {
	r, err := p.command(ctx, request)
	if err != nil {
		return err
	}
	if err := parseStatus(commandName(request[0]), request[0], r); err != nil {
		return fmt.Errorf("probe: %w", err)
	}
	return nil
}
