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

// resendAfter is when a request that was not acknowledged is sent again: gdb waits
// two seconds.
const resendAfter = time.Second

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
	for range mostPolls {
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
	return c.settle(ctx)
}

// mostPolls bounds what is taken without waiting, of a server that talks without end.
const mostPolls = 2 * eventQueue

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
	what := nameOf(under[0])
	t := c.patience()
	for {
		e, err := c.await(ctx, &t, under[0])
		switch {
		case errors.Is(err, ErrTimeout):
			c.outOfStep = true
			return nil, timeoutError(what, c.timeout)
		case err != nil:
			c.outOfStep = true
			return nil, fmt.Errorf("gdbremote: %s: %w", what, err)
		}
		switch e.kind {
		case gotPacket:
			if !c.isBeside(e.body, under[0]) {
				return e.body, nil
			}
		case gotNotification:
			c.notified(e.body)
		case gotAck:
			c.acknowledges, t.acked = true, true
		case gotNak:
			if t.resends++; t.resends > mostResends || len(under) > 1 {
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

// patience is the wait for one answer. A request that is not acknowledged, of a
// server that acknowledges, was lost: it is sent again.
type patience struct {
	end     time.Time
	until   time.Time     // it is sent again then, if not the end
	part    time.Duration // from one time to the next
	sends   int
	acked   bool
	resends int // because the server asked for them
}

func (c *Client) patience() patience {
	now := time.Now()
	end := now.Add(c.timeout)
	if c.wire.noAck.Load() || !c.acknowledges || c.pipelines {
		return patience{end: end, until: end}
	}
	part := min(resendAfter, c.timeout/(mostResends+1))
	return patience{end: end, until: now.Add(part), part: part}
}

// await is the next event, and sends the request again meanwhile.
func (c *Client) await(ctx context.Context, t *patience, request []byte) (event, error) {
	for {
		e, err := c.wire.next(ctx, t.until)
		if !errors.Is(err, ErrTimeout) || !t.until.Before(t.end) {
			return e, err
		}
		t.until = t.end
		if t.sends++; !t.acked && t.sends <= mostResends {
			if again := time.Now().Add(t.part); again.Before(t.end) {
				t.until = again
			}
			if err := c.wire.send(request); err != nil {
				return event{}, err
			}
		}
	}
}

// nameOf is a request as a person needs to know it.
func nameOf(request []byte) string {
	if bytes.HasPrefix(request, []byte("qSupported:")) {
		return "qSupported"
	}
	return shortened(request)
}

// isBeside tells packets that are no answer to the request.
func (c *Client) isBeside(p, request []byte) bool {
	if isConsole(p) && !bytes.HasPrefix(request, []byte("qRcmd,")) {
		return true
	}
	if isMarker(p) && !bytes.HasPrefix(request, []byte("qXfer:")) && !bytes.HasPrefix(request, []byte("qSupported")) {
		c.unsettled = max(c.unsettled-1, 0) // a late answer to settle
		return true
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
