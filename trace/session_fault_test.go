package trace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// TestSessionReset: a target that was reset is started again, with the same
// version, and the sink is told.
func TestSessionReset(t *testing.T) {
	for _, c := range []struct {
		name  string
		quiet bool
	}{{"it says so", false}, {"it says nothing", true}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fw := &target{meta: ourMetadata(), quiet: c.quiet}
			r := runResetting(t, fw, SessionOptions{}, func() { fw.resets <- struct{}{} })
			if r.err != nil {
				t.Fatal(r.err)
			}
			if _, _, starts := fw.truth(); starts != 1 { // since boot
				t.Errorf("%d STARTs, want 1 after the reset", starts)
			}
			marked := 0
			for _, m := range r.metadata {
				if m.Flags&FlagStarted != 0 {
					marked++
				}
			}
			if last := r.batches[len(r.batches)-1]; marked != 1 || last.Version != 2 {
				t.Errorf("the sink heard of %d resets; records of version %d", marked, last.Version)
			}
			r.exact(t)
			replaysTheSame(t, r)
		})
	}
}

// TestSessionExchanged: after a reset another firmware runs.
func TestSessionExchanged(t *testing.T) {
	t.Parallel()
	fw := &target{meta: ourMetadata()}
	r := runResetting(t, fw, SessionOptions{}, func() {
		fw.mu.Lock()
		fw.meta.BuildID = []byte{0xAB, 0xCD}
		fw.mu.Unlock()
		fw.resets <- struct{}{}
	})
	var wrong *BuildIDError
	if !errors.As(r.err, &wrong) || !strings.Contains(r.err.Error(), "abcd") || !strings.Contains(r.err.Error(), "01020304") {
		t.Errorf("%v", r.err)
	}
	if len(r.records) < 300 {
		t.Errorf("%d records were kept", len(r.records))
	}
}

// runResetting resets a target after 300 records and ends after 300 more.
func runResetting(t *testing.T, fw *target, o SessionOptions, reset func()) *traced {
	t.Helper()
	host, far := net.Pipe()
	fw.boot(far)
	defer fw.end()
	r := &traced{target: fw}
	o.Record, o.Patience, o.BuildID = &r.recording, testPatience, ourMetadata().BuildID
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if r.session, r.err = Open(ctx, host, o); r.err != nil {
		t.Fatal(r.err)
	}
	defer r.session.Close()
	var later, done int
	r.onRecords = func() {
		switch n := len(r.records); {
		case n >= 300 && later == 0:
			later = n
			reset()
		case later > 0 && r.calls < 300 && done == 0:
			done = n // numbers have begun again
		case done > 0 && n >= done+300:
			cancel()
		}
	}
	r.err = r.session.Run(ctx, r)
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		t.Errorf("it did not go on after the reset: %d records, %d before it", len(r.records), later)
	}
	return r
}

// TestSessionStopsItself and TestSessionHangs: the user is told, and nothing else
// changes.
func TestSessionStopsItself(t *testing.T) {
	t.Parallel()
	fw := &target{meta: ourMetadata()}
	r := runHolding(t, fw, func(func()) { fw.running = false })
	if !r.said("stopped profiling by itself") || len(r.remarks) != 1 {
		t.Errorf("remarks %q", r.remarks)
	}
	if _, _, starts := fw.truth(); starts != 1 {
		t.Errorf("%d STARTs", starts)
	}
	r.exact(t)
}

func TestSessionHangs(t *testing.T) {
	t.Parallel()
	fw := &target{meta: ourMetadata()}
	r := runHolding(t, fw, func(told func()) { told() })
	if !r.said("said nothing for") || len(r.remarks) != 1 {
		t.Errorf("remarks %q", r.remarks)
	}
	r.exact(t)
}

// runHolding does something to a target after 200 records, which may wait until the user
// was told, and ends some time after that.
func runHolding(t *testing.T, fw *target, do func(told func())) *traced {
	t.Helper()
	host, far := net.Pipe()
	fw.boot(far)
	defer fw.end()
	r := &traced{target: fw}
	told := make(chan struct{})
	s, err := Open(t.Context(), host, SessionOptions{Patience: testPatience, Remark: func(text string) {
		if r.remarks = append(r.remarks, text); len(r.remarks) == 1 {
			close(told)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	wait := func() {
		select {
		case <-told:
		case <-ctx.Done():
		}
	}
	begun := false
	r.onRecords = func() {
		if len(r.records) > 200 && !begun {
			go func() {
				fw.mu.Lock()
				do(wait)
				fw.mu.Unlock()
				wait()
				time.Sleep(testPatience) // what else is said
				cancel()
			}()
			begun = true
		}
	}
	if err := s.Run(ctx, r); err != nil {
		t.Error(err)
	}
	return r
}

// TestSessionTalkOnly: firmware without a receive line.
func TestSessionTalkOnly(t *testing.T) {
	t.Parallel()
	fw := &target{newest: 1, obeys: func(byte) int { return -1 }, startRunning: true}
	r := runSession(t, fw, SessionOptions{}, 600, nil)
	if r.err != nil {
		t.Fatal(r.err)
	}
	if r.session.Listens() || !r.said("does not answer commands") {
		t.Errorf("remarks %q", r.remarks)
	}
	if r.records[0].Entry != fw.first.Entry {
		t.Errorf("the first record is %+v, the target sent %+v", r.records[0], fw.first)
	}
	replaysTheSame(t, r)
}

// TestSessionPortLost: what came before is kept.
func TestSessionPortLost(t *testing.T) {
	host, far := net.Pipe()
	fw := (&target{meta: ourMetadata()}).boot(far)
	s, err := Open(t.Context(), host, SessionOptions{Port: "/dev/ttyUSB7", Patience: testPatience})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r := &traced{target: fw}
	r.onRecords = func() {
		if len(r.records) > 200 {
			_ = far.Close()
		}
	}
	err = s.Run(t.Context(), r)
	if !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), "/dev/ttyUSB7") || len(r.records) < 200 {
		t.Errorf("%v, %d records", err, len(r.records))
	}
}

// broken fails after some bytes.
type broken struct{ room int }

func (b *broken) Write(p []byte) (int, error) {
	if b.room -= len(p); b.room < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

// TestSessionRecordFails: a full disk ends the run, in order.
func TestSessionRecordFails(t *testing.T) {
	host, far := net.Pipe()
	fw := (&target{meta: ourMetadata()}).boot(far)
	defer fw.end()
	s, err := Open(t.Context(), host, SessionOptions{Record: &broken{1000}, Patience: testPatience})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r := &traced{target: fw}
	if err := s.Run(t.Context(), r); !errors.Is(err, io.ErrShortWrite) {
		t.Error(err)
	}
	r.exact(t)
}

// TestSessionErrors: what is wrong, in a sentence.
func TestSessionErrors(t *testing.T) {
	silent := func(byte) int { return -1 }
	for _, c := range []struct {
		name   string
		target *target
		like   func(error) bool
		want   []string
	}{
		{"silence", &target{obeys: silent}, isError[*SilentError], []string{"nothing came from /dev/ttyUSB0 at 921600 baud in ", " s"}},
		{"text", &target{obeys: silent, text: "\r\nFreeRTOS shell, type help\r\n> "}, isError[*TextError], []string{"gives text", "FreeRTOS shell"}},
		{"wrong baud rate", &target{obeys: silent, text: "\x00\x80\xf8\xff\x00\xe0\xfe\x00"}, isError[*NoiseError], []string{"none of them a packet", "00 80 f8 ff", "wrong baud rate"}},
		{"noise", &target{obeys: silent, text: "\x93\x12\xa7\x5b\xd4\x2d\x91\xb6"}, isError[*NoiseError], []string{"none of them a packet", "93 12 a7 5b"}},
		{"wrong CRC", &target{obeys: silent, text: "\x55\xaa\x02\x00\x01\x03\x99\x99\n"}, isError[*NoiseError], []string{"no CRC is right"}},
		{"deaf", &target{obeys: silent, text: string(Variant{}.AppendPacket(nil, TypeMetadata, AppendMetadata(nil, Metadata{Flags: FlagStarted, Known: KnownFlags})...))},
			isError[*DeafError], []string{"does not hear"}},
		{"refuses all", &target{obeys: func(byte) int { return ReasonNotNow }}, isError[*RefusedError], []string{"refuses every command", "not now"}},
		{"refuses START", &target{obeys: func(c byte) int {
			if c == CommandStart {
				return ReasonNotNow
			}
			return 0
		}}, isError[*RefusedError], []string{"refuses START", "not now"}},
		{"another build", &target{meta: Metadata{BuildID: []byte{0xBE, 0xEF}, Known: KnownContexts}}, isError[*BuildIDError], []string{"beef", "01020304"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := SessionOptions{Port: "/dev/ttyUSB0 at 921600 baud", BuildID: ourMetadata().BuildID}
			r := runSession(t, c.target, o, 1, nil)
			if r.err == nil || !c.like(r.err) {
				t.Fatalf("%T %v", r.err, r.err)
			}
			for _, want := range c.want {
				if !strings.Contains(r.err.Error(), want) {
					t.Errorf("%v lacks %q", r.err, want)
				}
			}
			if c.target.text != "" && r.recording.Len() == 0 {
				t.Error("what came was not recorded")
			}
		})
	}
}

func isError[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}

// TestSessionForced: another build id is a remark.
func TestSessionForced(t *testing.T) {
	t.Parallel()
	r := runSession(t, &target{meta: ourMetadata()}, SessionOptions{BuildID: []byte{0xBE, 0xEF}, Force: true}, 50, nil)
	if r.err != nil || !r.said("beef") {
		t.Errorf("%v, remarks %q", r.err, r.remarks)
	}
}

// TestSessionCancelled: Open ends with its context.
func TestSessionCancelled(t *testing.T) {
	host, far := net.Pipe()
	defer far.Close()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := Open(ctx, host, SessionOptions{Patience: time.Hour}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestReplayErrors: files that are no recordings.
func TestReplayErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "raw.bin: the recording is empty"},
		{"text", []byte("hello world, this is no trace\n"), "gives text"},
		{"an ELF file", []byte("\x7fELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x28\x00"), "ELF file"},
		{"gzip", []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"), "gzip"},
		{"noise", []byte("\x93\x12\xa7\x5b\xd4\x2d\x91\xb6"), "none of them a packet"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Replay(t.Context(), bytes.NewReader(c.data), &heard{}, ReplayOptions{Name: "raw.bin"})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "raw.bin") {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestReplayCut: a recording without its end says so.
func TestReplayCut(t *testing.T) {
	t.Parallel()
	r := runSession(t, &target{meta: ourMetadata()}, SessionOptions{}, 500, nil)
	if r.err != nil {
		t.Fatal(r.err)
	}
	var remarks []string
	half := r.recording.Bytes()[:r.recording.Len()/2]
	var again heardRun
	o := ReplayOptions{BuildID: ourMetadata().BuildID, Remark: func(s string) { remarks = append(remarks, s) }}
	if err := Replay(t.Context(), bytes.NewReader(half), &again, o); err != nil {
		t.Fatal(err)
	}
	if len(again.records) < 100 || len(remarks) != 1 || !strings.Contains(remarks[0], "ends while profiling ran") {
		t.Errorf("%d records, remarks %q", len(again.records), remarks)
	}
	o.BuildID = []byte{7}
	var wrong *BuildIDError
	if err := Replay(t.Context(), bytes.NewReader(half), &again, o); !errors.As(err, &wrong) {
		t.Error(err)
	}
}
