package page

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// TestRequestsThatMakeNoSense are answered with a sentence, not done.
func TestRequestsThatMakeNoSense(t *testing.T) {
	for _, c := range []struct{ do, with, want string }{
		{"connect", ``, `without "with"`},
		{"connect", `null`, `without "with"`},
		{"connect", `[]`, "cannot unmarshal array"},
		{"connect", `{"kind":"samples","rat":1}`, `unknown field "rat"`},
		{"connect", `{"kind":"both"}`, "samples or calls"},
		{"connect", `{"kind":"calls","baud":-1}`, "not negative"},
		{"start", `{"seconds":-1}`, "a duration of -1 s"},
		{"start", `{"seconds":1e300}`, "not possible"},
		{"start", `{"seconds":"5"}`, "cannot unmarshal string"},
		{"timeline", `{"from":-1,"pixels":100}`, "no part of a run"},
		{"timeline", `{"from":3,"to":2,"pixels":100}`, "no part of a run"},
		{"timeline", `{"pixels":0}`, "0 pixels"},
		{"timeline", `{"pixels":100000}`, "100000 pixels"},
		{"timeline", `{"pixels":100,"depth":-2}`, "-2 rows"},
		{"timeline", `{"pixels":100,"track":-2}`, "no track -2"},
		{"timeline", `{"pixels":1e99}`, "cannot unmarshal number"},
		{"lines", `{"most":1001}`, "1001 lines"},
		{"lines", `{"context":-1}`, "-1 lines around"},
		{"lines", `{"function":-2}`, "no function -2"},
	} {
		r := request{Do: c.do, With: json.RawMessage(c.with)}
		if err := decode(&r); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v; want %s", c.do, c.with, err, c.want)
		}
	}
}

// TestStart: seconds as the page counts them.
func TestStart(t *testing.T) {
	r := request{Do: "start", With: json.RawMessage(`{"seconds":0.1}`)}
	if s, err := r.start(); err != nil || s.Duration != 100*time.Millisecond {
		t.Errorf("%v, %v", s, err)
	}
}

// decode reads what a request carries, as do would.
func decode(r *request) (err error) {
	switch r.Do {
	case "connect":
		_, err = r.connect()
	case "start":
		_, err = r.start()
	case "timeline":
		_, err = r.window()
	case "lines":
		_, err = r.lines()
	case "watch", "ack":
		var at position
		err = r.with(&at)
	}
	return err
}

// FuzzMessage: whatever a page sends, what is taken from it is within its bounds.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		`{"id":7,"do":"connect","with":{"kind":"samples","probe":"sim","elf":"a.elf","rate":100}}`,
		`{"id":8,"do":"start","with":{"seconds":1.5}}`,
		`{"id":9,"do":"timeline","with":{"from":0,"to":10,"pixels":800,"track":-1}}`,
		`{"id":10,"do":"lines","with":{"most":20,"function":-1}}`,
		`{"do":"ack","with":{"run":1,"rev":18446744073709551615}}`,
		`{"id":1e400,"do":""}`, `[`, `{}{}`, "{\"do\":\"\xff\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		r, err := parseRequest(message)
		if err != nil {
			if len(short(err.Error())) > 123 {
				t.Fatalf("no close frame takes %q", short(err.Error()))
			}
			return
		}
		if r.Do == "" {
			t.Fatal("nothing to do was taken")
		}
		if s, err := r.start(); err == nil && (s.Duration < 0 || s.Duration > longest) {
			t.Fatalf("a run of %v", s.Duration)
		}
		if w, err := r.window(); err == nil && !(w.From >= 0 && (w.To == 0 || w.To >= w.From) && w.Pixels >= 1 && w.Pixels <= mostPixels && w.Depth >= 0 && w.Depth <= mostDepth && w.Track >= -1) {
			t.Fatalf("a window %+v", w)
		}
		if l, err := r.lines(); err == nil && !(l.Most >= 0 && l.Most <= mostLines && l.Context >= 0 && l.Context <= mostAround && l.Function >= -1) {
			t.Fatalf("lines %+v", l)
		}
		if c, err := r.connect(); err == nil && (c.Rate < 0 || c.Baud < 0 || c.Kind == "") {
			t.Fatalf("a connection %+v", c)
		}
	})
}
