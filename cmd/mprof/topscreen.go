package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session"
	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/session/tracing"
	"github.com/mprof/mprof/top"
)

// topScreen shows the run of mprof top in the terminal, or as text.
type topScreen struct {
	app     *app
	options top.Options
	seen    *live.Model
	plain   bool // no terminal
	once    bool
	elf     string
	stop    context.CancelCauseFunc // of the run
	ctx     context.Context         // of the screen
	end     context.CancelFunc
	shown   chan error // what became of it
}

// errQuit is the end of a run by a key.
var errQuit = errors.New("ended by the user")

// open is a screen for a run that is about to begin.
func (f *topFlags) open(k live.Kind) watch {
	return func(ctx context.Context, a *app, c session.Connect) (context.Context, watcher, error) {
		run, stop := context.WithCancelCause(ctx)
		s := &topScreen{app: a, seen: live.NewModel(), once: f.once, stop: stop, elf: c.ELF, shown: make(chan error, 1)}
		s.plain = f.plain || f.once || !a.outTerminal || os.Getenv("TERM") == "dumb"
		f.quiet, f.traced.quiet = s.plain, s.plain // the last table is the summary
		s.options = top.Options{Model: s.seen, Kind: k, Sort: f.sort, Filter: f.filter, Interval: time.Duration(f.interval), Rows: f.rows}
		s.ctx, s.end = context.WithCancel(ctx)
		if s.plain { // a reader that goes away is told by the write: the core has to be left running
			signal.Ignore(syscall.SIGPIPE)
		}
		return run, s, nil
	}
}

func (s *topScreen) model() *live.Model { return s.seen }

// samples begins to show a run of samples.
func (s *topScreen) samples(_ sampling.Options, r *sampling.Run) {
	found := r.Found()
	s.begin(r.ELF(), strings.Join(known(found.Core, found.Chip, found.Probe), ", "))
}

// calls begins to show a traced run.
func (s *topScreen) calls(_ tracing.Options, r *tracing.Run) {
	found := r.Found()
	s.begin(s.elf, strings.Join(known(found.Firmware, found.Port), ", "))
}

func known(names ...string) (all []string) {
	for _, n := range names {
		if n != "" {
			all = append(all, n)
		}
	}
	return all
}

func (s *topScreen) begin(elf, on string) {
	s.options.Title = on
	if elf != "" {
		s.options.Title = fmt.Sprintf("%s on %s", filepath.Base(elf), on)
	}
	go func() {
		err := s.show()
		if s.ctx.Err() == nil {
			s.stop(errQuit)
		}
		s.shown <- err
	}()
}

// show returns with the end of the run, or when the user or the reader of the text has gone.
func (s *topScreen) show() error {
	switch {
	case s.once:
		<-s.ctx.Done()
		return nil
	case s.plain:
		return s.readBy(top.Print(s.ctx, s.app.stdout, s.options))
	}
	return top.Show(s.ctx, os.Stdin, s.app.stdout, os.Environ(), s.options)
}

// readBy is the error of a write; a reader that has gone is none.
func (s *topScreen) readBy(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// advised keeps what a person can do on the screen.
func (s *topScreen) advised(a sampling.Advice) {
	s.seen.Remark(fmt.Sprintf("%.1f s: %s", a.At.Seconds(), a.Text))
}

// finished takes the screen away, and as text prints the last table.
func (s *topScreen) finished(*profile.Profile, error) {
	s.end()
	if err := <-s.shown; err != nil {
		fmt.Fprintf(s.app.stderr, "mprof: %v\n", err)
		return
	}
	if s.plain {
		if err := s.readBy(top.Last(s.app.stdout, s.options)); err != nil {
			fmt.Fprintf(s.app.stderr, "mprof: %v\n", err)
		}
	}
}

// wait does not: the terminal is for the next command.
func (s *topScreen) wait(context.Context, bool) {}

func (s *topScreen) close() {
	s.end()
	s.stop(nil)
}
