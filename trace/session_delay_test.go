package trace

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"testing"
	"time"
)

// delayed gives bytes on some time after they came, all in order.
type delayed struct {
	net.Conn
	by     time.Duration
	queue  chan arrival
	rest   []byte
	closed chan struct{}
}

func delay(c net.Conn, by time.Duration) *delayed {
	d := &delayed{Conn: c, by: by, queue: make(chan arrival, 10_000), closed: make(chan struct{})}
	go func() {
		defer close(d.queue)
		for {
			b := make([]byte, 4096)
			n, err := c.Read(b)
			if err != nil {
				return
			}
			d.queue <- arrival{time.Now().Add(by), b[:n]}
		}
	}()
	return d
}

func (d *delayed) Read(b []byte) (int, error) {
	if len(d.rest) == 0 {
		a, ok := <-d.queue
		if !ok {
			return 0, io.EOF
		}
		time.Sleep(time.Until(a.at))
		d.rest = a.bytes
	}
	n := copy(b, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

// TestSessionLateAnswers: answers that come after commands were repeated are
// taken for what they are; the run has one START.
func TestSessionLateAnswers(t *testing.T) {
	t.Parallel()
	for _, by := range []time.Duration{testPatience / 16, testPatience / 7, testPatience / 3} {
		fw := &target{meta: ourMetadata(), rate: 5, random: rand.New(rand.NewPCG(uint64(by), 1))}
		r := runSession(t, fw, SessionOptions{}, 300, func(c net.Conn) io.ReadWriteCloser { return delay(c, by) })
		if r.err != nil {
			t.Fatal(r.err)
		}
		r.exact(t)
		if _, _, starts := fw.truth(); starts != 1 || r.batches[0].Version != 2 || len(r.remarks) > 0 {
			t.Errorf("%v: %d STARTs, records of version %d, remarks %q", by, starts, r.batches[0].Version, r.remarks)
		}
		replaysTheSame(t, r)
	}
}

// TestSessionLateVersion: a target that hears badly at first is asked for version 1 meanwhile. It has
// version 2 all the same: answers in version 1 that come late are not the end of it.
func TestSessionLateVersion(t *testing.T) {
	t.Parallel()
	for _, deaf := range []int{1, 3, 4, 6} {
		for _, by := range []time.Duration{testPatience / 24, testPatience / 8, testPatience / 5} {
			t.Run(fmt.Sprint(deaf, by), func(t *testing.T) {
				t.Parallel()
				asked := 0
				fw := &target{meta: ourMetadata(), rate: 5, random: rand.New(rand.NewPCG(uint64(deaf), 1))}
				fw.obeys = func(c byte) int {
					if c == CommandGetMetadata {
						asked++
					}
					if asked <= deaf {
						return -1
					}
					return 0
				}
				r := runSession(t, fw, SessionOptions{}, 300, func(c net.Conn) io.ReadWriteCloser { return delay(c, by) })
				if r.err != nil {
					t.Fatal(r.err)
				}
				r.exact(t)
				if _, _, starts := fw.truth(); starts != 1 || r.batches[0].Version != 2 || len(r.remarks) > 0 {
					t.Errorf("%d STARTs, records of version %d, remarks %q", starts, r.batches[0].Version, r.remarks)
				}
			})
		}
	}
}
