package session

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/profile"
)

// waitFor waits until the state of a session is as it should be.
func waitFor(t *testing.T, s *Session, what string, is func(State) bool) State {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	changed := s.Watch(ctx)
	for {
		if st := s.State(); is(st) {
			return st
		}
		if _, more := <-changed; !more {
			t.Fatalf("%s: the session is %+v", what, s.State())
		}
	}
}

func in(p Phase) func(State) bool { return func(st State) bool { return st.Phase == p } }

// must ends the test at an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newSession(t *testing.T) *Session {
	t.Helper()
	s := New(Options{Folder: t.TempDir()})
	t.Cleanup(func() { s.Close() })
	return s
}

// TestSamplesFromConnectToSave: what a person does at the page, on the simulated board.
func TestSamplesFromConnectToSave(t *testing.T) {
	s, ctx := newSession(t), t.Context()
	if _, err := s.Profile(ctx); !errors.Is(err, ErrNothing) {
		t.Errorf("saved without a run: %v", err)
	}
	must(t, s.Connect(ctx, Connect{Kind: Samples, Probe: "sim", Rate: 1000}))
	if st := s.State(); st.Phase != Ready || st.Device == "" || st.Source == "" || st.ELF == "" {
		t.Fatalf("connected: %+v", st)
	}
	must(t, s.Start(ctx, Start{}))
	for len(s.Model().Since(0, 0).Counts.Count) < 10 {
		time.Sleep(time.Millisecond)
	}
	if err := s.Start(ctx, Start{}); err == nil {
		t.Error("started twice")
	}
	during, err := s.Profile(ctx)
	must(t, err)
	must(t, s.Stop(ctx))
	after, err := s.Profile(ctx)
	must(t, err)
	if a, b := samples(during), samples(after); a == 0 || b < a {
		t.Errorf("%d samples saved during the run, %d after it", a, b)
	}
	if during.Taken.EndReason != "the run goes on" || after.Taken.EndReason != "stopped by the user" {
		t.Errorf("the profiles end because %q and %q", during.Taken.EndReason, after.Taken.EndReason)
	}
	total := uint64(0)
	u := s.Model().Since(0, 0)
	for _, n := range u.Counts.Count {
		total += n
	}
	if total != samples(after) {
		t.Errorf("the model has %d samples, the profile %d", total, samples(after))
	}
}

// TestUnplugged: the probe goes away in the middle and does not come back. The session says so
// and has what came before; it can begin again, and names what nobody saved.
func TestUnplugged(t *testing.T) {
	s, ctx := newSession(t), t.Context()
	must(t, s.Connect(ctx, Connect{Kind: Samples, Probe: "sim:debugprobe,unplug=2s", Rate: 1000}))
	must(t, s.Start(ctx, Start{}))
	if st := waitFor(t, s, "unplugged", in(Lost)); st.Err == nil || !st.Collected || !st.Waiting && !errors.Is(st.Err, probe.ErrDisconnected) {
		t.Errorf("after it was unplugged: %+v", st)
	}
	over := func() string {
		t.Helper()
		_ = s.Stop(ctx) // unless it has given up already
		return waitFor(t, s, "over", func(st State) bool {
			return st.Phase == Lost && !st.Waiting && errors.Is(st.Err, probe.ErrDisconnected)
		}).Recording
	}
	first := over()
	p, err := s.Profile(ctx)
	must(t, err)
	if n := samples(p); n < 1000 || p.Duration < time.Second {
		t.Errorf("%d samples of the two seconds before, of %v", n, p.Duration)
	}
	must(t, s.Start(ctx, Start{}))
	waitFor(t, s, "unplugged again", in(Lost))
	second := over()
	if _, err := os.Stat(first); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the recording of the first run, which was saved: %v", err)
	}
	if unsaved := s.Close(); len(unsaved) != 1 || unsaved[0] != second {
		t.Errorf("not saved: %q, want %q", unsaved, second)
	}
	if _, err := os.Stat(second); err != nil {
		t.Error(err)
	}
}

// TestPluggedInAgain: the run goes on, and the session says so.
func TestPluggedInAgain(t *testing.T) {
	s, ctx := newSession(t), t.Context()
	must(t, s.Connect(ctx, Connect{Kind: Samples, Probe: "sim:debugprobe,off=2s+1s", Rate: 1000}))
	must(t, s.Start(ctx, Start{Duration: 5 * time.Second}))
	st := waitFor(t, s, "the end", in(Ready))
	if st.Err != nil {
		t.Errorf("the target is back: %v", st.Err)
	}
	p, err := s.Profile(ctx)
	must(t, err)
	if p.Duration < 5*time.Second || !slices.ContainsFunc(p.Events, func(e profile.Event) bool { return e.Name == "Back" }) {
		t.Errorf("%v, events %+v", p.Duration, p.Events)
	}
}

// TestReset forgets what was collected, while the run goes on and after it.
func TestReset(t *testing.T) {
	s, ctx := newSession(t), t.Context()
	must(t, s.Connect(ctx, Connect{Kind: Samples, Probe: "sim", Rate: 1000}))
	must(t, s.Start(ctx, Start{}))
	before, number := s.State().Recording, s.Model().Since(0, 0).Run
	must(t, s.Reset(ctx))
	if st := s.State(); st.Phase != Running || st.Recording == before || s.Model().Since(0, 0).Run == number {
		t.Errorf("reset: %+v", st)
	}
	if _, err := os.Stat(before); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the recording of before: %v", err)
	}
	must(t, s.Stop(ctx))
	must(t, s.Reset(ctx))
	if _, err := s.Profile(ctx); !errors.Is(err, ErrNothing) {
		t.Errorf("saved after a reset: %v", err)
	}
	if st := s.State(); st.Collected || st.Recording != "" || st.Phase != Ready {
		t.Errorf("reset after the end: %+v", st)
	}
	must(t, s.Start(ctx, Start{}))
	must(t, s.Disconnect(ctx))
	if st := s.State(); st.Phase != Idle || !st.Collected {
		t.Errorf("disconnected: %+v", st)
	}
}

// TestCalls traces the built-in firmware: what is saved in the middle and after the end has the
// calls of the model.
func TestCalls(t *testing.T) {
	s, ctx := newSession(t), t.Context()
	must(t, s.Connect(ctx, Connect{Kind: Calls, Port: "sim"}))
	if st := s.State(); st.Device != "boat logger" || st.Source == "" {
		t.Errorf("connected: %+v", st)
	}
	must(t, s.Start(ctx, Start{}))
	for s.Model().Since(0, 0).Status.Calls < 1000 {
		time.Sleep(time.Millisecond)
	}
	during, err := s.Profile(ctx)
	must(t, err)
	if during.Trace.Calls < 1000 || during.Trace.LostCalls != 0 || during.Taken.EndReason != "the run goes on" || during.Taken.Probe != "sim" {
		t.Errorf("during the run: %+v, %+v", during.Trace, during.Taken)
	}
	must(t, s.Stop(ctx))
	after, err := s.Profile(ctx)
	must(t, err)
	if after.Trace.Calls < during.Trace.Calls || after.Trace.Calls != s.Model().Since(0, 0).Status.Calls {
		t.Errorf("%d calls saved during the run, %d after it, %d in the model", during.Trace.Calls, after.Trace.Calls, s.Model().Since(0, 0).Status.Calls)
	}
	if u := s.Model().Since(0, 0); len(u.Functions.File) == 0 {
		t.Error("no function")
	} else if _, ok := s.Source(u.Functions.File[0]); !ok {
		t.Errorf("no source of %s", u.Functions.File[0])
	}
	if _, ok := s.Source("engine.go"); ok {
		t.Error("a file that the program does not name is given away")
	}
}

// TestRefused: what makes no sense, and what is not there.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		connect Connect
		want    string
	}{
		{Connect{Kind: "pictures"}, "nothing that can be collected"},
		{Connect{Kind: Samples, Probe: "0d28:0204"}, "which firmware"},
		{Connect{Kind: Samples, Probe: "sim:nothing"}, "no simulated probe"},
		{Connect{Kind: Samples, Probe: "sim", ELF: "nothing.elf"}, "nothing.elf"},
		{Connect{Kind: Samples, Probe: "sim", Rate: 1e5}, "20000 Hz at most"},
		{Connect{Kind: Calls}, "which port"},
		{Connect{Kind: Calls, Port: "tcp:127.0.0.1:1"}, "cannot connect"},
		{Connect{Kind: Calls, Port: "sim", ELF: "nothing.elf"}, "nothing.elf"},
	} {
		s := newSession(t)
		err := s.Connect(t.Context(), c.connect)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.connect, err)
		}
		if st := s.State(); st.Phase != Idle || st.Err == nil {
			t.Errorf("%+v: %+v", c.connect, st)
		}
		if err := s.Start(t.Context(), Start{}); err == nil {
			t.Errorf("%+v: started", c.connect)
		}
	}
}

func samples(p *profile.Profile) (n uint64) {
	for _, t := range p.Threads {
		for _, s := range t.Samples {
			n += uint64(s.Count)
		}
	}
	return n
}
