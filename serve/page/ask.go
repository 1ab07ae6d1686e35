package page

import (
	"context"
	"fmt"

	"github.com/mprof/mprof/live"
)

// do does what a page asks for. What it finds out ends with the page; what it does to the session
// does not.
func (s *socket) do(ctx context.Context, r request) (any, error) {
	switch r.Do {
	case "choices":
		return s.control.Choices(ctx), nil
	case "connect":
		c, err := r.connect()
		if err != nil {
			return nil, err
		}
		return done(s.control.Connect(s.ctx, c))
	case "start":
		with, err := r.start()
		if err != nil {
			return nil, err
		}
		return done(s.control.Start(s.ctx, with))
	case "stop":
		return done(s.control.Stop(s.ctx))
	case "reset":
		return done(s.control.Reset(s.ctx))
	case "disconnect":
		return done(s.control.Disconnect(s.ctx))
	}
	return s.look(r)
}

// look answers what only reads.
func (s *socket) look(r request) (any, error) {
	switch r.Do {
	case "timeline":
		w, err := r.window()
		if err != nil {
			return nil, err
		}
		return s.control.Model().Timeline(w), nil
	case "lines":
		l, err := r.lines()
		if err != nil {
			return nil, err
		}
		return append([]live.Line{}, s.control.Model().Lines(l)...), nil
	case "source":
		var with struct {
			File string `json:"file"`
		}
		if err := r.with(&with); err != nil {
			return nil, err
		}
		text, ok := s.control.Source(with.File)
		if !ok {
			return nil, fmt.Errorf("page: there is no source file %q that the debug information names", with.File)
		}
		return map[string]string{"file": with.File, "text": text}, nil
	}
	return nil, fmt.Errorf("page: %q is nothing that can be done", r.Do)
}

func done(err error) (any, error) { return true, err }
