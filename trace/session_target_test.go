package trace

import (
	"bytes"
	"io"
	"math/rand/v2"
	"sync"
	"time"
)

// target behaves as firmware does (docs/trace-protocol.md), over any port. What it
// is not like is said in its fields.
type target struct {
	port         io.ReadWriteCloser
	meta         Metadata
	variant      Variant
	newest       int              // version of records; 0: 2
	wait         time.Duration    // between two looks at commands and ring
	rate         int              // calls in each
	room         int              // records in the ring
	obeys        func(c byte) int // reason of a NACK, 0: obeys, -1: says nothing; nil: obeys
	noACK        bool
	slow         bool         // it sends one record in each look
	strict       bool         // GET_METADATA with a body: NACK
	notNow       bool         // NACK of GET_METADATA while records wait
	statuses     StatusFields // that it sends; 0: all
	text         string       // sent in each look
	startRunning bool         // profiling runs from boot on
	random       *rand.Rand
	left         func()            // what another session left behind
	recorded     func(Record)      // sees each
	fails        func(c byte) bool // it is reset when it has obeyed

	mu      sync.Mutex
	resets  chan struct{} // reset it
	quiet   bool          // of a reset: no METADATA
	stopped chan struct{}

	// The state that a reset clears.
	version       int
	running       bool
	ring          []Record
	now           uint32
	sent, dropped uint32
	lostInRing    uint32 // dropped behind the last of ring
	starts        int
	first         Record // that was sent
	out           bytes.Buffer
	enc           *Encoder
}

// boot starts the firmware; end stops it.
func (t *target) boot(port io.ReadWriteCloser) *target {
	t.port = port
	if t.newest == 0 {
		t.newest = 2
	}
	if t.wait == 0 {
		t.wait = time.Millisecond
	}
	if t.room == 0 {
		t.room = 64
	}
	if t.rate == 0 {
		t.rate = 3
	}
	if t.statuses == 0 {
		t.statuses = KnownUnmatched
	}
	if t.random == nil {
		t.random = rand.New(rand.NewPCG(1, 2))
	}
	t.resets, t.stopped = make(chan struct{}, 1), make(chan struct{})
	t.clear()
	if t.left != nil {
		t.left()
	}
	commands := make(chan []byte, 1000)
	go func() {
		defer close(commands)
		d := NewCommandDecoder(t.variant, func(c byte, body []byte) {
			commands <- append([]byte{c}, body...)
		})
		buf := make([]byte, 256)
		for {
			n, err := port.Read(buf)
			_, _ = d.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	go t.run(commands)
	return t
}

func (t *target) end() {
	_ = t.port.Close()
	<-t.stopped
}

// clear is a reset.
func (t *target) clear() {
	t.version, t.running, t.ring, t.now = 1, false, nil, t.random.Uint32()
	t.sent, t.dropped, t.lostInRing, t.starts = 0, 0, 0, 0
	t.running = t.startRunning
	for t.running && t.notNow && len(t.ring) < t.room { // it has run for long
		t.ring = append(t.ring, Record{Func: 0x08000100, Entry: t.now, Duration: 3})
	}
	t.encoder()
}

func (t *target) encoder() {
	t.enc = NewEncoder(&t.out, EncoderOptions{Version: t.version, Variant: t.variant, MaxPayload: 128})
}

// truth is what it counts of the run since the last START.
func (t *target) truth() (sent, dropped uint32, starts int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sent, t.dropped, t.starts
}

func (t *target) run(commands chan []byte) {
	defer close(t.stopped)
	tick := time.NewTicker(t.wait)
	defer tick.Stop()
	for {
		select {
		case c, ok := <-commands:
			if !ok {
				return
			}
			t.mu.Lock()
			t.obey(c[0], c[1:])
			if t.fails != nil && t.fails(c[0]) {
				t.reset()
			}
			t.mu.Unlock()
		case <-t.resets:
			t.mu.Lock()
			t.reset()
			t.mu.Unlock()
		case <-tick.C:
			t.mu.Lock()
			t.work()
			t.mu.Unlock()
		}
		if _, err := t.out.WriteTo(t.port); err != nil {
			return
		}
	}
}

func (t *target) reset() {
	t.clear()
	if !t.quiet {
		m := t.metadata()
		m.Flags |= FlagStarted
		_ = t.enc.Metadata(m)
	}
}

func (t *target) metadata() Metadata {
	m := t.meta
	m.Version = t.version
	m.Flags = 0
	if t.running {
		m.Flags = FlagRunning
	}
	return m
}

func (t *target) obey(c byte, body []byte) {
	reason := 0
	if t.obeys != nil {
		reason = t.obeys(c)
	}
	if c == CommandGetMetadata && len(body) > 0 && t.strict {
		reason = ReasonWrongLength
	}
	if c == CommandGetMetadata && t.notNow && (t.running || len(t.ring) > 0) {
		reason = ReasonNotNow
	}
	if reason != 0 {
		if reason > 0 {
			_ = t.enc.Answer(c, byte(reason))
		}
		return
	}
	switch c {
	case CommandStart, CommandReset:
		if c == CommandStart {
			t.starts++
		}
		t.running = c == CommandStart
		t.ring, t.sent, t.dropped, t.lostInRing = nil, 0, 0, 0
		t.acknowledge(c)
		_ = t.enc.Restart()
	case CommandStop:
		t.running = false
		t.acknowledge(c)
	case CommandStatus:
		_ = t.enc.Status(Status{
			Running: t.running, Dropped: t.dropped, Sent: t.sent, Known: t.statuses,
			Waiting: uint32(len(t.ring)) + min(t.lostInRing, 1),
		})
	case CommandGetMetadata:
		t.version = 1
		if len(body) > 0 {
			t.version = min(int(body[0]), t.newest)
		}
		number := t.sent + t.dropped - t.lostInRing
		for _, r := range t.ring {
			if r.Func == 1 {
				number -= r.Duration
			}
		}
		t.encoder()
		t.enc.number = number
		if t.meta.Known > 0 {
			_ = t.enc.Metadata(t.metadata())
		}
	default:
		_ = t.enc.Answer(c, ReasonUnknownCommand)
	}
}

func (t *target) acknowledge(c byte) {
	if !t.noACK {
		_ = t.enc.Answer(c, 0)
	}
}

// work records calls and sends some of them.
func (t *target) work() {
	if t.text != "" {
		t.out.WriteString(t.text)
	}
	for range t.rate {
		t.now += 10
		if !t.running {
			continue
		}
		if len(t.ring) >= t.room {
			t.dropped++
			t.lostInRing++
			continue
		}
		t.giveUp()
		r := Record{Func: 0x08000100 + 2*t.random.Uint32N(50), Entry: t.now - 5, Duration: 3}
		if t.recorded != nil {
			t.recorded(r)
		}
		t.ring = append(t.ring, r)
	}
	n := t.random.IntN(2*t.rate + 1)
	if t.slow {
		n = 1
	}
	for ; n > 0 && len(t.ring) > 0; n-- {
		if t.ring[0].Func == 1 {
			_ = t.enc.Dropped(t.ring[0].Duration)
		} else {
			if t.sent == 0 {
				t.first = t.ring[0]
			}
			_ = t.enc.Record(t.ring[0])
			t.sent++
		}
		t.ring = t.ring[1:]
	}
	if len(t.ring) == 0 {
		t.giveUp()
	}
	_ = t.enc.Flush()
}

// giveUp puts the mark of what was dropped into the ring; a mark is Func 1.
func (t *target) giveUp() {
	if t.lostInRing > 0 {
		t.ring = append(t.ring, Record{Func: 1, Duration: t.lostInRing})
		t.lostInRing = 0
	}
}
