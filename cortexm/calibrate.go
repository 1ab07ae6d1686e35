package cortexm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mprof/mprof/probe"
)

// Costs are what this probe takes, measured at attach.
type Costs struct {
	Transfer  time.Duration // one SWD transfer
	Command   time.Duration // one DAP command inside DAP_ExecuteCommands
	RoundTrip time.Duration // one small packet and its response, and what the host does after the one before
	Packet    time.Duration // one more small packet in flight
	Away      time.Duration // from handing over a packet to the probe's work on it, at rest
}

// Costs are the measured costs of the probe.
func (c *Core) Costs() Costs { return c.costs }

const (
	calibrationRuns      = 5
	calibrationTransfers = 400 // enough to see one through the 1 ms frames of HID
	calibrationCommands  = 12
	calibrationPause     = 2 * time.Millisecond // whole frames of HID
)

// No transfer and no packet takes less than this (46 SWCLK at 50 MHz; 64 bytes at
// 480 Mbit/s). A host that is held up in one of two measurements would say so.
const leastCost = time.Microsecond

// calibrationTries are made where a longer sequence took less time than a shorter
// one.
const calibrationTries = 4

// calibrate measures until the result makes sense.
func (c *Core) calibrate(ctx context.Context, clock Clock) error {
	for range calibrationTries {
		if err := c.measureCosts(ctx, clock); err != nil {
			return err
		}
		if c.costs.Transfer > 0 && c.costs.Packet > 0 {
			break
		}
	}
	c.costs.Transfer, c.costs.Packet = max(c.costs.Transfer, leastCost), max(c.costs.Packet, leastCost)
	return nil
}

// measureCosts times packets that touch the debug port alone: a value match on
// DPIDR that fails makes as many transfers as it has retries.
func (c *Core) measureCosts(ctx context.Context, clock Clock) (err error) {
	l := limitsOf(c.p)
	one, err := newSequence(l, []*transfer{failingMatch()})
	if err != nil {
		return err
	}
	busy, err := c.timed(ctx, clock, one, 0, 0)
	if err != nil {
		return err
	}
	few, err := c.timed(ctx, clock, one, 0, calibrationPause)
	if err != nil {
		return err
	}
	many, err := c.timed(ctx, clock, one, calibrationTransfers, calibrationPause)
	if err != nil {
		return err
	}
	c.costs = Costs{RoundTrip: busy, Transfer: max(0, many-few) / calibrationTransfers}
	c.costs.Away = max(0, few-2*c.costs.Transfer) / 2
	n := max(2, c.p.Info().PacketCount)
	flight := *one
	flight.packets, flight.requests, flight.responses = nil, nil, nil
	for range n {
		flight.requests = append(flight.requests, one.requests[0])
		flight.responses = append(flight.responses, nil)
	}
	all, err := c.timed(ctx, clock, &flight, 0, calibrationPause)
	if err != nil {
		return err
	}
	c.costs.Packet = max(0, all-few) / time.Duration(n-1)
	if l.execute {
		var t []*transfer
		for range calibrationCommands {
			t = append(t, &transfer{})
		}
		empty, err := newSequence(limits{bytes: l.bytes, execute: true}, t)
		if err != nil {
			return err
		}
		took, err := c.timed(ctx, clock, empty, 0, calibrationPause)
		if err != nil {
			return err
		}
		c.costs.Command = max(0, took-few) / (calibrationCommands - 1)
	}
	return c.p.SetMatchRetry(ctx, probe.DefaultMatchRetry)
}

// failingMatch compares DPIDR with a value that it cannot have: bit 0 of it is
// one (ADIv5.2 section B2.2.5).
func failingMatch() *transfer {
	t := &transfer{}
	t.mask(1)
	t.match(probe.ReadDPIDR, 0)
	return t
}

// timed is the shortest of a few runs of s, with the given retries of a match.
// Behind a pause the host has done what it does after a response.
func (c *Core) timed(ctx context.Context, clock Clock, s *sequence, retries uint16, pause time.Duration) (best time.Duration, err error) {
	if err := c.p.SetMatchRetry(ctx, retries); err != nil {
		return 0, err
	}
	for i := range calibrationRuns {
		if err := clock.Sleep(ctx, pause); err != nil {
			return 0, err
		}
		start := clock.Now()
		responses, err := c.p.Exchange(ctx, s.requests, s.responses)
		if err != nil {
			return 0, fmt.Errorf("cortexm: calibrate: %w", err)
		}
		copy(s.responses, responses)
		if took := clock.Now() - start; i == 0 || took < best {
			best = took
		}
	}
	return best, nil
}

// testBranch finds out whether a failed value match ends its own DAP_Transfer
// and nothing else. Firmware that grew from the reference implementation before
// version 2.1.1 skips one request too many, and misreads the commands behind
// it: there DAP_ExecuteCommands cannot guard a sample. What is misread here
// falls on harmless DAP_Info commands.
func (c *Core) testBranch(ctx context.Context) (bool, error) {
	l := limitsOf(c.p)
	if !l.execute {
		return false, nil
	}
	if err := c.p.SetMatchRetry(ctx, 0); err != nil {
		return false, err
	}
	fail, after := failingMatch(), &transfer{}
	fail.read(probe.ReadDPIDR, mark{}) // cancelled
	after.read(probe.ReadDPIDR, mark{})
	s, err := newSequence(l, []*transfer{fail, after})
	if err != nil {
		return false, err
	}
	for range 10 {
		s.requests[0] = probe.AppendInfo(s.requests[0], infoPacketCount)
	}
	err = s.run(ctx, c.p)
	switch {
	case err == nil:
		return fail.mismatch() && after.err == nil && len(after.answer.Data) == 1 && after.answer.Data[0] == c.p.DPIDR(), nil
	case errors.Is(err, probe.ErrResponse):
		return false, nil
	}
	return false, fmt.Errorf("cortexm: test DAP_ExecuteCommands: %w", err)
}

const infoPacketCount = 0xFE
