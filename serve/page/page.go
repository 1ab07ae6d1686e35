package page

import (
	"context"
	"io/fs"
	"net/http"
	"time"
)

// Options are what a page needs.
type Options struct {
	Control Control
	// Hints say what a person can do about an error; nil: nothing.
	Hints func(error) []string
	// Assets are the page's files; nil: those that are built in.
	Assets fs.FS
}

// The page's pace and bounds. Nothing is queued for a page that does not read: it gets the next update
// when it has said that it has the one before.
const (
	updatePeriod = 250 * time.Millisecond
	mostPages    = 32       // open at once
	mostSaved    = 2        // files that are made at once
	mostAsked    = 16       // requests of one page that are not answered yet
	mostMessage  = 64 << 10 // bytes of one of its messages
	writeTime    = 30 * time.Second
	pingPeriod   = 20 * time.Second
)

// page is what all open pages share.
type page struct {
	ctx     context.Context // of the session: what one page has begun goes on without it
	control Control
	hints   func(error) []string
	open    chan struct{} // a token per open page
	saving  chan struct{} // a token per file that is made
}

// New is the handler of the page and of what it asks for. Where ctx ends, pages are told so and closed.
func New(ctx context.Context, o Options) (http.Handler, error) {
	p := &page{ctx: ctx, control: o.Control, hints: o.Hints, open: make(chan struct{}, mostPages), saving: make(chan struct{}, mostSaved)}
	if p.hints == nil {
		p.hints = func(error) []string { return nil }
	}
	files, err := newAssets(o.Assets)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", files)
	mux.HandleFunc("GET /ws", p.serveSocket)
	mux.HandleFunc("GET /save", p.save)
	mux.HandleFunc("GET /formats", p.formats)
	return mux, nil
}
