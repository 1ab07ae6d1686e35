package counting

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mprof/mprof/gdbremote"
	"github.com/mprof/mprof/gmon/counters"
	"github.com/mprof/mprof/schedule"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/symbol"
)

// gdbMemory is memory behind a GDB server. Most servers give it only while the target stands: it is
// halted for each access then, unless it is held already.
type gdbMemory struct {
	client *gdbremote.Client
	wall   schedule.Wall
}

func (m *gdbMemory) ReadMemory(ctx context.Context, addr uint32, p []byte) error {
	return m.access(ctx, func() error { return m.client.ReadMemory(ctx, addr, p) })
}

func (m *gdbMemory) WriteMemory(ctx context.Context, addr uint32, p []byte) error {
	return m.access(ctx, func() error { return m.client.WriteMemory(ctx, addr, p) })
}

func (m *gdbMemory) access(ctx context.Context, access func() error) error {
	err := access()
	if !errors.Is(err, gdbremote.ErrRunning) {
		return err
	}
	_, err = m.hold(ctx, func(context.Context) error { return access() })
	return err
}

// hold lets f run while the target stands, and the target run on whatever becomes of f.
func (m *gdbMemory) hold(ctx context.Context, f func(context.Context) error) (stood time.Duration, err error) {
	begun := m.wall.Now()
	if _, err := m.client.Halt(ctx); err != nil {
		return 0, err
	}
	err = f(ctx)
	resume, cancel := schedule.Patience(context.WithoutCancel(ctx), target.DetachTimeout)
	defer cancel()
	return m.wall.Now() - begun, errors.Join(err, m.client.Resume(resume))
}

// openGDB reaches the counters through a GDB server.
func (o *Options) openGDB(ctx context.Context, of *symbol.Program) (source, []string, error) {
	at, err := place(of)
	if err != nil {
		return nil, nil, err
	}
	server, err := o.Target.GDBServer()
	if err != nil {
		return nil, nil, err
	}
	client, err := server.Connect(ctx, target.Arch(of))
	if err != nil {
		return nil, nil, err
	}
	m := &gdbMemory{client, schedule.NewWall()}
	s := &blockSource{
		Target:  &counters.Target{Memory: m, Place: at, Clock: m.wall, Hold: m.hold},
		options: counters.FetchOptions{Halt: o.Halt, Reset: o.Reset},
		closing: func(ended error) error { return leaveGDB(client, ended) },
	}
	remarks, err := o.beginGDB(ctx, of, m, s)
	if err != nil {
		return nil, nil, errors.Join(err, s.close(err))
	}
	return s, remarks, nil
}

// beginGDB compares the images, lets a target run that connecting has halted, and finds out whether the
// server gives memory while it does.
func (o *Options) beginGDB(ctx context.Context, of *symbol.Program, m *gdbMemory, s *blockSource) (remarks []string, err error) {
	remark, err := o.verify(ctx, of, m)
	if err != nil {
		return nil, err
	}
	if remark != "" {
		remarks = append(remarks, remark)
	}
	if err := m.client.Resume(ctx); err != nil {
		return nil, err
	}
	var word [4]byte
	if err := m.client.ReadMemory(ctx, s.Place.Addr, word[:]); errors.Is(err, gdbremote.ErrRunning) && !s.options.Halt {
		s.options.Halt = true
		remarks = append(remarks, "this GDB server gives memory only while the target stands")
	}
	return remarks, nil
}

// leaveGDB leaves the target running.
func leaveGDB(client *gdbremote.Client, ended error) error {
	ctx, cancel := schedule.Patience(context.Background(), target.DetachTimeout)
	defer cancel()
	err := client.Detach(ctx)
	switch {
	case err == nil || errors.Is(ended, gdbremote.ErrDisconnected):
		return nil
	default:
		return fmt.Errorf("the target may be left halted: %w", err)
	}
}
