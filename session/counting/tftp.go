package counting

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/mprof/mprof/gmon"
	"github.com/mprof/mprof/gmon/counters"
	"github.com/mprof/mprof/gmon/tftp"
	"github.com/mprof/mprof/schedule"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/symbol"
)

// errTFTPReset is what TFTP has no word for.
var errTFTPReset = errors.New("TFTP has no reset of its own")

// tftpSource is a target that serves gmon.out by TFTP. As eCos does it, each transfer clears the counters.
type tftpSource struct {
	*tftp.Source
	wall schedule.Wall
	of   *symbol.Program // nil: no ELF file was named
}

func openTFTP(url string, of *symbol.Program) (source, error) {
	s, err := tftp.Parse(url)
	if err != nil {
		return nil, &target.UsageError{Err: fmt.Errorf("--from %w", err)}
	}
	return &tftpSource{s, schedule.NewWall(), of}, nil
}

func (s *tftpSource) clock() counters.Clock { return s.wall }
func (s *tftpSource) close(error) error     { return nil }

// begin has the counters cleared, by a transfer.
func (s *tftpSource) begin(ctx context.Context) error {
	_, err := s.Fetch(ctx)
	return err
}

func (s *tftpSource) reset(context.Context) (*Cleared, error) {
	return nil, fmt.Errorf("%w: %s clears its counters when mprof gmon fetch takes them", errTFTPReset, s)
}

func (s *tftpSource) next(ctx context.Context) (*Reading, error) {
	begun := s.wall.Now()
	raw, err := s.Fetch(ctx)
	if err != nil {
		return nil, err
	}
	d, order, err := gmon.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s, err)
	}
	d.PerSample = 1 // a target counts ticks
	g := &Reading{Data: d, Took: s.wall.Now() - begun, Interval: 1 / float64(max(d.Rate, 1)), Reset: true}
	inside := uint64(0)
	for _, b := range d.Buckets {
		g.Counted += b.Count
		if s.of != nil && b.Count > 0 && len(s.of.Lookup(b.Addr)) > 0 {
			inside += b.Count
		}
	}
	remark := func(format string, args ...any) { g.Remarks = append(g.Remarks, fmt.Sprintf(format, args...)) }
	remark("%d bytes came by TFTP; a target that does as eCos has cleared its counters with that", len(raw))
	if order == binary.ByteOrder(binary.BigEndian) {
		remark("the target's file is big-endian, and gmon.out is written little-endian")
	}
	if full := saturated(d); full > 0 {
		remark("%d counters are at 65535, where they stop: fetch more often", full)
	}
	if s.of != nil && g.Counted > 0 && inside < g.Counted {
		remark("%d of %d ticks are at addresses where %s has no function: is it the ELF file of this firmware?", g.Counted-inside, g.Counted, s.of.App().Path())
	}
	return g, nil
}

// saturated counts the counters of 16 bits that are at their end.
func saturated(d *gmon.Data) (n int) {
	for _, b := range d.Buckets {
		if b.Count == 0xFFFF {
			n++
		}
	}
	return n
}
