package session

import (
	"context"
	"sync"

	"github.com/mprof/mprof/session/sampling"
)

// board is a state that others watch.
type board struct {
	mu       sync.Mutex
	state    State
	watchers map[chan struct{}]bool
}

// State is what the session is doing.
func (b *board) State() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state
}

// Watch sends a value after each change of the state, until ctx ends, when the channel is
// closed; changes that come together are one.
func (b *board) Watch(ctx context.Context) <-chan struct{} {
	w := make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.watchers == nil {
		b.watchers = map[chan struct{}]bool{}
	}
	b.watchers[w] = true
	context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.watchers, w)
		close(w)
	})
	return w
}

// set changes the state, and tells those who watch.
func (b *board) set(change func(s *State)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.state)
	for w := range b.watchers {
		select {
		case w <- struct{}{}:
		default:
		}
	}
}

// advised is told what happened to the target of a run that goes on.
func (b *board) advised(a sampling.Advice) {
	b.set(func(st *State) {
		if st.Phase != Running && st.Phase != Lost {
			return
		}
		st.Phase, st.Err, st.Waiting = Running, nil, a.Lost
		if a.Lost {
			st.Phase = Lost
		}
		if !a.Back {
			st.Err = &AdviceError{a}
		}
	})
}

// AdviceError is what a person can do about a run that goes on.
type AdviceError struct{ Advice sampling.Advice }

func (e *AdviceError) Error() string { return e.Advice.Text }

// ended notes how a run ended.
func (b *board) ended(err error) {
	b.set(func(st *State) {
		if st.Waiting && err == nil {
			st.Err = nil // the run that waited was stopped
		}
		st.Phase, st.Waiting = Ready, false
		if err != nil {
			st.Phase, st.Err = Lost, err
		}
	})
}
