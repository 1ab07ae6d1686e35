package schedule

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"
)

// machine is one whose time passes by itself, or all at once while it stands still.
type machine struct {
	now    time.Time
	timers []*machineTimer
	ran    time.Duration // without the standstills
}

type machineTimer struct {
	*machine
	at time.Time
	f  func()
}

func (m *machine) after(d time.Duration, f func()) timer {
	t := &machineTimer{machine: m, f: f}
	t.Reset(d)
	m.timers = append(m.timers, t)
	return t
}

func (t *machineTimer) Reset(d time.Duration) bool { t.at = t.now.Add(d); return true }
func (t *machineTimer) Stop() bool                 { t.at = time.Time{}; return true }

// run lets a time pass in which everything happens when it is due.
func (m *machine) run(d time.Duration) {
	const tick = 100 * time.Microsecond
	for ; d > 0; d -= tick {
		m.now, m.ran = m.now.Add(tick), m.ran+tick
		m.due()
	}
}

// stand lets a time pass in which nothing happens, and what was due happens behind it.
func (m *machine) stand(d time.Duration) {
	m.now = m.now.Add(d)
	m.due()
}

func (m *machine) due() {
	for _, t := range m.timers {
		if !t.at.IsZero() && !t.at.After(m.now) {
			t.at = time.Time{}
			t.f()
		}
	}
}

// TestPatience: a wait ends after its time on a machine that runs, and not with a standstill, whatever the clock says:
// behind it the answer that came meanwhile is found.
func TestPatience(t *testing.T) {
	const d = 250 * time.Millisecond
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		m := &machine{now: time.Now()}
		ctx, cancel := patienceBy(t.Context(), d, timers{func() time.Time { return m.now }, m.after})
		stood, times, stands := time.Duration(0), 0, int(seed%6)
		for i := range stands {
			m.run(time.Duration(random.Int64N(int64(d) / int64(stands+1))))
			for ctx.Err() == nil && i < stands && random.IntN(3) > 0 { // some in a row
				part := time.Duration(random.Int64N(int64(4 * time.Second)))
				stood += part
				times++
				if m.stand(part); ctx.Err() != nil && times < patienceParts {
					t.Fatalf("seed %d: it ended in a standstill, %v after it had begun to wait", seed, m.ran)
				}
				m.run(d / 20)
			}
		}
		for ctx.Err() == nil {
			if m.ran > 3*d {
				t.Fatalf("seed %d: it does not end", seed)
			}
			m.run(time.Millisecond)
		}
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			t.Errorf("seed %d: %v", seed, ctx.Err())
		}
		if m.ran < d/patienceParts || stood == 0 && (m.ran < d || m.ran > d+time.Millisecond) {
			t.Errorf("seed %d: it ended after %v in which the machine ran, and %v in which it stood", seed, m.ran, stood)
		}
		cancel()
	}
}

// TestPatienceIsAContext: what package context promises of its own holds of this one, with those of its own above and
// below it.
func TestPatienceIsAContext(t *testing.T) {
	type key struct{}
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		root, cancelRoot := context.WithCancel(context.WithValue(t.Context(), key{}, 7))
		outer, cancelOuter := Patience(root, time.Second)
		inner, cancelInner := Patience(outer, 3*time.Second)
		below, cancelBelow := context.WithTimeout(inner, time.Minute)
		defer cancelBelow()
		hooked, left := 0, 0
		context.AfterFunc(inner, func() { hooked++ })
		if !context.AfterFunc(inner, func() { left++ })() {
			t.Error("a hook that waits is not taken off")
		}
		if end, ok := inner.Deadline(); !ok || !end.Equal(begun.Add(time.Second)) || below.Value(key{}) != 7 {
			t.Errorf("deadline %v, %v; value %v", end.Sub(begun), ok, below.Value(key{}))
		}
		<-below.Done()
		if took := time.Since(begun); took != time.Second {
			t.Errorf("it took %v", took)
		}
		synctest.Wait()
		for _, ctx := range []context.Context{outer, inner, below} {
			if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
				t.Error(ctx.Err())
			}
		}
		cancelInner()
		cancelOuter()
		context.AfterFunc(inner, func() { hooked++ })
		synctest.Wait()
		if hooked != 2 || left != 0 || root.Err() != nil || !errors.Is(inner.Err(), context.DeadlineExceeded) {
			t.Errorf("%d hooks called, %d that were taken off; %v, %v", hooked, left, root.Err(), inner.Err())
		}

		ctx, cancel := Patience(root, time.Hour)
		cancelRoot()
		<-ctx.Done()
		if ctx.Err() != context.Canceled {
			t.Error(ctx.Err())
		}
		cancel()
		over, cancel := Patience(root, time.Hour)
		<-over.Done()
		cancel()
		ctx, cancel = Patience(t.Context(), time.Hour)
		cancel()
		if ctx.Err() != context.Canceled {
			t.Error(ctx.Err())
		}
	})
}
