package cortexm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/snapshot"
)

// aim sets TRCENA, CSW and TAR.
func (s *PCSampler) aim(ctx context.Context) (err error) {
	if err := s.core.enableTrace(ctx); err != nil {
		return err
	}
	p := s.core.p
	p.Invalidate()
	steps := s.core.steps(limitsOf(p))
	look := &transfer{}
	look.write(probe.WriteSELECT, steps.memory)
	look.read(probe.ReadCSW, mark{})
	if err := s.core.once(ctx, look); err != nil {
		return err
	}
	set := &transfer{}
	set.write(probe.WriteCSW, look.answer.Data[0]&^cswMask|cswStill)
	set.write(probe.WriteTAR, addrPCSR)
	if err := s.core.once(ctx, set); err != nil {
		return err
	}
	if s.stream, err = p.NewStream(ctx); err != nil {
		return err
	}
	s.aimed, s.round = true, 0
	s.back()
	s.aimedAt = s.clock.Now()
	s.last = max(s.last, s.aimedAt)
	s.judge.forget()
	return nil
}

// once does one transfer in a packet of its own.
func (c *Core) once(ctx context.Context, t *transfer) error {
	q, err := newSequence(limitsOf(c.p), []*transfer{t})
	if err != nil {
		return err
	}
	if err := q.run(ctx, c.p); err != nil {
		return err
	}
	return t.err
}

// enableTrace sets DEMCR.TRCENA where it is clear: DWT reads as zero without it
// (ARMv7-M ARM, C1.6.5).
func (c *Core) enableTrace(ctx context.Context) error {
	demcr, err := c.p.ReadWord(ctx, addrDEMCR)
	if err != nil {
		return fmt.Errorf("cortexm: read DEMCR: %w", err)
	}
	if demcr&trcEna != 0 {
		return nil
	}
	c.demcrOurs = true
	if err := c.p.WriteWord(ctx, addrDEMCR, demcr|trcEna); err != nil {
		return fmt.Errorf("cortexm: set TRCENA: %w", err)
	}
	return nil
}

// fill sends as many packets as the probe has room for and the rate allows.
func (s *PCSampler) fill(ctx context.Context) error {
	if s.pace.spaced {
		return s.sendSpaced(ctx)
	}
	for s.stream.Room() > 0 {
		now := s.clock.Now()
		if wait := s.pace.ahead(now); wait > 0 {
			if len(s.flight) > 0 {
				return nil
			}
			if s.options.Duration > 0 {
				wait = min(wait, s.start+s.options.Duration-now)
			}
			return s.clock.Sleep(ctx, time.Duration((0.5+s.rand.Float64())*float64(wait)))
		}
		if err := s.send(ctx, s.compose()); err != nil {
			return err
		}
	}
	return nil
}

// sendSpaced waits until a block is due and sends it.
func (s *PCSampler) sendSpaced(ctx context.Context) error {
	now := s.clock.Now()
	due := s.pace.schedule.Next(s.last, now)
	if end := s.start + s.options.Duration; s.options.Duration > 0 && due >= end {
		return s.clock.Sleep(ctx, end-now)
	}
	if err := s.clock.Sleep(ctx, due-now); err != nil {
		return err
	}
	p := s.packet()
	p.check(s.layout, s.pace.n, 0, true)
	return s.send(ctx, p)
}

func (s *PCSampler) send(ctx context.Context, p *pcPacket) error {
	s.flight = append(s.flight, p)
	s.pace.asked += uint64(p.n)
	return s.stream.Send(ctx, p.raw)
}

// collect takes some of the responses under way and says when the blocks were
// read. Behind a packet that was refused it takes all of them: where only a WAIT
// cost a block the others are good, else they are lost.
func (s *PCSampler) collect(ctx context.Context) error {
	var reads []*pcRead
	var failed *pcRead
	for n := min(s.layout.together, len(s.flight)); n > 0; n-- {
		p := s.flight[0]
		if err := s.receive(ctx, p); err != nil {
			s.take(reads)
			return s.lose(ctx, missOfError(err), err)
		}
		r := p.read(s.size)
		r.end = s.clock.Now()
		if failed != nil && failed.strayed {
			r.drop(p.n, failed.miss)
		}
		if r.miss != snapshot.Taken && failed == nil {
			failed, n = r, len(s.flight)
		}
		reads = append(reads, r)
		s.flight = s.flight[:copy(s.flight, s.flight[1:])]
		s.spare = append(s.spare, p)
	}
	s.take(reads)
	if failed == nil {
		return nil
	}
	s.flush(nil)
	return s.recover(ctx, errors.New(failed.miss.String()))
}

// receive takes the response to the oldest packet. The core runs meanwhile, so
// there is no hurry beyond the driver's own limit.
func (s *PCSampler) receive(ctx context.Context, p *pcPacket) error {
	response, err := s.stream.Receive(ctx, p.response)
	if err == nil {
		p.response = response
	}
	return err
}
