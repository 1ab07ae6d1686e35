package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/session"
)

// request is a message of a page.
type request struct {
	ID   uint64          `json:"id"` // of the answer; 0: none is wanted
	Do   string          `json:"do"`
	With json.RawMessage `json:"with"`
}

// answer is what a request comes to: exactly one of OK and Error.
type answer struct {
	Re    uint64   `json:"re"`
	OK    any      `json:"ok,omitempty"`
	Error *failure `json:"error,omitempty"`
}

// failure is an error for people.
type failure struct {
	Text  string   `json:"text"`
	Hints []string `json:"hints"`
}

// position is what a page has of a model.
type position struct {
	Run uint64 `json:"run"`
	Rev uint64 `json:"rev"`
}

// parseRequest reads a message. What is no request at all is an error; one that asks for nonsense is
// answered.
func parseRequest(message []byte) (request, error) {
	var r request
	if err := strict(message, &r); err != nil {
		return r, err
	}
	if r.Do == "" {
		return r, errors.New("a message asks for nothing")
	}
	return r, nil
}

// strict reads one JSON value with no members that are not known. The page comes from
// this program: what it does not know is an error.
func strict(data []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("a message is not complete")
		}
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("a message goes on after its end")
	}
	return nil
}

// with reads what a request carries.
func (r *request) with(to any) error {
	if len(r.With) == 0 || string(r.With) == "null" {
		return fmt.Errorf("page: %s without \"with\"", r.Do)
	}
	if err := strict(r.With, to); err != nil {
		return fmt.Errorf("page: %s: %w", r.Do, err)
	}
	return nil
}

// longest is the longest run that a page may ask for.
const longest = 366 * 24 * time.Hour

func (r *request) start() (session.Start, error) {
	var with struct {
		Seconds float64 `json:"seconds"`
	}
	if err := r.with(&with); err != nil {
		return session.Start{}, err
	}
	if !(with.Seconds >= 0 && with.Seconds <= longest.Seconds()) {
		return session.Start{}, fmt.Errorf("page: a duration of %v s is not possible", with.Seconds)
	}
	return session.Start{Duration: time.Duration(math.Round(with.Seconds * 1e9))}, nil
}

// connect reads what to connect to; what the names mean is the session's matter.
func (r *request) connect() (session.Connect, error) {
	var c session.Connect
	if err := r.with(&c); err != nil {
		return c, err
	}
	switch {
	case c.Kind != string(live.Samples) && c.Kind != string(live.Calls):
		return c, fmt.Errorf("page: %q is nothing to collect: samples or calls", c.Kind)
	case c.Rate < 0 || c.Baud < 0:
		return c, errors.New("page: a rate is not negative")
	}
	return c, nil
}

// The most that a page may ask for at once.
const (
	mostPixels = 16384
	mostDepth  = 1024
	mostLines  = 1000
	mostAround = 100
)

func (r *request) window() (live.Window, error) {
	var w live.Window
	if err := r.with(&w); err != nil {
		return w, err
	}
	switch {
	case w.From < 0 || w.To < 0 || w.To != 0 && w.To < w.From:
		return w, fmt.Errorf("page: from %v to %v s is no part of a run", w.From, w.To)
	case w.Pixels < 1 || w.Pixels > mostPixels:
		return w, fmt.Errorf("page: %d pixels are not in 1 to %d", w.Pixels, mostPixels)
	case w.Depth < 0 || w.Depth > mostDepth:
		return w, fmt.Errorf("page: %d rows are not in 0 to %d", w.Depth, mostDepth)
	case w.Track < -1:
		return w, fmt.Errorf("page: there is no track %d", w.Track)
	}
	return w, nil
}

func (r *request) lines() (live.Lines, error) {
	var l live.Lines
	if err := r.with(&l); err != nil {
		return l, err
	}
	switch {
	case l.Most < 0 || l.Most > mostLines:
		return l, fmt.Errorf("page: %d lines are not in 0 to %d", l.Most, mostLines)
	case l.Context < 0 || l.Context > mostAround:
		return l, fmt.Errorf("page: %d lines around are not in 0 to %d", l.Context, mostAround)
	case l.Function < -1:
		return l, fmt.Errorf("page: there is no function %d", l.Function)
	}
	return l, nil
}
