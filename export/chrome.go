package export

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/mprof/mprof/profile"
)

// chromePID is the process of all tracks.
const chromePID = 1

// Categories of events.
const (
	chromeMeta    = "__metadata"
	chromeEvents  = "event"
	chromeCounter = "counter"
	chromeSamples = "disabled-by-default-v8.cpu_profiler" // the one under which all readers look
)

// chromeEvent is one element of traceEvents (Trace Event Format, Google, 2016). Members are in an order
// that Perfetto's importer reads fastest; no string in it needs \u, which that refuses outside
// of events.
type chromeEvent struct {
	Phase string        `json:"ph"`
	PID   int           `json:"pid"`
	TID   int           `json:"tid"`
	Time  microseconds  `json:"ts"`
	Dur   *microseconds `json:"dur,omitempty"`
	Cat   string        `json:"cat"`
	Name  string        `json:"name"`
	ID    string        `json:"id,omitempty"`
	Scope string        `json:"s,omitempty"`
	Args  any           `json:"args,omitempty"`
}

// microseconds are written with as many digits as it takes for whole nanoseconds.
type microseconds time.Duration

// MarshalJSON writes a decimal number.
func (m microseconds) MarshalJSON() ([]byte, error) {
	ns, sign := int64(m), ""
	if ns < 0 {
		ns, sign = -ns, "-"
	}
	if ns%1000 == 0 {
		return fmt.Appendf(nil, "%s%d", sign, ns/1000), nil
	}
	return []byte(strings.TrimRight(fmt.Sprintf("%s%d.%03d", sign, ns/1000, ns%1000), "0")), nil
}

type chromeName struct {
	Name string `json:"name"`
}

// WriteChrome writes a trace for Perfetto, chrome://tracing and others that read Chrome's Trace Event
// Format. Of traced calls: a track for each context, a complete event (X) for each call that was
// kept, whose length is that on the clock; what of it was its own context's is an argument, and so is
// the length where it had to be drawn longer to hold its calls. Of
// samples: a track for each thread and for each of its exceptions, with its samples in the way in which V8
// writes them (P: Profile, ProfileChunk), which Perfetto, the Firefox Profiler, speedscope and Chrome's DevTools
// read; and a counter of what share of the time the core ran, slept, was halted for samples, and is not
// known. What happened to the run is an instant (i) or, if it lasted, an interval (b, e). Facts
// of the run are in otherData.
func WriteChrome(w io.Writer, p *profile.Profile) error {
	if err := p.Check(); err != nil {
		return err
	}
	n := p.Samples()
	switch {
	case p.Trace != nil && p.Trace.Calls > 0 && !slices.ContainsFunc(p.Threads, func(t profile.ThreadTrack) bool { return len(t.Calls) > 0 }):
		return errors.New("a Chrome trace shows single calls, and of this one only the sums are known: convert what has the calls (.json.gz, or the recording)")
	case p.Trace == nil && n > mostBlocks:
		return fmt.Errorf("%d samples are more than the %d that are written one by one: pprof and folded stacks add them up", n, mostBlocks)
	}
	record, err := packTables(p)
	if err != nil {
		return err
	}
	c := &chromeWriter{p: p, out: bufio.NewWriterSize(w, 1<<16)}
	c.encoder = json.NewEncoder(c.out)
	c.encoder.SetEscapeHTML(false)
	c.text("{\"traceEvents\":[\n")
	c.event(chromeEvent{Phase: "M", PID: chromePID, TID: 1, Cat: chromeMeta, Name: "process_name", Args: chromeName{plain(processName(p))}})
	if p.Trace != nil {
		c.calls()
	} else {
		c.samples()
		c.counters()
	}
	c.events()
	c.text("],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":")
	c.encode(chromeFacts(p))
	c.text(",\"mprof\":")
	c.encode(record)
	c.text("}\n")
	return cmp.Or(c.err, c.out.Flush())
}

type chromeWriter struct {
	p       *profile.Profile
	out     *bufio.Writer
	encoder *json.Encoder
	more    bool // an event stands before
	nodes   int  // of all tracks
	err     error
}

func (c *chromeWriter) text(s string) { _, _ = c.out.WriteString(s) } // Flush says what went wrong

func (c *chromeWriter) encode(v any) { c.err = cmp.Or(c.err, c.encoder.Encode(v)) }

func (c *chromeWriter) event(e chromeEvent) {
	if c.more {
		c.text(",")
	}
	c.more = true
	c.encode(&e)
}

// track names a track, in the order in which they are named.
func (c *chromeWriter) track(tid int, name string) {
	c.event(chromeEvent{Phase: "M", PID: chromePID, TID: tid, Cat: chromeMeta, Name: "thread_name", Args: chromeName{plain(name)}})
	c.event(chromeEvent{Phase: "M", PID: chromePID, TID: tid, Cat: chromeMeta, Name: "thread_sort_index", Args: struct {
		Index int `json:"sort_index"`
	}{tid}})
}

// events writes what happened to the run. Each interval has a number of its own, as they may overlap.
func (c *chromeWriter) events() {
	for i, e := range c.p.Events {
		event := chromeEvent{Phase: "i", PID: chromePID, TID: 1, Time: microseconds(e.Time), Cat: chromeEvents, Name: plain(e.Name), Scope: "p", Args: struct {
			Detail string `json:"detail"`
		}{plain(e.Detail)}}
		if e.Duration <= 0 {
			c.event(event)
			continue
		}
		event.Phase, event.Scope, event.ID = "b", "", fmt.Sprintf("0x%x", i+1)
		c.event(event)
		event.Phase, event.Time, event.Args = "e", microseconds(e.Time+e.Duration), nil
		c.event(event)
	}
}

// chromeFacts are the facts of the run by their labels.
func chromeFacts(p *profile.Profile) map[string]string {
	out := map[string]string{}
	for _, f := range graphFacts(p) {
		label := plain(f[0])
		for out[label] != "" {
			label += " "
		}
		out[label] = plain(f[1])
	}
	return out
}

// plain leaves out of a text what JSON writes as \u.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
}
