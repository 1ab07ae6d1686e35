package gdbremote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
)

// mostInFlight is how many requests go out before their answers are awaited.
const mostInFlight = 16

// mostResends bounds how often a packet that the server could not read is sent.
const mostResends = 3

// ask sends one request and returns its answer.
func (c *Client) ask(ctx context.Context, text string) (answer []byte, err error) {
	err = c.exchange(ctx, [][]byte{[]byte(text)}, func(_ int, p []byte) error {
		answer = p
		return nil
	})
	return answer, err
}

// askOK is ask for requests whose answer is OK.
func (c *Client) askOK(ctx context.Context, text string) error {
	p, err := c.ask(ctx, text)
	if err != nil {
		return err
	}
	if string(p) != "OK" {
		return refusal(text, p)
	}
	return nil
}

// refusal is the error for an answer that is an error, or that is none.
func refusal(packet string, answer []byte) error {
	if isRefusal(answer) {
		return &RefusedError{Packet: shortened([]byte(packet)), Answer: shortened(answer)}
	}
	return answerError(shortened([]byte(packet)), answer)
}

// isRefusal: the empty packet, or E and two digits, or E. and a text. Digits of an
// answer can begin with E only in capital letters, and then they are even.
func isRefusal(p []byte) bool {
	return len(p) == 0 || p[0] == 'E' && (len(p) == 3 || bytes.HasPrefix(p, []byte("E.")) || !allDigits(p))
}

// exchange sends requests, several before an answer where the server allows it,
// and hands the answers out in order.
func (c *Client) exchange(ctx context.Context, requests [][]byte, take func(i int, answer []byte) error) error {
	if err := c.ready(ctx); err != nil {
		return err
	}
	most := 1
	if c.pipelines {
		most = mostInFlight
	}
	var failed error
	for sent, got := 0, 0; got < len(requests); got++ {
		if sent == got {
			n := min(most, len(requests)-sent)
			if err := c.post(requests[sent : sent+n]); err != nil {
				return err
			}
			sent += n
		}
		p, err := c.answer(ctx, requests[got:sent])
		if err != nil {
			return err
		}
		if failed == nil {
			failed = take(got, p)
			c.outOfStep = c.outOfStep || errors.Is(failed, ErrAnswer)
		}
	}
	return failed
}

// ready makes sure that the next answer is to the next request: an answer that
// nobody asked for means that there may be more of them.
func (c *Client) ready(ctx context.Context) error {
	for {
		e, ok, err := c.wire.poll()
		switch {
		case err != nil:
			return err
		case !ok:
			return c.settle(ctx)
		case e.kind == gotNotification:
			c.notified(e.body)
		case e.kind == gotPacket && !c.isBeside(e.body, nil):
			c.outOfStep = true
		}
	}
}

// post sends requests that are answered one after the other.
func (c *Client) post(requests [][]byte) error {
	if err := c.wire.send(requests...); err != nil {
		c.outOfStep = true
		return err
	}
	return nil
}

// answer awaits the answer to the first of the requests that are under way. What
// comes beside it (stop replies, output, answers to questions of settle) is not
// taken for it.
func (c *Client) answer(ctx context.Context, under [][]byte) ([]byte, error) {
	what := shortened(under[0])
	timer := time.NewTimer(c.timeout)
	defer timer.Stop()
	for resends := 0; ; {
		e, err := c.wire.next(ctx, timer)
		switch {
		case err == nil:
		case errors.Is(err, ErrTimeout):
			c.outOfStep = true
			return nil, timeoutError(what, c.timeout)
		default:
			c.outOfStep = true
			return nil, fmt.Errorf("gdbremote: %s: %w", what, err)
		}
		switch e.kind {
		case gotPacket:
			if c.isBeside(e.body, under[0]) {
				continue
			}
			return e.body, nil
		case gotNotification:
			c.notified(e.body)
		case gotAck:
			c.acknowledges = true
		case gotNak:
			if resends++; resends > mostResends || len(under) > 1 {
				c.outOfStep = true
				return nil, fmt.Errorf("gdbremote: %s: the server received it damaged, again and again", what)
			}
			if err := c.wire.send(under[0]); err != nil {
				return nil, err
			}
		case gotDamaged, gotCut:
			if !c.wire.noAck.Load() && !c.pipelines {
				continue // it comes again
			}
			c.outOfStep = true
			return nil, fmt.Errorf("gdbremote: %s: %w: damaged on its way", what, ErrAnswer)
		}
	}
}

// isBeside tells packets that are no answer to the request.
func (c *Client) isBeside(p, request []byte) bool {
	if isConsole(p) && !bytes.HasPrefix(request, []byte("qRcmd,")) {
		return true
	}
	if isMarker(p) && !bytes.HasPrefix(request, []byte("q")) {
		return true // a late answer to settle
	}
	if stop, ok, err := parseStop(p); ok && !answersWithStop(request) {
		c.stopped(stop, err)
		return true
	}
	return false
}

// answersWithStop tells the requests that a stop reply answers.
func answersWithStop(request []byte) bool {
	return len(request) > 0 && request[0] == '?' || bytes.HasPrefix(request, []byte("vAttach")) || string(request) == "vStopped"
}

// isMarker tells an answer to a question of settle.
func isMarker(p []byte) bool {
	return bytes.HasPrefix(p, []byte("m<")) || bytes.HasPrefix(p, []byte("l<")) || bytes.Contains(p, []byte("PacketSize="))
}

// settle brings the conversation in step again after an answer that did not come
// or could not be read: there is no number in answers, so it asks something whose
// answer is like no other, and drops what comes before that.
func (c *Client) settle(ctx context.Context) error {
	if !c.outOfStep {
		return nil
	}
	question := "qSupported"
	switch {
	case c.layout.described:
		question = "qXfer:features:read:target.xml:0,4"
	case c.features["PacketSize"] == "":
		return c.awaitQuiet(ctx)
	}
	if err := c.wire.send([]byte(question)); err != nil {
		return err
	}
	timer := time.NewTimer(c.timeout)
	defer timer.Stop()
	for {
		e, err := c.wire.next(ctx, timer)
		switch {
		case errors.Is(err, ErrTimeout):
			return timeoutError("after a lost answer", c.timeout)
		case err != nil:
			return fmt.Errorf("gdbremote: %w", err)
		case e.kind == gotNotification:
			c.notified(e.body)
		case e.kind != gotPacket:
		case isMarker(e.body):
			c.outOfStep = false
			return nil
		default:
			if stop, ok, err := parseStop(e.body); ok {
				c.stopped(stop, err)
			}
		}
	}
}

// quietTime is how long a server that cannot be asked anything whose answer is
// like no other has to be silent.
const quietTime = 300 * time.Millisecond

// awaitQuiet drops what comes until nothing does.
func (c *Client) awaitQuiet(ctx context.Context) error {
	for {
		timer := time.NewTimer(quietTime)
		e, err := c.wire.next(ctx, timer)
		timer.Stop()
		switch {
		case errors.Is(err, ErrTimeout):
			c.outOfStep = false
			return nil
		case err != nil:
			return fmt.Errorf("gdbremote: %w", err)
		case e.kind == gotPacket:
			if stop, ok, err := parseStop(e.body); ok {
				c.stopped(stop, err)
			}
		}
	}
}

// stopped notes a stop reply.
func (c *Client) stopped(s Stop, err error) {
	if err != nil {
		c.ended = err
	}
	s.Already = !c.interrupted
	if c.halted {
		s.Already = true // it stood, and was said to before
	}
	c.latest, c.halted, c.interrupted = s, true, false
	c.wire.running.Store(false)
	c.wire.interrupting.Store(false)
}
