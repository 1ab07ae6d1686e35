package gdbremote

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// wire is a connection: packets out, events in. A goroutine reads, and answers
// what cannot wait: acknowledges, and requests of the target's for files.
type wire struct {
	conn    io.ReadWriteCloser
	timeout time.Duration
	log     func(sent bool, packet []byte)
	events  chan event
	gone    chan struct{} // closed with the wire: nobody takes events any more
	once    sync.Once

	noAck        atomic.Bool // packets are not acknowledged
	running      atomic.Bool // a stop reply is due, and no answer
	interrupting atomic.Bool // the interrupt byte was sent
	fileRequests atomic.Int64

	logging sync.Mutex

	mu  sync.Mutex // of writes
	out []byte

	overdue int // events taken after their time, in a row
}

// eventQueue is how many events wait for their reader before the server has to.
const eventQueue = 64

// lastWords is how long what a server had sent is read on after it took nothing more.
const lastWords = 500 * time.Millisecond

func newWire(conn io.ReadWriteCloser, timeout time.Duration, log func(bool, []byte)) *wire {
	w := &wire{conn: conn, timeout: timeout, log: log, events: make(chan event, eventQueue), gone: make(chan struct{})}
	go w.read()
	return w
}

// read decodes until the stream ends.
func (w *wire) read() {
	var d decoder
	buf := make([]byte, 16<<10)
	for {
		n, err := w.conn.Read(buf)
		d.feed(buf[:n], w.deliver)
		if err != nil {
			w.deliver(event{kind: gotEnd, err: err})
			return
		}
	}
}

func (w *wire) deliver(e event) {
	switch {
	case e.kind == gotPacket:
		w.note(false, e.body)
		w.acknowledge('+')
		if w.running.Load() && w.aside(e.body) {
			return
		}
	case e.kind == gotNotification:
		w.note(false, e.body)
	case e.kind == gotDamaged:
		w.acknowledge('-')
	}
	select {
	case w.events <- e: // also where an acknowledgement of it found the connection closed
		return
	default:
	}
	select {
	case w.events <- e:
	case <-w.gone:
	}
}

// aside deals with what a running target sends beside its stop: output of its
// console is dropped, and files there are none.
func (w *wire) aside(body []byte) bool {
	if isFileRequest(body) {
		w.fileRequests.Add(1)
		_ = w.send(answerFileRequest(body, w.interrupting.Load())) // an error shows at the next request
		return true
	}
	return isConsole(body)
}

// isConsole tells output of the target's console, which is "O" and digits.
func isConsole(body []byte) bool {
	return len(body) > 1 && body[0] == 'O' && allDigits(body[1:])
}

func (w *wire) note(sent bool, body []byte) {
	if w.log == nil {
		return
	}
	w.logging.Lock()
	defer w.logging.Unlock()
	w.log(sent, body)
}

func (w *wire) acknowledge(sign byte) {
	if !w.noAck.Load() {
		_ = w.raw([]byte{sign})
	}
}

// send writes packets, all at once.
func (w *wire) send(bodies ...[]byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out = w.out[:0]
	for _, b := range bodies {
		w.note(true, b)
		w.out = appendPacket(w.out, b)
	}
	return w.write(w.out)
}

// raw writes bytes that are no packet.
func (w *wire) raw(p []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.write(p)
}

// write gives up a connection that does not take what is written. What the server had
// said before is read first: a target's end may be the last of it.
func (w *wire) write(p []byte) error {
	late := time.AfterFunc(w.timeout, w.close)
	defer late.Stop()
	if _, err := w.conn.Write(p); err != nil {
		time.AfterFunc(lastWords, w.close)
		return fmt.Errorf("gdbremote: write: %w: %w", ErrDisconnected, err)
	}
	return nil
}

// close may be called from anywhere, and again.
func (w *wire) close() {
	w.once.Do(func() {
		close(w.gone)
		w.conn.Close()
	})
}

// next is the next event, or an error: of ctx, ErrTimeout bare, or
// ErrDisconnected, for good. What is there already is taken after its time, too, for the
// host may have been late; but a server that talks without end does not stop the clock.
func (w *wire) next(ctx context.Context, until time.Time) (event, error) {
	if err := ctx.Err(); err != nil {
		return event{}, err
	}
	left := time.Until(until)
	if left > 0 {
		w.overdue = 0
	} else if w.overdue++; w.overdue > eventQueue {
		w.overdue = 0
		return event{}, ErrTimeout
	}
	select {
	case e := <-w.events:
		return w.take(e)
	default:
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	for longer := time.Duration(0); ; {
		select {
		case e := <-w.events:
			return w.take(e)
		case <-w.gone:
			return event{}, fmt.Errorf("gdbremote: %w", ErrDisconnected)
		case <-ctx.Done():
			return event{}, ctx.Err()
		case <-timer.C:
			late := time.Since(until)
			if longer > 0 || left <= 0 || late < stoodStill {
				return event{}, ErrTimeout
			}
			longer = min(late, mostLonger)
			timer.Reset(longer)
		}
	}
}

// A wait that ends so late that this machine must have stood still, or been suspended, has not been one of the
// server: what came meanwhile is not read yet, and the server may have stood still, too. It has as long again.
const (
	stoodStill = 50 * time.Millisecond
	mostLonger = time.Second
)

func (w *wire) take(e event) (event, error) {
	if e.kind == gotEnd {
		w.close()
		return e, fmt.Errorf("gdbremote: %w: %w", ErrDisconnected, e.err)
	}
	return e, nil
}

// poll is next without waiting.
func (w *wire) poll() (e event, ok bool, err error) {
	select {
	case e := <-w.events:
		e, err := w.take(e)
		return e, err == nil, err
	default:
		return event{}, false, nil
	}
}
