package page_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/coder/websocket"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/serve/page"
	"github.com/mprof/mprof/session"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/trace"
	"github.com/mprof/mprof/trace/calls"
	"github.com/mprof/mprof/unwind"
)

// A run at full load: 1000 samples or 50,000 calls per second of the target, into three open pages
// and one that is stuck. MPROF_LOAD_MINUTES says how long it is, in the target's time; that of
// make test is short.
const (
	samplesPerSecond = 1000
	callsPerSecond   = 50_000
	openPages        = 3
)

func loadTime(t *testing.T) time.Duration {
	text := os.Getenv("MPROF_LOAD_MINUTES")
	if text == "" {
		return time.Minute
	}
	minutes, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatalf("MPROF_LOAD_MINUTES: %v", err)
	}
	return time.Duration(minutes * float64(time.Minute))
}

// loaded is a session whose run the test makes itself.
type loaded struct {
	page.Control
	model *live.Model
}

func (l *loaded) Model() *live.Model   { return l.model }
func (l *loaded) State() session.State { return session.State{Phase: session.Running} }
func (l *loaded) Watch(ctx context.Context) <-chan struct{} {
	c := make(chan struct{})
	context.AfterFunc(ctx, func() { close(c) })
	return c
}

// loadRun is a run of one kind.
type loadRun interface {
	// advance lets the target run on, and returns how much has been collected: samples or calls.
	advance(to time.Duration) uint64
	finish() *profile.Profile
	// kept is how many bytes the run keeps of each for its profile.
	kept() uint64
	// recorded counts what is in the recording.
	recorded(t *testing.T) uint64
}

// watching is one open page, which says that it has an update as soon as it has it.
type watching struct {
	run, rev  uint64
	counts    map[[2]int]uint64
	updates   int
	bytes     int
	late      int // updates that do not hold what had been collected four updates before
	old       int // updates more than a second behind
	oldest    time.Duration
	collected func() (uint64, time.Duration)
}

// read takes updates until it has the last one.
func (w *watching) read(conn *websocket.Conn, last <-chan uint64) error {
	w.counts = map[[2]int]uint64{}
	var asked [4]uint64 // what had been collected when the latest updates had come
	final, stop := uint64(0), false
	for {
		var m struct {
			Push   string
			Update *live.Update
		}
		_, data, err := conn.Read(context.Background())
		if err == nil {
			err = json.Unmarshal(data, &m)
		}
		if err != nil {
			return err
		}
		if m.Push != "update" {
			continue
		}
		u := m.Update
		w.updates++
		w.bytes += len(data)
		if u.Since == 0 {
			clear(w.counts)
		}
		for i, node := range u.Counts.Node {
			w.counts[[2]int{u.Counts.Track[i], node}] = u.Counts.Count[i]
		}
		if u.Status.Taken+u.Status.Calls < asked[w.updates%len(asked)] {
			w.late++
		}
		n, now := w.collected()
		age := now - time.Duration(u.Status.Elapsed*float64(time.Second))
		if w.oldest = max(w.oldest, age); age > time.Second {
			w.old++
		}
		asked[w.updates%len(asked)] = n
		w.run, w.rev = u.Run, u.Rev
		if !stop {
			select {
			case final = <-last:
				stop = true
			default:
			}
		}
		if stop && u.Rev >= final {
			return nil
		}
		ack := fmt.Sprintf(`{"do":"ack","with":{"run":%d,"rev":%d}}`, u.Run, u.Rev)
		if err := conn.Write(context.Background(), websocket.MessageText, []byte(ack)); err != nil {
			return err
		}
	}
}

// dialed is a page that has asked for updates.
func dialed(t *testing.T, url string) *websocket.Conn {
	t.Helper()
	c := openPage(t, url)
	c.send(`{"id":1,"do":"watch","with":{"run":0,"rev":0}}`)
	return c.conn
}

// mostHeap is what the model, the builder of calls, four pages and their messages may take.
const mostHeap = 128 << 20

// load runs for a time of the target, so many times as fast as the target would, and judges.
func load(t *testing.T, m *live.Model, r loadRun, d time.Duration, speed int) {
	before := heap() // of other tests
	url, _ := serveControl(t, &loaded{model: m})
	var collected atomic.Uint64
	var now atomic.Int64
	pages := make([]watching, openPages)
	last := make(chan uint64, openPages)
	var all sync.WaitGroup
	dialed(t, url) // and never reads
	for i := range pages {
		conn := dialed(t, url)
		pages[i].collected = func() (uint64, time.Duration) { return collected.Load(), time.Duration(now.Load()) }
		all.Add(1)
		go func() {
			defer all.Done()
			if err := pages[i].read(conn, last); err != nil {
				t.Errorf("page %d: %v", i, err)
			}
		}()
	}
	const step = 20 * time.Millisecond
	var half uint64
	start := time.Now()
	for at := step; at <= d; at += step {
		collected.Store(r.advance(at))
		now.Store(int64(at))
		if at >= d/2 && half == 0 {
			half = heap()
		}
		time.Sleep(time.Until(start.Add(at / time.Duration(speed))))
	}
	end := heap()
	m.Finish(r.finish())
	_, rev := m.Revision()
	for range pages {
		last <- rev
	}
	m.Remark("the run is over") // an update more, for those that had the last one
	all.Wait()
	n := collected.Load()
	if got := r.recorded(t); got != n {
		t.Errorf("%d in the recording, %d were collected", got, n)
	}
	for i := range pages {
		pages[i].judge(t, n, speed == 1)
	}
	t.Logf("%d collected in %v of the target, %v: heap %.1f MB before, %.1f MB at half of it, %.1f MB at the end", n, d, time.Since(start).Round(time.Millisecond), float64(before)/1e6, float64(half)/1e6, float64(end)/1e6)
	if end > before+mostHeap+n*r.kept() {
		t.Errorf("the heap has grown to %d bytes with %d collected, of which the run keeps %d each", end, n, r.kept())
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// judge wants a page to have everything in the end, and in an update all that there was four
// updates before: the model rests for half a second between looks at most, and updates come every quarter.
func (w *watching) judge(t *testing.T, n uint64, realTime bool) {
	t.Helper()
	sum := uint64(0)
	for _, count := range w.counts {
		sum += count
	}
	if sum != n {
		t.Errorf("a page has %d of %d", sum, n)
	}
	if w.late > 0 {
		t.Errorf("%d of %d updates lack what had been collected four updates before", w.late, w.updates)
	}
	if realTime && w.old > w.updates/2 { // a machine that stands still for a moment is nothing to judge
		t.Errorf("%d of %d updates are more than a second old, the worst %v", w.old, w.updates, w.oldest)
	}
	t.Logf("%d updates of %d bytes on average, the oldest %v behind", w.updates, w.bytes/max(w.updates, 1), w.oldest.Round(time.Millisecond))
}

// loadCode is a program of 200 functions.
type loadCode struct{}

const loadBase = 0x08000000

func (loadCode) Lookup(pc uint32) []symbol.Location {
	i := (pc - loadBase) / 0x100
	low := loadBase + i*0x100
	f := symbol.Function{Name: fmt.Sprintf("function%d", i), File: "main.c", Line: int(i)*100 + 1, Low: low, High: low + 0x100}
	return []symbol.Location{{Function: f, CallFile: f.File, CallLine: f.Line + int(pc-low)/4}}
}
func (loadCode) Handler(exc uint16) string                 { return fmt.Sprintf("IRQ %d", exc) }
func (loadCode) HandlerAt(uint16, uint32) (string, string) { return "", "" }
func (loadCode) Region(uint32) string                      { return "" }

// sampleLoad takes samples with stacks of 8 frames.
type sampleLoad struct {
	path    string
	writer  *snapshot.Writer
	builder *profile.Builder
	random  *rand.Rand
	stacks  [500][8]unwind.Frame
	n       uint64
}

func newSampleLoad(t *testing.T, m *live.Model) *sampleLoad {
	r := &sampleLoad{path: filepath.Join(t.TempDir(), "load.mprof"), random: rand.New(rand.NewPCG(1, 1))}
	var err error
	if r.writer, err = snapshot.Create(r.path, snapshot.Header{}); err != nil {
		t.Fatal(err)
	}
	r.builder = profile.NewBuilder(loadCode{}, profile.Options{Period: time.Second / samplesPerSecond})
	m.WatchSamples(r.builder, live.Setup{})
	for i := range r.stacks {
		for k := range r.stacks[i] {
			r.stacks[i][k] = unwind.Frame{PC: loadBase + uint32(r.random.IntN(4)+20*(7-k))*0x100 + uint32(r.random.IntN(3))*4 + 4, Kind: unwind.Caller}
		}
		r.stacks[i][0].Kind = unwind.Leaf
	}
	return r
}

func (r *sampleLoad) advance(to time.Duration) uint64 {
	const period = time.Second / samplesPerSecond
	for at := time.Duration(r.n+1) * period; at <= to; at += period {
		s := &snapshot.Snapshot{Seq: r.n, Time: at, Weight: period, Halted: 30 * time.Microsecond, Windows: []snapshot.Window{{Addr: 0x20000000, Data: make([]byte, 256)}}}
		frames := &r.stacks[r.random.IntN(len(r.stacks))]
		s.Regs.Set(snapshot.PC, frames[0].PC)
		if err := r.writer.Append(s); err != nil {
			panic(err)
		}
		r.builder.Add(s, frames[:], unwind.Stop{})
		r.n++
	}
	return r.n
}

// kept is a profile.Sample, in a slice that grows.
func (r *sampleLoad) kept() uint64 { return uint64(unsafe.Sizeof(profile.Sample{})) * 5 / 4 }

func (r *sampleLoad) finish() *profile.Profile {
	if err := r.writer.Finish("duration reached"); err != nil {
		panic(err)
	}
	return r.builder.Finish(profile.Acquisition{}, 0)
}

func (r *sampleLoad) recorded(t *testing.T) (n uint64) {
	in, err := snapshot.Open(r.path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for {
		_, err := in.Next(context.Background())
		if err == io.EOF {
			return n
		} else if err != nil {
			t.Fatal(err)
		}
		n++
	}
}

// callLoad traces a main loop that never returns.
type callLoad struct {
	path    string
	file    *os.File
	buffer  *bufio.Writer
	encoder *trace.Encoder
	decoder *trace.Decoder
	builder *calls.Builder
	random  *rand.Rand
	now     uint32
	n       uint64
}

func newCallLoad(t *testing.T, m *live.Model) *callLoad {
	r := &callLoad{path: filepath.Join(t.TempDir(), "load.bin"), random: rand.New(rand.NewPCG(1, 1))}
	var err error
	if r.file, err = os.Create(r.path); err != nil {
		t.Fatal(err)
	}
	r.buffer = bufio.NewWriterSize(r.file, 1<<20)
	r.builder = calls.NewBuilder(loadCode{}, calls.Options{})
	m.WatchCalls(r.builder, live.Setup{})
	r.decoder = trace.NewDecoder(r.builder, trace.DecoderOptions{})
	r.encoder = trace.NewEncoder(io.MultiWriter(r.buffer, r.decoder), trace.EncoderOptions{Version: 2})
	if err := r.encoder.Metadata(trace.Metadata{Version: 2, TimerHz: 1e6, BufferBytes: 4096, Known: trace.KnownContexts}); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *callLoad) call(context uint16, f, depth int) {
	entry := r.now
	r.now += 5
	for n := r.random.IntN(3); n > 0 && depth < 5; n-- {
		r.call(context, f*3%190+n, depth+1)
	}
	r.now += 5 + uint32(r.random.IntN(20))
	if r.random.IntN(20) == 0 && context < trace.FirstException {
		r.call(trace.FirstException+16, 195, 0)
	}
	r.n++
	if err := r.encoder.Record(trace.Record{Func: loadBase + uint32(f)*0x100 | 1, Entry: entry, Duration: r.now - entry, Context: context, Depth: uint16(depth)}); err != nil {
		panic(err)
	}
}

func (r *callLoad) advance(to time.Duration) uint64 {
	begin := r.n
	for r.n < uint64(to.Seconds()*callsPerSecond) {
		r.call(0, r.random.IntN(5), 1)
	}
	r.now = max(r.now, uint32(to.Microseconds()))
	if r.n > begin {
		if err := r.encoder.Flush(); err != nil {
			panic(err)
		}
	}
	return r.n
}

func (r *callLoad) kept() uint64 { return 0 }

func (r *callLoad) finish() *profile.Profile {
	_ = r.decoder.Close()
	return r.builder.Finish(profile.Acquisition{}, 0)
}

// counting counts calls.
type counting struct {
	trace.Sink
	n uint64
}

func (c *counting) Records(b trace.Batch)   { c.n += uint64(len(b.Records)) }
func (c *counting) Metadata(trace.Metadata) {}
func (c *counting) Loss(trace.Loss)         { c.n = 1 << 62 }

func (r *callLoad) recorded(t *testing.T) uint64 {
	if err := r.buffer.Flush(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	defer r.file.Close()
	var c counting
	if err := trace.Replay(context.Background(), r.file, &c, trace.ReplayOptions{}); err != nil {
		t.Fatal(err)
	}
	return c.n
}

// TestLoad is up to 20 times as fast as a target would be: every page gets everything, the recording
// is complete, and the memory bounded.
func TestLoad(t *testing.T) {
	t.Run("samples", func(t *testing.T) {
		m := live.NewModel()
		load(t, m, newSampleLoad(t, m), loadTime(t), 20)
	})
	t.Run("calls", func(t *testing.T) {
		m := live.NewModel()
		load(t, m, newCallLoad(t, m), loadTime(t), 20)
	})
}

// TestLoadInTime is at the target's pace: updates are less than a second behind it.
func TestLoadInTime(t *testing.T) {
	t.Run("samples", func(t *testing.T) {
		m := live.NewModel()
		load(t, m, newSampleLoad(t, m), 3*time.Second, 1)
	})
	t.Run("calls", func(t *testing.T) {
		m := live.NewModel()
		load(t, m, newCallLoad(t, m), 3*time.Second, 1)
	})
}
