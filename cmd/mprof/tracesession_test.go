package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/examples"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/trace"
)

// counted is a sink that adds up a run since the last START.
type counted struct {
	records, lost, dropped uint64
	total                  uint64
	resets                 int
	version                int
	status                 trace.Status
	each                   func()
}

func (c *counted) Records(b trace.Batch) {
	c.version = b.Version
	c.records += uint64(len(b.Records))
	c.total += uint64(len(b.Records))
	c.each()
}

func (c *counted) Metadata(m trace.Metadata) {
	if m.Flags&trace.FlagStarted != 0 { // the target counts from 0, also where the answer to its START gets lost
		c.resets++
		c.records, c.lost, c.dropped = 0, 0, 0
	}
}

func (c *counted) Status(s trace.Status) { c.status = s }

func (c *counted) Answer(command, reason byte) {
	if command == trace.CommandStart && reason == 0 {
		c.records, c.lost, c.dropped = 0, 0, 0
	}
}

func (c *counted) Loss(l trace.Loss) {
	switch l.Kind {
	case trace.LostRecords:
		c.lost += l.Records
	case trace.Dropped:
		c.dropped += l.Records
	}
}

// thinned loses bytes both ways.
type thinned struct {
	io.ReadWriteCloser
	one              int // byte in so many; 0: none
	reading, writing *rand.Rand
}

func (l *thinned) Read(b []byte) (int, error) {
	for {
		n, err := l.ReadWriteCloser.Read(b)
		if n = l.thin(b[:n], l.reading); n > 0 || err != nil {
			return n, err
		}
	}
}

func (l *thinned) Write(b []byte) (int, error) {
	c := append([]byte(nil), b...)
	_, err := l.ReadWriteCloser.Write(c[:l.thin(c, l.writing)])
	return len(b), err
}

func (l *thinned) thin(b []byte, random *rand.Rand) (n int) {
	for _, c := range b {
		if l.one == 0 || random.IntN(l.one) > 0 {
			b[n] = c
			n++
		}
	}
	return n
}

// slowBoard is the patience with six boards that are simulated at once, by a machine that does other things, too: at
// a tenth of their speed the firmware's answers take a second.
const slowBoard = 6 * time.Second

// TestSessionWithTheModule: the firmware module on the simulated board, over a
// line that loses bytes, with a reset in the middle. What the target counts is what
// came and what is said to be lost.
func TestSessionWithTheModule(t *testing.T) {
	for _, c := range []struct {
		version, one int
		reset        bool
	}{{2, 0, false}, {1, 0, false}, {2, 1000, false}, {1, 1000, false}, {2, 0, true}, {1, 2000, true}} {
		t.Run(fmt.Sprintf("version %d, one byte in %d, reset %v", c.version, c.one, c.reset), func(t *testing.T) {
			t.Parallel()
			board, err := sim.New(sim.Options{ELF: examples.DemoELF, CoreHz: examples.DemoHz})
			if err != nil {
				t.Fatal(err)
			}
			uart, err := target.OpenUART(board, "")
			if err != nil {
				t.Fatal(err)
			}
			port := &thinned{uart, c.one, rand.New(rand.NewPCG(1, uint64(c.version))), rand.New(rand.NewPCG(2, uint64(c.version)))}
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			var remarks []string
			s, err := trace.Open(ctx, port, trace.SessionOptions{Version: c.version, Patience: slowBoard, Remark: func(text string) { remarks = append(remarks, text) }})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			sink := &counted{}
			wasReset := false
			sink.each = func() {
				switch {
				case sink.total < 3000:
				case c.reset && !wasReset:
					wasReset = true
					if err := board.Strike(sim.Fault{Kind: sim.TargetReset}); err != nil {
						t.Error(err)
					}
				case !c.reset || sink.resets > 0 && sink.records > 500:
					cancel()
				}
			}
			if err := s.Run(ctx, sink); err != nil {
				t.Fatal(err)
			}
			if sink.version != c.version {
				t.Errorf("records of version %d", sink.version)
			}
			if len(remarks) > 0 {
				t.Errorf("remarks %q", remarks)
			}
			st := sink.status
			if want := uint64(st.Sent) + uint64(st.Dropped); c.version == 2 && sink.records+sink.lost+sink.dropped != want || c.version == 1 && sink.records+sink.lost != uint64(st.Sent) {
				t.Errorf("%d records, %d lost, %d dropped; the target counts %+v", sink.records, sink.lost, sink.dropped, st)
			}
			if st.Running || st.Waiting > 0 {
				t.Errorf("the target still has something: %+v", st)
			}
			if (c.one > 0) != (sink.lost > 0) && !c.reset {
				t.Errorf("%d records lost", sink.lost)
			}
		})
	}
}
