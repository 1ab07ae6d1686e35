package tracing_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mprof/mprof/firmware/examples"
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

// slowLine is a serial port of a simulated board whose clock is the test's. Now and then it is late, or the
// board stands still for a while; it loses bytes both ways.
type slowLine struct {
	*sim.UART
	board            *sim.Board
	begun            time.Time
	one              int // byte in so many is lost; 0: none
	reading, writing *rand.Rand
	every, longest   time.Duration // between what is late, and how late; 0: never
	next             time.Duration
}

func (w *slowLine) elapsed() time.Duration { return time.Since(w.begun) }

// Read lets the board come up with the test's clock, and returns what it sent meanwhile.
func (w *slowLine) Read(b []byte) (int, error) {
	for {
		w.delay()
		got := 0
		for w.board.Now() < w.elapsed() && got < len(b) {
			// What is written comes at any phase of the firmware's ticks.
			if err := w.SetReadTimeout(time.Duration(1 + w.reading.Int64N(int64(time.Millisecond)))); err != nil {
				return got, err
			}
			n, err := w.UART.Read(b[got:])
			if got += w.thin(b[got:got+n], w.reading); err != nil {
				return got, err
			}
		}
		if got > 0 {
			return got, nil
		}
		time.Sleep(time.Millisecond)
	}
}

func (w *slowLine) delay() {
	if w.longest == 0 || w.elapsed() < w.next {
		return
	}
	late := time.Duration(w.reading.Int64N(int64(w.longest)))
	time.Sleep(late)
	if w.reading.IntN(2) == 0 {
		w.begun = w.begun.Add(late) // the board stood, too
	}
	w.next = w.elapsed() + w.longest + time.Duration(w.reading.ExpFloat64()*float64(w.every))
}

func (w *slowLine) Write(b []byte) (int, error) {
	c := append([]byte(nil), b...)
	_, err := w.UART.Write(c[:w.thin(c, w.writing)])
	return len(b), err
}

func (w *slowLine) thin(b []byte, random *rand.Rand) (n int) {
	for _, c := range b {
		if w.one == 0 || random.IntN(w.one) > 0 {
			b[n] = c
			n++
		}
	}
	return n
}

// module is a session with the firmware module.
type module struct {
	version, one   int
	reset          bool
	every, longest time.Duration
	first, more    uint64 // records before the reset, and behind it
	remarks        []string
	sink           counted
}

func (m *module) String() string {
	return fmt.Sprintf("version %d, one byte in %d, reset %v, every %v late by %v", m.version, m.one, m.reset, m.every, m.longest)
}

func (m *module) run(t *testing.T, seed uint64) {
	board, err := sim.New(sim.Options{ELF: examples.DemoELF, CoreHz: examples.DemoHz})
	if err != nil {
		t.Fatal(err)
	}
	uart, err := board.UART("USART2")
	if err != nil {
		t.Fatal(err)
	}
	port := &slowLine{
		UART: uart, board: board, begun: time.Now(), one: m.one, every: m.every, longest: m.longest, next: time.Second,
		reading: rand.New(rand.NewPCG(seed, 1)), writing: rand.New(rand.NewPCG(seed, 2)),
	}
	s, err := trace.Open(t.Context(), port, trace.SessionOptions{Version: m.version, Remark: func(text string) { m.remarks = append(m.remarks, text) }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	wasReset := false
	m.sink.each = func() {
		switch {
		case m.sink.total < m.first:
		case m.reset && !wasReset:
			wasReset = true
			if err := board.Strike(sim.Fault{Kind: sim.TargetReset}); err != nil {
				t.Error(err)
			}
		case !m.reset || m.sink.resets > 0 && m.sink.records > m.more:
			cancel()
		}
	}
	if err := s.Run(ctx, &m.sink); err != nil {
		t.Fatal(err)
	}
}

// judge: what the target counts is what came and what is said to be lost.
func (m *module) judge(t *testing.T) {
	st := m.sink.status
	if m.sink.version != m.version {
		t.Errorf("records of version %d", m.sink.version)
	}
	if len(m.remarks) > 0 {
		t.Errorf("remarks %q", m.remarks)
	}
	came := m.sink.records + m.sink.lost
	if m.version == 2 {
		came += m.sink.dropped
	}
	if want := uint64(st.Sent); m.version == 2 && came != want+uint64(st.Dropped) || m.version == 1 && came != want {
		t.Errorf("%d records, %d lost, %d dropped; the target counts %+v", m.sink.records, m.sink.lost, m.sink.dropped, st)
	}
	if st.Running || st.Waiting > 0 {
		t.Errorf("the target still has something: %+v", st)
	}
	if m.one == 0 && m.sink.lost > 0 {
		t.Errorf("%d records lost", m.sink.lost)
	}
}

// TestSessionWithTheModule: the firmware module on the simulated board, over a line that loses bytes,
// with a reset in the middle.
func TestSessionWithTheModule(t *testing.T) {
	for _, m := range []*module{
		{version: 2}, {version: 1}, {version: 2, one: 1000}, {version: 1, one: 1000}, {version: 2, reset: true}, {version: 1, one: 2000, reset: true},
	} {
		m.first, m.more = 3000, 500
		t.Run(m.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { m.run(t, uint64(m.version)) })
			m.judge(t)
			if m.one > 0 && !m.reset && m.sink.lost == 0 {
				t.Error("no record is lost")
			}
		})
	}
}

// TestCampaignOfTheModule: the same at random, with lines that are late and boards that stand still for a
// while. MPROF_SESSIONS says how many (40), MPROF_SESSION which one.
func TestCampaignOfTheModule(t *testing.T) {
	first, n := uint64(0), uint64(40)
	if testing.Short() {
		n = 6
	}
	if s, err := strconv.ParseUint(os.Getenv("MPROF_SESSIONS"), 10, 64); err == nil {
		n = s
	}
	if s, err := strconv.ParseUint(os.Getenv("MPROF_SESSION"), 10, 64); err == nil {
		first, n = s, 1
	}
	for seed := first; seed < first+n; seed++ {
		r := rand.New(rand.NewPCG(seed, 3))
		m := &module{version: 1 + min(r.IntN(4), 1), reset: r.IntN(2) == 0, first: uint64(r.IntN(600)), more: uint64(r.IntN(600))}
		if r.IntN(3) == 0 {
			m.one = 500 + r.IntN(4000)
		}
		if r.IntN(3) > 0 {
			m.every, m.longest = time.Duration(1+r.IntN(5000))*time.Millisecond, time.Duration(100+r.IntN(2400))*time.Millisecond
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { m.run(t, seed) })
			m.judge(t)
			if t.Failed() {
				t.Log(m)
			}
		})
	}
}
