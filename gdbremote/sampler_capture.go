package gdbremote

import (
	"context"
	"errors"
	"time"

	"github.com/mprof/mprof/snapshot"
)

// taken is what one sample has come to so far. The target stands from the moment
// when the interrupt reaches the server until the request to resume does; both are
// under way for about as long, so begin to resumed is that time, too.
type taken struct {
	begin   time.Duration // the interrupt is sent
	stood   time.Duration // its answer came; 0: it did not
	resumed time.Duration // the request to resume is sent; 0: it was not

	stop    Stop
	regs    snapshot.Registers
	windows []snapshot.Window
}

// errNoPC: a sample is a PC at least.
var errNoPC = &RefusedError{Packet: "read registers", Answer: "no PC"}

// capture halts the target, copies what a sample is made of, and lets it run.
func (s *Sampler) capture(ctx context.Context, t *taken) (err error) {
	if t.stop, err = s.client.Halt(ctx); err != nil {
		return err
	}
	t.stood = s.clock.Now()
	err = s.copyTarget(ctx, t)
	if errors.Is(err, ErrDisconnected) {
		return err
	}
	resumeErr := s.client.Resume(ctx)
	t.resumed = s.clock.Now()
	return errors.Join(err, resumeErr)
}

// copyTarget reads registers and stack: together, where it is known beforehand
// which memory that is and it was worth while, otherwise one after the other.
func (s *Sampler) copyTarget(ctx context.Context, t *taken) error {
	stopped := t.stop.Already
	var guesses []Window
	way := inSteps
	if !stopped && !s.options.RegistersOnly && s.client.pipelines {
		way = s.ways.next()
	}
	if way == atOnce {
		if guesses = s.stacks.guesses(); len(guesses) == 0 {
			way = inSteps
		}
	}
	regs, memory, err := s.client.Registers(ctx, s.extra.now(), guesses)
	t.regs = regs
	if err != nil {
		return err
	}
	if _, ok := regs.Value(snapshot.PC); !ok {
		return errNoPC
	}
	if stopped || s.options.RegistersOnly {
		return nil
	}
	t.keep(guesses, memory)
	if rest := missingOf(s.stacks.wanted(&t.regs), t.windows); len(rest) > 0 {
		if err := s.readRest(ctx, t, rest); err != nil {
			return err
		}
	}
	t.trim(s.stacks.pointers(&t.regs))
	s.ways.spent(way, s.clock.Now()-t.begin)
	return nil
}

// readRest reads windows. One that the server refuses may reach past the end of the
// memory, which is then looked for.
func (s *Sampler) readRest(ctx context.Context, t *taken, rest []Window) error {
	memory, err := s.client.readWindows(ctx, rest)
	if err != nil {
		return err
	}
	t.keep(rest, memory)
	for i, w := range rest {
		if len(memory[i]) > 0 {
			continue
		}
		if err := s.findEnd(ctx, t, w); err != nil {
			return err
		}
	}
	return nil
}

// findEnd reads as much of a refused window as there is, to the word: stacks end where
// memory does, often. It takes some exchanges, once for each such end.
func (s *Sampler) findEnd(ctx context.Context, t *taken, w Window) error {
	good, bad := 0, w.Size
	found := snapshot.Window{Addr: w.Addr}
	for bad-good > 4 {
		middle := good + (bad-good)/2&^3
		memory, err := s.client.readWindows(ctx, []Window{{w.Addr + uint32(good), middle - good}})
		if err != nil {
			return err
		}
		if len(memory[0]) < middle-good {
			bad = middle
			continue
		}
		found.Data, good = append(found.Data, memory[0]...), middle
	}
	if good > 0 {
		t.windows = append(t.windows, found)
		s.stacks.noteEnd(w.Addr + uint32(good))
	}
	return nil
}

// keep adds what came of windows.
func (t *taken) keep(windows []Window, memory [][]byte) {
	for i, p := range memory {
		if len(p) > 0 {
			t.windows = append(t.windows, snapshot.Window{Addr: windows[i].Addr, Data: p})
		}
	}
}

// trim drops what lies below every stack pointer: nobody asks for it.
func (t *taken) trim(pointers []uint32) {
	kept := t.windows[:0]
	for _, w := range t.windows {
		low := uint32(0)
		for _, p := range pointers {
			if end := w.Addr + uint32(len(w.Data)); p < end && (low == 0 || p < low) {
				low = max(p, w.Addr)
			}
		}
		if low == 0 {
			continue
		}
		w.Data = w.Data[low-w.Addr:]
		w.Addr = low
		kept = append(kept, w)
	}
	t.windows = kept
}

// missingOf are the parts of ranges that no window holds.
func missingOf(ranges []Range, windows []snapshot.Window) (rest []Window) {
	for _, r := range ranges {
		for _, w := range windows {
			if r.Low >= w.Addr && r.Low < w.Addr+uint32(len(w.Data)) {
				r.Low = min(r.High, w.Addr+uint32(len(w.Data)))
			}
			if r.High > w.Addr && r.High <= w.Addr+uint32(len(w.Data)) {
				r.High = max(r.Low, w.Addr)
			}
		}
		if r.High > r.Low {
			rest = append(rest, Window{Addr: r.Low, Size: int(r.High - r.Low)})
		}
	}
	return rest
}

// readWindows is Registers without registers.
func (c *Client) readWindows(ctx context.Context, windows []Window) ([][]byte, error) {
	c.requests = c.requests[:0]
	memory := make([][]byte, len(windows))
	for i, w := range windows {
		c.requestWindow(i, w)
	}
	packets := make([][]byte, len(c.requests))
	for i := range c.requests {
		packets[i] = c.requests[i].packet
	}
	err := c.exchange(ctx, packets, func(i int, answer []byte) error {
		return c.takePart(&c.requests[i], answer, nil, memory)
	})
	return memory, err
}

// way is how registers and stack are read.
type way int

const (
	inSteps way = iota // registers, then the stack that SP points to
	atOnce             // with the memory where the stack will be
	numWays
)

// ways chooses the one that halts the target for less. Which that is depends on the
// server: QEMU gives memory away, a probe behind OpenOCD takes its time for every
// word, and what is guessed too low is read for nothing.
type ways struct {
	mean  [numWays]float64 // of the halted time, ns
	taken [numWays]int
	turn  int
}

const (
	wayLessons = 16 // samples of each before one is chosen, and the memory of the mean
	wayRetry   = 64 // every so many samples the other one is tried
)

func (w *ways) next() way {
	w.turn++
	if w.taken[inSteps] < wayLessons {
		return inSteps
	}
	if w.taken[atOnce] < wayLessons && w.turn%2 == 0 {
		return atOnce
	}
	better := w.better()
	if w.turn%wayRetry == 0 {
		return numWays - 1 - better
	}
	return better
}

// better is the one that took less of late.
func (w *ways) better() way {
	if w.taken[atOnce] > 0 && w.mean[atOnce] < w.mean[inSteps] {
		return atOnce
	}
	return inSteps
}

func (w *ways) spent(which way, halted time.Duration) {
	w.taken[which]++
	w.mean[which] += (float64(halted) - w.mean[which]) / float64(min(w.taken[which], wayLessons))
}
