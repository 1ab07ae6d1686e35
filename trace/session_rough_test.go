package trace

import (
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"
)

// rough is one direction of a link that is late, stalls, loses and repeats bytes. Their order stays.
type rough struct {
	random  *rand.Rand
	late    time.Duration // all bytes, or up to so much where it varies
	varies  bool
	stalls  float64       // share of writes
	stall   time.Duration // at most
	loses   float64       // share of writes
	thins   float64       // share of bytes
	doubles float64       // share of bytes

	mu     sync.Mutex
	due    time.Time
	queue  chan arrival
	closed bool
	gone   chan struct{}
	rest   []byte
}

// roughly draws one; patience is that of the session.
func roughly(random *rand.Rand, patience time.Duration) *rough {
	r := &rough{random: random, queue: make(chan arrival, 1<<16), gone: make(chan struct{}), stall: patience / 2}
	if n := random.IntN(8); n > 1 {
		r.late = patience / time.Duration([]int{100, 24, 12, 8, 6, 3}[n-2])
	}
	r.varies = random.IntN(2) == 0
	switch random.IntN(8) {
	case 0:
		r.loses = 0.2 * random.Float64()
	case 1:
		r.thins = 0.01 * random.Float64()
	case 2:
		r.doubles = 0.01 * random.Float64()
	case 3, 4:
		r.stalls = 0.01 * random.Float64()
	}
	return r
}

func (r *rough) String() string {
	return fmt.Sprintf("late %v, varies %v, stalls %.4f, loses %.2f, thins %.4f, doubles %.4f", r.late, r.varies, r.stalls, r.loses, r.thins, r.doubles)
}

func (r *rough) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0, io.ErrClosedPipe
	}
	by := r.late
	if r.varies && by > 0 {
		by = time.Duration(r.random.Int64N(int64(by)))
	}
	if r.random.Float64() < r.stalls {
		by += time.Duration(r.random.Int64N(int64(r.stall)))
	}
	if at := time.Now().Add(by); at.After(r.due) {
		r.due = at
	}
	var c []byte
	for _, x := range b {
		if r.random.Float64() < r.thins {
			continue
		}
		c = append(c, x)
		if r.random.Float64() < r.doubles {
			c = append(c, x)
		}
	}
	if len(c) > 0 && r.random.Float64() >= r.loses {
		r.queue <- arrival{r.due, c}
	}
	return len(b), nil
}

func (r *rough) Read(b []byte) (int, error) {
	if len(r.rest) == 0 {
		a, ok := <-r.queue
		if !ok {
			return 0, io.EOF
		}
		select {
		case <-time.After(time.Until(a.at)):
		case <-r.gone:
			return 0, io.EOF
		}
		r.rest = a.bytes
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *rough) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		close(r.queue)
		close(r.gone)
	}
	return nil
}

// roughEnd is one end of two directions. What goes through it is heard.
type roughEnd struct {
	in, out      *rough
	reads, sends func([]byte) // nil: nobody listens
}

func (e *roughEnd) Read(b []byte) (int, error) {
	n, err := e.in.Read(b)
	if e.reads != nil {
		e.reads(b[:n])
	}
	return n, err
}

func (e *roughEnd) Write(b []byte) (int, error) {
	if e.sends != nil {
		e.sends(b)
	}
	return e.out.Write(b)
}

func (e *roughEnd) Close() error {
	_ = e.in.Close()
	return e.out.Close()
}
