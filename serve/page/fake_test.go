package page_test

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/mprof/mprof/serve"
	"github.com/mprof/mprof/serve/page"
)

// fake serves the page with an invented session, and returns its address.
func fake(t *testing.T, control page.Control) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	handler, err := page.New(ctx, page.Options{Control: control, Hints: func(error) []string { return []string{"Check the cable."} }})
	if err != nil {
		t.Fatal(err)
	}
	server, err := serve.Listen(serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, breakable(handler)) }()
	t.Cleanup(func() {
		stop()
		<-done
		_ = control.Disconnect(context.Background()) // its run would go on
		socketsMu.Lock()
		sockets = nil // they hold the session
		socketsMu.Unlock()
	})
	return server.URL()
}

var (
	socketsMu sync.Mutex
	sockets   []context.CancelFunc
)

// breakable lets breakSockets end the connections of pages.
func breakable(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		socketsMu.Lock()
		sockets = append(sockets, cancel)
		socketsMu.Unlock()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

func breakSockets() {
	socketsMu.Lock()
	defer socketsMu.Unlock()
	for _, cancel := range sockets {
		cancel()
	}
	sockets = nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
