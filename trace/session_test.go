package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// testPatience makes a session as quick as a target without a wire can be.
const testPatience = 960 * time.Millisecond

// heardRun is a sink that counts the run since the last START.
type heardRun struct {
	heard
	calls, lost, dropped uint64
	times                []time.Duration
	until                int // records; then cancel
	cancel               func()
	onRecords            func()
}

func (h *heardRun) Records(b Batch) {
	h.heard.Records(b)
	h.calls += uint64(len(b.Records))
	if h.onRecords != nil {
		h.onRecords()
	}
	if h.cancel != nil && len(h.records) >= h.until {
		h.cancel()
	}
}

func (h *heardRun) Loss(l Loss) {
	h.heard.Loss(l)
	switch l.Kind {
	case LostRecords:
		h.lost += l.Records
	case Dropped:
		h.dropped += l.Records
	}
}

func (h *heardRun) Answer(c, reason byte) {
	h.heard.Answer(c, reason)
	if c == CommandStart && reason == 0 {
		h.calls, h.lost, h.dropped = 0, 0, 0
	}
}

func (h *heardRun) Arrived(at time.Duration) { h.times = append(h.times, at) }

// ourMetadata is what firmware/mprof says.
func ourMetadata() Metadata {
	return Metadata{TimerHz: 1_000_000, BufferBytes: 1024, BuildID: []byte{1, 2, 3, 4}, Name: "fake", PairCost: 256, InnerCost: 128, Known: KnownContexts}
}

// traced is a run of a session: what it was told, and what it said.
type traced struct {
	heardRun
	target    *target
	remarks   []string
	recording bytes.Buffer
	session   *Session
	err       error
}

// runSession opens a session with a target and runs it until so many records came.
func runSession(t *testing.T, fw *target, o SessionOptions, until int, link func(net.Conn) io.ReadWriteCloser) *traced {
	t.Helper()
	host, far := net.Pipe()
	fw.boot(far)
	defer fw.end()
	r := &traced{target: fw}
	r.until = until
	o.Record = &r.recording
	o.Remark = func(s string) { r.remarks = append(r.remarks, s) }
	if o.Patience == 0 {
		o.Patience = testPatience
	}
	if o.BuildID == nil {
		o.BuildID = fw.meta.BuildID
	}
	var port io.ReadWriteCloser = host
	if link != nil {
		port = link(host)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r.session, r.err = Open(ctx, port, o)
	if r.err != nil {
		return r
	}
	defer r.session.Close()
	ctx, r.cancel = context.WithCancel(ctx)
	defer r.cancel()
	r.err = r.session.Run(ctx, r)
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		t.Errorf("after a minute only %d records", len(r.records))
	}
	return r
}

// exact compares with what the target counted.
func (r *traced) exact(t *testing.T) {
	t.Helper()
	sent, dropped, _ := r.target.truth()
	if r.calls+r.lost+r.dropped != uint64(sent)+uint64(dropped) {
		t.Errorf("%d records, %d lost, %d dropped; the target sent %d and dropped %d", r.calls, r.lost, r.dropped, sent, dropped)
	}
}

// said tells whether a remark has a word.
func (r *traced) said(word string) bool {
	return slices.ContainsFunc(r.remarks, func(s string) bool { return strings.Contains(s, word) })
}

func TestSession(t *testing.T) {
	for _, c := range []struct {
		name    string
		target  *target
		options SessionOptions
		version int
		remark  string
	}{
		{"our firmware", &target{meta: ourMetadata()}, SessionOptions{}, 2, ""},
		{"small ring", &target{meta: ourMetadata(), room: 4, rate: 20}, SessionOptions{}, 2, ""},
		{"our firmware, version 1", &target{meta: ourMetadata()}, SessionOptions{Version: 1}, 1, ""},
		{"runs already", &target{meta: ourMetadata(), startRunning: true}, SessionOptions{}, 2, ""},
		{"runs already with other ticks", &target{meta: ourMetadata(), startRunning: true, notNow: true, rate: 40, room: 1200, slow: true}, SessionOptions{}, 2, ""},
		{"version 1 that refuses a body", &target{meta: ourMetadata(), newest: 1, strict: true}, SessionOptions{}, 1, ""},
		{"version 1 that ignores a body", &target{meta: ourMetadata(), newest: 1}, SessionOptions{}, 1, ""},
		{"no build id", &target{meta: Metadata{TimerHz: 1, Known: KnownBufferBytes}, newest: 1, statuses: KnownSent}, SessionOptions{BuildID: []byte{}}, 1, "no build id"},
		{"no metadata", &target{newest: 1, statuses: KnownSent}, SessionOptions{}, 1, "METADATA"},
		{"another framing", &target{meta: ourMetadata(), newest: 1, variant: Variant{CRC: MODBUS, Over: OverPayload, AA55: true}}, SessionOptions{}, 1, ""},
		{"START is lost again and again", &target{meta: ourMetadata(), obeys: deafTo(CommandStart, 7)}, SessionOptions{}, 2, ""},
		{"no ACKs", &target{meta: ourMetadata(), noACK: true}, SessionOptions{}, 2, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := runSession(t, c.target, c.options, 300, nil)
			if r.err != nil {
				t.Fatal(r.err)
			}
			if r.batches[0].Version != c.version {
				t.Errorf("records of version %d, want %d", r.batches[0].Version, c.version)
			}
			r.exactIfCounted(t)
			if (c.remark == "") != (len(r.remarks) == 0) || len(r.remarks) > 1 || !r.said(c.remark) && c.remark != "" {
				t.Errorf("remarks %q, want %q", r.remarks, c.remark)
			}
			if _, _, starts := c.target.truth(); starts != 1 {
				t.Errorf("%d STARTs", starts)
			}
			if len(r.times) == 0 || !slices.IsSorted(r.times) {
				t.Errorf("arrivals %v", r.times)
			}
			replaysTheSame(t, r)
		})
	}
}

// deafTo does not hear a command the first times.
func deafTo(command byte, times int) func(byte) int {
	return func(c byte) int {
		if c == command && times > 0 {
			times--
			return -1
		}
		return 0
	}
}

func (r *traced) exactIfCounted(t *testing.T) {
	t.Helper()
	if r.target.statuses < KnownWaiting {
		if len(r.status) == 0 || r.status[len(r.status)-1].Running {
			t.Errorf("no STATUS at the end: %+v", r.status)
		}
		return
	}
	if r.batches[0].Version == 1 { // what was dropped stands in STATUS alone
		sent, _, _ := r.target.truth()
		if r.calls+r.lost != uint64(sent) {
			t.Errorf("%d records, %d lost; the target sent %d", r.calls, r.lost, sent)
		}
		return
	}
	r.exact(t)
}

// replaysTheSame: the recording tells a sink what the run told it.
func replaysTheSame(t *testing.T, r *traced) {
	t.Helper()
	var again heardRun
	err := Replay(t.Context(), bytes.NewReader(r.recording.Bytes()), &again, ReplayOptions{BuildID: r.target.meta.BuildID, Decoder: r.session.o.Decoder})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.records, r.records) || again.lost != r.lost || again.dropped != r.dropped {
		t.Errorf("the recording has %d records, %d lost, %d dropped; the run had %d, %d, %d",
			len(again.records), again.lost, again.dropped, len(r.records), r.lost, r.dropped)
	}
	if fmt.Sprint(again.metadata, again.status, again.answers) != fmt.Sprint(r.metadata, r.status, r.answers) {
		t.Errorf("the recording says\n%v %v %v, the run\n%v %v %v", again.metadata, again.status, again.answers, r.metadata, r.status, r.answers)
	}
}

// lossy loses bytes both ways.
type lossy struct {
	net.Conn
	share            float64 // of bytes
	reading, writing *rand.Rand
}

func (l *lossy) Read(b []byte) (int, error) {
	n, err := l.Conn.Read(b)
	kept := thin(b[:n], l.share, l.reading)
	if kept == 0 && err == nil {
		return l.Read(b)
	}
	return kept, err
}

func (l *lossy) Write(b []byte) (int, error) {
	c := slices.Clone(b)
	_, err := l.Conn.Write(c[:thin(c, l.share, l.writing)])
	return len(b), err
}

func thin(b []byte, share float64, random *rand.Rand) int {
	k := 0
	for _, c := range b {
		if random.Float64() >= share {
			b[k] = c
			k++
		}
	}
	return k
}

// TestSessionLosesBytes: whatever gets lost, the run ends, and the sums are those
// of the target.
func TestSessionLosesBytes(t *testing.T) {
	seeds := uint64(24)
	if testing.Short() {
		seeds = 8
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			fw := &target{meta: ourMetadata(), room: 16 + int(seed), rate: 2 + int(seed)%7, random: rand.New(rand.NewPCG(seed, 3))}
			o := SessionOptions{Version: 1 + int(seed+1)%2}
			r := runSession(t, fw, o, 300, func(c net.Conn) io.ReadWriteCloser {
				share := float64(seed) / float64(100*seeds)
				return &lossy{c, share, rand.New(rand.NewPCG(seed, 7)), rand.New(rand.NewPCG(seed, 8))}
			})
			if r.err != nil {
				t.Fatal(r.err)
			}
			if !r.said("missing") {
				r.exactIfCounted(t)
			}
			replaysTheSame(t, r)
		})
	}
}

// TestSessionLeavesNothingBehind: no goroutine, whatever happened.
func TestSessionLeavesNothingBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	runSession(t, &target{meta: ourMetadata()}, SessionOptions{}, 50, nil)
	runSession(t, &target{meta: ourMetadata()}, SessionOptions{BuildID: []byte{9}}, 50, nil)
	host, far := net.Pipe() // nobody reads it
	if _, err := Open(t.Context(), host, SessionOptions{Patience: testPatience}); err == nil {
		t.Error("nobody was there")
	}
	_ = far.Close()
	for range 6000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}
