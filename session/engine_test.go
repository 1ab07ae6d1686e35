package session

import (
	"context"
	"errors"
	"testing"
	"time"

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

func samples(p *profile.Profile) (n uint64) {
	for _, t := range p.Threads {
		for _, s := range t.Samples {
			n += uint64(s.Count)
		}
	}
	return n
}
