package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/mprof/mprof/serve"
)

// serveViewer serves a profile until ctx ends. page is the address to open, by that of the handler, which ends in a
// slash. origins may ask, beside the page itself.
func (a *app) serveViewer(ctx context.Context, f *viewerFlags, origins []string, handler http.Handler, page func(url string) string) error {
	server, err := serve.Listen(serve.Options{Address: f.address, Origins: origins})
	if err != nil {
		return err
	}
	url := page(server.URL())
	fmt.Fprintf(a.stdout, "%s\n", url)
	fmt.Fprintln(a.stderr, "mprof: the address above shows the profile, until Ctrl-C")
	ended := make(chan error, 1)
	serving, stop := context.WithCancel(ctx)
	defer stop()
	go func() { ended <- server.Serve(serving, handler) }()
	if !f.noBrowser {
		a.openBrowser(ctx, url)
	}
	return <-ended
}

// openBrowser opens a page, or says that it has to be done by hand.
func (a *app) openBrowser(ctx context.Context, url string) {
	switch err := serve.OpenBrowser(ctx, url); {
	case errors.Is(err, serve.ErrNoBrowser):
		fmt.Fprintln(a.stderr, "mprof: there is no browser here; from another machine, make a tunnel to the port (ssh -L)")
	case err != nil:
		fmt.Fprintf(a.stderr, "mprof: %v\n", err)
	}
}
