package main

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/trace"
)

// entries are the addresses of functions of the built-in firmware.
func entries(t testing.TB) map[string]uint32 {
	t.Helper()
	image := demoImage(t)
	found := map[string]uint32{}
	for _, r := range image.CodeRanges() {
		for pc := r.Low; pc < r.High; pc += 2 {
			if at := image.Lookup(pc); len(at) > 0 {
				physical := at[len(at)-1]
				found[physical.Name] = physical.Low
			}
		}
	}
	return found
}

func demoImage(t testing.TB) *symbol.Image {
	t.Helper()
	image, err := symbol.New(bytes.NewReader(demo.ELF), int64(len(demo.ELF)), target.BuiltIn)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

// demoFile is the built-in firmware as a file.
func demoFile(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "app.elf")
	if err := os.WriteFile(path, demo.ELF, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// fakeTarget is instrumented firmware that makes one round of calls after the other:
// outer for 100 µs, of which inner takes 30; in every tenth inner a handler of 10 µs more.
type fakeTarget struct {
	version      int // the newest that it can
	agreed       int // of the records
	metadata     trace.Metadata
	outer, inner uint32
	handler      uint32

	mu      sync.Mutex // of out
	out     bytes.Buffer
	encoder *trace.Encoder
	now     uint32 // ticks of 1 µs
	rounds  int
	running bool
	begun   time.Time // with START
	limit   int       // rounds, after which the connection breaks; 0: none
	at      int       // rounds, after which do is called
	do      func()
}

const (
	roundTicks   = 1000
	outerTicks   = 100
	innerTicks   = 30
	handlerTicks = 10
	handlerEvery = 10
)

func newFakeTarget(t testing.TB, version int) *fakeTarget {
	at := entries(t)
	f := &fakeTarget{version: version, agreed: version, outer: at["main"], inner: at["receive"], handler: at["SysTick_Handler"]}
	for name, addr := range map[string]uint32{"main": f.outer, "receive": f.inner, "SysTick_Handler": f.handler} {
		if addr == 0 {
			t.Fatalf("the built-in firmware has no function %s", name)
		}
	}
	f.metadata = trace.Metadata{
		Version: version, TimerHz: 1e6, BufferBytes: 4096, BuildID: demoImage(t).BuildID(), Name: "pump",
		Contexts: []trace.ContextName{{ID: 0, Name: "control"}}, Known: trace.KnownContexts,
	}
	f.agree(version)
	return f
}

// agree begins with records of another version.
func (f *fakeTarget) agree(version int) {
	f.agreed = version
	f.encoder = trace.NewEncoder(&f.out, trace.EncoderOptions{Version: version})
}

// catchUp makes the rounds that are due, one with START and one a millisecond: firmware does not wait for the machine of its host.
func (f *fakeTarget) catchUp() {
	for due := 1 + int(time.Since(f.begun)/time.Millisecond); f.running && f.rounds < due && !f.broken(); {
		if f.round(); f.do != nil && f.rounds == f.at {
			f.do()
		}
	}
}

func (f *fakeTarget) broken() bool { return f.limit > 0 && f.rounds >= f.limit }

// round is one more round of calls.
func (f *fakeTarget) round() {
	context := func(c uint16) uint16 {
		if f.agreed == 1 {
			return trace.NoContext
		}
		return c
	}
	start := f.now
	inner := uint32(innerTicks)
	outer := uint32(outerTicks)
	if f.rounds%handlerEvery == 0 {
		inner, outer = inner+handlerTicks, outer+handlerTicks
		_ = f.encoder.Record(trace.Record{Func: f.handler, Entry: start + 20, Duration: handlerTicks, Context: context(trace.FirstException + 15)})
	}
	_ = f.encoder.Record(trace.Record{Func: f.inner, Entry: start + 10, Duration: inner, Context: context(0), Depth: 1})
	_ = f.encoder.Record(trace.Record{Func: f.outer, Entry: start, Duration: outer, Context: context(0)})
	f.now += roundTicks
	f.rounds++
}

// status is what the target counts.
func (f *fakeTarget) status() trace.Status {
	return trace.Status{Running: f.running, HighWater: 1024, Sent: f.records(), Known: trace.KnownUnmatched}
}

// records is how many the rounds had.
func (f *fakeTarget) records() uint32 {
	return uint32(2*f.rounds + (f.rounds+handlerEvery-1)/handlerEvery)
}

// recording is what a host keeps of a run of so many rounds; in the middle of it
// something happens.
func (f *fakeTarget) recording(rounds int, middle ...func()) []byte {
	_ = f.encoder.Metadata(f.metadata)
	_ = f.encoder.Answer(trace.CommandStart, 0)
	for i := range rounds {
		if i == rounds/2 && len(middle) > 0 {
			middle[0]()
		}
		f.round()
	}
	_ = f.encoder.Answer(trace.CommandStop, 0)
	_ = f.encoder.Status(f.status())
	return f.out.Bytes()
}

// obey answers a command.
func (f *fakeTarget) obey(command byte, body []byte) {
	switch command {
	case trace.CommandGetMetadata:
		m := f.metadata
		if m.Version = 1; len(body) > 0 {
			m.Version = min(int(body[0]), f.version)
		}
		f.agree(m.Version)
		_ = f.encoder.Metadata(m)
		return
	case trace.CommandStatus:
		_ = f.encoder.Status(f.status())
		return
	case trace.CommandStart:
		f.running, f.rounds, f.begun = true, 0, time.Now()
		_ = f.encoder.Answer(command, 0)
		_ = f.encoder.Restart()
		return
	case trace.CommandStop:
		f.catchUp()
		f.running = false
	}
	_ = f.encoder.Answer(command, 0)
}

// listen lets the target speak on a TCP port, a round every millisecond; after
// limit rounds, if there is a limit, the connection breaks. It returns the name of the port.
func (f *fakeTarget) listen(t testing.TB, limit int) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.limit = limit
	done := make(chan struct{})
	t.Cleanup(func() { _ = l.Close(); <-done })
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		f.serve(conn)
		_ = conn.Close()
	}()
	return "tcp:" + l.Addr().String()
}

func (f *fakeTarget) serve(conn io.ReadWriter) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d := trace.NewCommandDecoder(trace.Variant{}, func(command byte, body []byte) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.obey(command, body)
		})
		_, _ = io.Copy(d, conn)
	}()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
		}
		f.mu.Lock()
		f.catchUp()
		over := f.broken()
		_ = f.encoder.Flush()
		_, err := f.out.WriteTo(conn)
		f.mu.Unlock()
		if err != nil || over {
			return
		}
	}
}
