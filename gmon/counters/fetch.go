package counters

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// Clock is the time of the target's host; cortexm.Clock has it.
type Clock interface {
	Now() time.Duration
	Sleep(ctx context.Context, d time.Duration) error
}

// Target is a target whose counters are to be fetched.
type Target struct {
	Memory Memory
	Place  Place
	Clock  Clock
	// Hold lets f run while the core stands still, and says for how long it stood; nil: the core
	// cannot be stopped.
	Hold func(ctx context.Context, f func(context.Context) error) (time.Duration, error)
}

// FetchOptions may be zero: read while the core runs.
type FetchOptions struct {
	Halt  bool // stop the core while it is read, so that all counters are of one moment
	Reset bool // have the target clear what it has counted, once it is read
}

// Fetched is what one fetch took, and what that cost.
type Fetched struct {
	*Counts
	Took   time.Duration // from the first word to the last
	Stood  bool          // the core was stopped meanwhile
	Halted time.Duration // for this long
	Reset  bool          // the target has cleared its counters
}

// Fetch reads the counters and has them cleared, as o says. Counters that were read and not cleared
// are returned with the error. Errors: those of Read, *ResetError, those of Memory and Hold.
func (t *Target) Fetch(ctx context.Context, o FetchOptions) (f Fetched, err error) {
	for range clearTries {
		f, err = t.fetch(ctx, o)
		if !errors.Is(err, ErrOff) {
			break
		}
		if err := t.Clock.Sleep(ctx, clearPause); err != nil {
			return f, err
		}
	}
	return f, err
}

// A target that clears its counters looks as if it were off: 64 KiB take it some milliseconds.
const (
	clearTries = 5
	clearPause = 10 * time.Millisecond
)

func (t *Target) fetch(ctx context.Context, o FetchOptions) (Fetched, error) {
	var f Fetched
	begun := t.Clock.Now()
	read := func(ctx context.Context) (err error) {
		if f.Counts, err = Read(ctx, t.Memory, t.Place); err == nil && o.Reset {
			err = t.request(ctx, 1)
		}
		f.Took = t.Clock.Now() - begun
		return err
	}
	var err error
	if o.Halt {
		f.Stood = true
		f.Halted, err = t.Hold(ctx, read)
	} else {
		err = read(ctx)
	}
	if err != nil || !o.Reset {
		return f, err
	}
	_, err = t.await(ctx, f.After)
	f.Reset = err == nil
	return f, err
}

// Reset has the target clear what it has counted, and returns what the block said before and after.
func (t *Target) Reset(ctx context.Context) (before, after Block, err error) {
	for range clearTries {
		if before, err = ReadBlock(ctx, t.Memory, t.Place); !errors.Is(err, ErrOff) {
			break
		}
		if err := t.Clock.Sleep(ctx, clearPause); err != nil {
			return before, after, err
		}
	}
	if err != nil {
		return before, after, err
	}
	if err := t.request(ctx, 1); err != nil {
		return before, after, err
	}
	after, err = t.await(ctx, before)
	return before, after, err
}

// request writes the request word. The target itself clears: it alone knows what its interrupts
// are doing to the counters and lists.
func (t *Target) request(ctx context.Context, v uint32) error {
	word := binary.LittleEndian.AppendUint32(nil, v)
	if err := t.Memory.WriteMemory(ctx, t.Place.Addr+offsetRequest, word); err != nil {
		return fmt.Errorf("gmon: ask for a reset: %w", err)
	}
	return nil
}

const (
	shortestWait = time.Second
	waitTicks    = 20 // interrupts may be masked for a while
	longestWait  = time.Minute
)

// patience is how long a target may take to clear its counters.
func (b *Block) patience() time.Duration {
	ticks := waitTicks * b.Interval() // a block that was checked: up to 2^32 s each
	if ticks >= longestWait.Seconds() {
		return longestWait
	}
	return max(shortestWait, time.Duration(ticks*float64(time.Second)))
}

// await waits until the target has cleared its counters. Where it does not, the request is taken
// back: it would clear what is counted at some later time.
func (t *Target) await(ctx context.Context, before Block) (Block, error) {
	wait := before.patience()
	pause := min(max(time.Duration(before.Interval()*float64(time.Second)/2), time.Millisecond), 100*time.Millisecond)
	for until := t.Clock.Now() + wait; ; {
		b, err := ReadBlock(ctx, t.Memory, t.Place)
		if err != nil && !errors.Is(err, ErrOff) { // as it looks while it clears
			return b, err
		}
		if err == nil && b.Request == 0 && b.Epoch != before.Epoch {
			return b, nil
		}
		if t.Clock.Now() >= until {
			return b, errors.Join(&ResetError{wait}, t.request(ctx, 0))
		}
		if err := t.Clock.Sleep(ctx, pause); err != nil {
			return b, errors.Join(err, t.request(context.WithoutCancel(ctx), 0))
		}
	}
}
