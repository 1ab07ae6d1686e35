package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/spf13/pflag"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/serve"
	"github.com/mprof/mprof/serve/page"
	"github.com/mprof/mprof/session"
	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/session/tracing"
)

// liveFlags are those of a run that a page shows while it goes on.
type liveFlags struct {
	live      bool
	address   string
	noBrowser bool
}

func (f *liveFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.live, "live", false, "show the run in the browser while it goes on")
	addPage(flags, &f.address, &f.noBrowser)
}

// addPage defines the flags of every page that is served.
func addPage(flags *pflag.FlagSet, address *string, noBrowser *bool) {
	flags.StringVar(address, "address", "", "where the page is served: HOST:PORT of this machine (default 127.0.0.1 and any free port)")
	flags.BoolVar(noBrowser, "no-browser", false, "print the page's address, and open no browser")
}

// check wants --live for what is about it.
func (f *liveFlags) check() error {
	if !f.live && (f.address != "" || f.noBrowser) {
		return usageError{errors.New("--address and --no-browser are for the page of --live")}
	}
	return nil
}

// livePage is the page of a run; nil where none was asked for.
type livePage struct {
	app    *app
	view   *session.View
	end    context.CancelFunc
	served sync.WaitGroup
	failed error // of the server
}

// open serves the page of a run that is about to begin. The context is the run's.
func (f *liveFlags) open(ctx context.Context, a *app, c session.Connect) (context.Context, watcher, error) {
	if !f.live {
		return ctx, (*livePage)(nil), nil
	}
	run, stop := context.WithCancelCause(ctx)
	p := &livePage{app: a, view: session.NewView(c, stop)}
	serving, end := context.WithCancel(context.WithoutCancel(ctx))
	p.end = end
	wait, err := a.servePage(serving, p.view, f.address, f.noBrowser)
	if err != nil {
		end()
		stop(nil)
		return ctx, nil, err
	}
	p.served.Go(func() { p.failed = wait() })
	return run, p, nil
}

// servePage serves a page of a session until ctx ends, and opens it. wait returns when it is no
// longer served.
func (a *app) servePage(ctx context.Context, control page.Control, address string, noBrowser bool) (wait func() error, err error) {
	handler, err := page.New(ctx, page.Options{Control: control, Hints: hintsFor})
	if err != nil {
		return nil, err
	}
	server, err := serve.Listen(serve.Options{Address: address})
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(a.stderr, "mprof: the page is at %s\n", server.URL())
	if !noBrowser {
		go func() {
			if err := serve.OpenBrowser(ctx, server.URL()); err != nil && !errors.Is(err, serve.ErrNoBrowser) {
				fmt.Fprintf(a.stderr, "mprof: %v\n", err)
			}
		}()
	}
	return func() error { return server.Serve(ctx, handler) }, nil
}

func (p *livePage) model() *live.Model {
	if p == nil {
		return nil
	}
	return p.view.Model()
}

func (p *livePage) samples(o sampling.Options, r *sampling.Run) {
	if p != nil {
		p.view.Samples(o, r)
	}
}

func (p *livePage) calls(o tracing.Options, r *tracing.Run) {
	if p != nil {
		p.view.Calls(o, r)
	}
}

func (p *livePage) advised(a sampling.Advice) {
	if p != nil {
		p.view.Advised(a)
	}
}

func (p *livePage) finished(profile *profile.Profile, err error) {
	if p != nil {
		p.view.Ended(profile, err)
	}
}

// wait keeps the page of a run that has ended by itself, until a signal. recorded: its
// recording is still there.
func (p *livePage) wait(ctx context.Context, recorded bool) {
	if p == nil || ctx.Err() != nil {
		return
	}
	if !recorded {
		p.view.Unrecorded()
	}
	fmt.Fprintln(p.app.stderr, "mprof: the run has ended; the page stays until Ctrl-C")
	<-ctx.Done()
}

// close ends the page.
func (p *livePage) close() {
	if p == nil {
		return
	}
	p.end()
	p.served.Wait()
	if p.failed != nil {
		fmt.Fprintf(p.app.stderr, "mprof: %v\n", p.failed)
	}
}
