package trace

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// ErrLost is a port that went away: unplugged, or closed by the other end.
var ErrLost = errors.New("trace: the port is gone")

const (
	// readSize is the largest piece that is read at once.
	readSize = 32 << 10
	// queuedReads bounds what waits to be decoded; beyond that the system's buffer
	// fills up.
	queuedReads = 256
	// queuedWrites bounds commands that wait for a port which takes none.
	queuedWrites = 4
)

// arrival is a piece of the stream.
type arrival struct {
	at    time.Time
	bytes []byte
}

// line is a port with a goroutine for each direction, so that neither a port
// that is silent nor one that takes nothing holds anybody up.
type line struct {
	port    io.ReadWriteCloser
	in      chan arrival // closed at the end
	out     chan []byte
	quit    chan struct{}
	done    sync.WaitGroup
	readErr error // valid once in is closed

	mu       sync.Mutex
	writeErr error
}

func newLine(port io.ReadWriteCloser) *line {
	l := &line{port: port, in: make(chan arrival, queuedReads), out: make(chan []byte, queuedWrites), quit: make(chan struct{})}
	l.done.Add(2)
	go l.read()
	go l.write()
	return l
}

func (l *line) read() {
	defer l.done.Done()
	defer close(l.in)
	buf := make([]byte, readSize)
	for {
		n, err := l.port.Read(buf)
		if n > 0 {
			a := arrival{time.Now(), append([]byte(nil), buf[:n]...)}
			select {
			case l.in <- a:
			case <-l.quit:
				return
			}
		}
		if err == nil && n == 0 {
			err = io.ErrNoProgress // a port blocks until there is something
		}
		if err != nil {
			l.readErr = err
			return
		}
	}
}

func (l *line) write() {
	defer l.done.Done()
	for {
		select {
		case b := <-l.out:
			if _, err := l.port.Write(b); err != nil {
				l.mu.Lock()
				l.writeErr = err
				l.mu.Unlock()
			}
		case <-l.quit:
			return
		}
	}
}

// send queues bytes; false: the port has not taken those before.
func (l *line) send(b []byte) bool {
	select {
	case l.out <- b:
		return true
	default:
		return false
	}
}

// writeError is what the last failed write said.
func (l *line) writeError() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.writeErr
}

// lost is the error of a port that gives no more bytes.
func (l *line) lost(name string) error {
	return fmt.Errorf("%w: %s: %w", ErrLost, name, l.readErr)
}

// close ends both goroutines.
func (l *line) close() error {
	close(l.quit)
	err := l.port.Close()
	l.done.Wait()
	return err
}
