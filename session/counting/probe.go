package counting

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/gmon/counters"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/schedule"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/symbol"
)

// openProbe reaches the counters through a CMSIS-DAP probe: the core is observed, and halted only
// where that was asked for.
func (o *Options) openProbe(ctx context.Context, of *symbol.Program) (source, []string, error) {
	at, err := place(of)
	if err != nil {
		return nil, nil, err
	}
	t, err := target.Open(ctx, o.Target.Probe, o.ELF)
	if err != nil {
		return nil, nil, err
	}
	if o.Opened != nil {
		o.Opened(t)
	}
	p, core, err := o.Target.Attach(ctx, t, !o.Halt)
	if err != nil {
		if p != nil {
			err = errors.Join(err, p.Close())
		}
		t.Close()
		return nil, nil, err
	}
	s := &blockSource{
		Target:  &counters.Target{Memory: steadyMemory{p}, Place: at, Clock: t.Clock},
		options: counters.FetchOptions{Halt: o.Halt, Reset: o.Reset},
		closing: func(ended error) error { return letGo(t, p, core, ended) },
	}
	s.Hold = func(ctx context.Context, read func(context.Context) error) (time.Duration, error) {
		return core.Hold(ctx, t.Clock, read)
	}
	remark, err := o.verify(ctx, of, s.Memory)
	if err != nil {
		return nil, nil, errors.Join(err, s.close(err))
	}
	if remark == "" {
		return s, nil, nil
	}
	return s, []string{remark}, nil
}

// verify compares the target with the ELF files; with --force the difference is only said.
func (o *Options) verify(ctx context.Context, of *symbol.Program, mem symbol.Memory) (remark string, err error) {
	err = target.Verify(ctx, mem, of)
	var mismatch *symbol.MismatchError
	if errors.As(err, &mismatch) && o.Force {
		return fmt.Sprintf("%v; fetched all the same (--force), so functions may carry the wrong names", err), nil
	}
	return "", err
}

// letGo leaves the core as it was found.
func letGo(t *target.Target, p *probe.Probe, core *cortexm.Core, ended error) error {
	defer t.Close()
	ctx, cancel := schedule.Patience(context.Background(), target.DetachTimeout)
	defer cancel()
	err := core.Detach(ctx)
	closeErr := p.Close()
	gone := func(err error) bool { return errors.Is(err, probe.ErrDisconnected) }
	switch {
	case gone(err) && gone(ended):
		return nil // the error that ended the run says it
	case err != nil:
		return fmt.Errorf("the core may be left halted: %w", err)
	case gone(closeErr):
		return nil
	}
	return closeErr
}

// steadyMemory tries what the connection lost once more.
type steadyMemory struct{ p *probe.Probe }

func (m steadyMemory) again(ctx context.Context, access func() error) error {
	err := access()
	if err == nil || ctx.Err() != nil || m.p.Recover(ctx) != nil {
		return err
	}
	return access()
}

func (m steadyMemory) ReadMemory(ctx context.Context, addr uint32, b []byte) error {
	return m.again(ctx, func() error { return m.p.ReadMemory(ctx, addr, b) })
}

func (m steadyMemory) WriteMemory(ctx context.Context, addr uint32, b []byte) error {
	return m.again(ctx, func() error { return m.p.WriteMemory(ctx, addr, b) })
}
