//go:build !linux

package uart

import (
	"sync"
	"sync/atomic"
	"time"

	"go.bug.st/serial"
)

// stream is the port itself.
type stream struct {
	serial.Port
	mu     sync.Mutex // held by Write
	closed atomic.Bool
}

func openStream(string) (*stream, error) { return &stream{}, nil }

func (s *stream) attach(p serial.Port) { s.Port = p }
func (*stream) speed() int             { return 0 }

// writeSize is the most that one system call writes: Close can end only what lies
// between two of them.
const writeSize = 256

// Write returns when the system has taken all of b.
func (s *stream) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := 0; n < len(b); {
		if s.closed.Load() {
			return n, ErrGone
		}
		k, err := s.Port.Write(b[n:min(n+writeSize, len(b))])
		n += k
		if err != nil {
			return n, err
		}
	}
	return len(b), nil
}

// closeWait is how long Close waits for a Write that the port does not take.
const closeWait = time.Second

// Close ends Read and Write.
func (s *stream) Close() error {
	s.closed.Store(true)
	if s.Port == nil {
		return nil
	}
	free := s.mu.TryLock()
	for waited := time.Duration(0); !free && waited < closeWait; waited += closeWait / 100 {
		_ = s.ResetOutputBuffer() // makes room, so that a Write ends
		time.Sleep(closeWait / 100)
		free = s.mu.TryLock()
	}
	if free {
		defer s.mu.Unlock()
	}
	return s.Port.Close()
}
