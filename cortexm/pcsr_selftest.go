package cortexm

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// What keeps a core from being sampled by DWT_PCSR, for callers that go on
// differently.
var (
	// ErrNoPCSR: the core has no PCSR, or one that stands still.
	ErrNoPCSR = errors.New("no PC sampling register")
	// ErrPCSRDenied: PCSR is there and may not be read, because the core is in
	// Secure state or non-invasive debug is off.
	ErrPCSRDenied = errors.New("PC sampling is not permitted")
)

// testTries are the looks that the self-test takes at a PCSR that does not
// change, so far apart in time on average.
const (
	testTries = 40
	testPause = 2 * time.Millisecond
)

// trial is what the self-test has seen.
type trial struct {
	values        map[uint32]int
	asleep, awake int  // looks at DHCSR
	ran           bool // an instruction completed between two of them, awake
	halted        uint32
}

// selfTest reads PCSR until it has given two different PCs, and tells otherwise
// why it does not.
func (s *PCSampler) selfTest(ctx context.Context) error {
	if err := s.core.enableTrace(ctx); err != nil {
		return err
	}
	ctrl, err := s.core.p.ReadWord(ctx, addrDWTCTRL)
	if err != nil {
		return fmt.Errorf("cortexm: read DWT_CTRL: %w", err)
	}
	if err := s.aim(ctx); err != nil {
		return fmt.Errorf("cortexm: test PCSR: %w", err)
	}
	t := trial{values: map[uint32]int{}}
	for range testTries {
		if err := s.try(ctx, &t); err != nil {
			return fmt.Errorf("cortexm: test PCSR: %w", err)
		}
		if t.works() {
			return nil
		}
		if err := s.clock.Sleep(ctx, time.Duration((0.5+s.rand.Float64())*float64(testPause))); err != nil {
			return err
		}
	}
	return s.verdict(ctx, &t, ctrl)
}

// try takes a few PCs between two looks.
func (s *PCSampler) try(ctx context.Context, t *trial) error {
	const few = 8
	p := s.packet()
	p.check(s.layout, min(few, s.layout.both), 0, true)
	if err := s.stream.Send(ctx, p.raw); err != nil {
		return err
	}
	if err := s.receive(ctx, p); err != nil {
		return err
	}
	r := p.read(s.size)
	if r.miss != 0 || !r.both {
		return fmt.Errorf("read 0x%08x: %v", uint32(addrPCSR), r.miss)
	}
	s.spare = append(s.spare, p)
	left, right := look{true, r.before}, look{true, r.after}
	s.judge.mark(r.pcs, left, right, nil)
	for _, l := range []look{left, right} {
		switch {
		case l.dhcsr&sHalt != 0:
			t.halted = l.dhcsr
		case l.asleep():
			t.asleep++
		default:
			t.awake++
		}
	}
	t.ran = t.ran || !left.asleep() && !right.asleep() && r.after&sRetire != 0
	for _, pc := range r.pcs {
		t.values[pc]++
	}
	return nil
}

const pcsrOnes = 0xFFFFFFFF

// works tells whether PCSR gave two different values that can be PCs.
func (t *trial) works() bool {
	n := len(t.values)
	for _, none := range []uint32{0, pcsrOnes} {
		if t.values[none] > 0 {
			n--
		}
	}
	return n >= 2
}

// verdict judges a PCSR that gave one value, or none. A core that sleeps, or
// that waits in a loop of one instruction, gives one.
func (s *PCSampler) verdict(ctx context.Context, t *trial, ctrl uint32) error {
	var pc uint32
	found := false
	for v := range t.values {
		if v != 0 && v != pcsrOnes {
			pc, found = v, true
		}
	}
	switch {
	case t.halted != 0:
		return &HaltedError{DHCSR: t.halted}
	case t.awake == 0:
		return nil
	case !found && t.values[pcsrOnes] > 0:
		return fmt.Errorf("cortexm: %w: DWT_PCSR reads 0xffffffff while the core runs: it is in Secure state, or non-invasive debug is off", ErrPCSRDenied)
	case !found:
		return fmt.Errorf("cortexm: %w: DWT_PCSR reads 0 (DWT_CTRL 0x%08x)", ErrNoPCSR, ctrl)
	case !t.ran || s.branchToSelf(ctx, pc):
		return nil
	}
	return fmt.Errorf("cortexm: %w: DWT_PCSR stands still at 0x%08x while the core runs", ErrNoPCSR, pc)
}

// branchToSelf tells whether the code at pc is B to itself (ARMv7-M ARM, A7.7.12
// encoding T2 with an offset of -4).
func (s *PCSampler) branchToSelf(ctx context.Context, pc uint32) bool {
	defer func() { s.aimed = false }() // the read has moved TAR
	word, err := s.core.p.ReadWord(ctx, pc&^3)
	return err == nil && word>>(8*(pc&2))&0xFFFF == 0xE7FE
}
