package check

import (
	"context"
	"errors"
	"time"

	"github.com/mprof/mprof/probe"
)

// abortAfter is about how long the packet takes that is to be aborted.
const abortAfter = 200 * time.Millisecond

// transferAbort sends DAP_TransferAbort while the probe is busy.
func transferAbort(b *bench, ctx context.Context) (f Finding, err error) {
	f.Consequence = "mprof does not use it; retries are few, so that nothing has to be aborted"
	if b.p.Info().PacketCount < 2 {
		f.Verdict = CannotTell
		f.fact("the probe takes one packet at a time")
		return f, nil
	}
	if err := b.p.SetMatchRetry(ctx, b.retriesFor(abortAfter)); err != nil {
		return f, err
	}
	busy := probe.AppendTransfer(nil, neverDPIDR)
	whole, _, err := b.timed(ctx, 1, busy)
	if err != nil {
		return f, err
	}
	start, took, answered := b.clock.Now(), time.Duration(0), false
	err = b.p.Converse(ctx, [][]byte{busy, {0x07}}, func(i int, r []byte) ([][]byte, int) {
		if i == 0 {
			took = b.clock.Now() - start
		} else {
			answered = true
		}
		return nil, 0
	})
	if err != nil && !(errors.Is(err, probe.ErrTimeout) && took > 0) {
		return f, err
	}
	f.value("whole_us", float64(whole)/1e3)
	f.value("aborted_us", float64(took)/1e3)
	f.Verdict = OK
	switch {
	case answered:
		f.short("not known")
		f.fact("not known: it is answered as any command, after %s", micros(took))
	case took < whole/2:
		f.short("handled")
		f.fact("handled: a packet of %s ended after %s", micros(whole), micros(took))
	default:
		f.short("ignored")
		f.fact("ignored: the packet took %s all the same", micros(took))
	}
	return f, nil
}

// retriesFor makes a match that fails last about d.
func (b *bench) retriesFor(d time.Duration) uint16 {
	return uint16(min(60_000, max(100, d/max(b.costs.Transfer, time.Microsecond))))
}
