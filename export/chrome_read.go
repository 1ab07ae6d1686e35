package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mprof/mprof/profile"
)

const (
	chromeRemark  = "Chrome's trace format holds names and times only: how it was sampled and what that cost is not known"
	chromeLasting = "the file does not say for how long each sample stands: that was taken to be until the next one of its track"
)

// chromeInput is an event of a file. Numbers may be written as strings.
type chromeInput struct {
	Phase string          `json:"ph"`
	Name  string          `json:"name"`
	Cat   string          `json:"cat"`
	PID   json.RawMessage `json:"pid"`
	TID   json.RawMessage `json:"tid"`
	ID    json.RawMessage `json:"id"`
	Time  looseNumber     `json:"ts"`
	Dur   looseNumber     `json:"dur"`
	Args  json.RawMessage `json:"args"`

	Stack  json.RawMessage `json:"sf"` // of samples
	Weight looseNumber     `json:"weight"`
}

// looseNumber is a number, or a string with one; NaN where there is none.
type looseNumber struct {
	value float64
	known bool
}

// UnmarshalJSON takes numbers, strings and null.
func (n *looseNumber) UnmarshalJSON(text []byte) error {
	if bytes.Equal(text, jsonNull) {
		return nil
	}
	v, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	if err != nil {
		return fmt.Errorf("%s where a number should be", clip(string(text[:min(len(text), 61)])))
	}
	n.value, n.known = v, true
	return nil
}

// readChrome reads Chrome's Trace Event Format: samples where the file has some (ProfileChunk, CpuProfile, or
// samples with stackFrames), else calls (X, B and E).
func readChrome(data []byte, in Input) (*profile.Profile, error) {
	r := &chromeReader{paths: newNamedPaths(), tracks: map[chromeThread]*chromeInputTrack{}, names: map[string]int{}, sampled: map[string]*chromeSession{}, calls: map[string]int64{}, notes: map[string]int{}}
	if err := r.file(data); err != nil {
		return nil, err
	}
	p, err := r.profile()
	if err != nil {
		return nil, err
	}
	if in.Program != nil {
		p.Mapping, p.Others = in.Program.Mappings()[0], in.Program.Mappings()[1:]
	}
	if r.anySamples() {
		return recall(p, r.record, countsBySelf(p), countsBySelf)
	}
	return recall(p, r.record, r.calls, callsByName)
}

// callsByName counts the calls of a trace that are kept.
func callsByName(p *profile.Profile) map[string]int64 {
	sums := map[string]int64{}
	for _, t := range p.Threads {
		for i := range t.Calls {
			sums[p.Functions[p.Frames[p.Stacks[t.Calls[i].Stack].Frame].Function].Name]++
		}
	}
	return sums
}

// chromeThread is a process and a thread, as they are written.
type chromeThread struct{ pid, tid string }

// chromeReader collects what a file has.
type chromeReader struct {
	paths   namedPaths
	tracks  map[chromeThread]*chromeInputTrack
	order   []*chromeInputTrack
	names   map[string]int // functions by name and place
	known   []profile.Function
	sampled map[string]*chromeSession // by process and id
	chunked []*chromeSession          // the same, as they came
	stacks  map[string]chromeStack    // stackFrames
	samples []chromeInput
	calls   map[string]int64 // by name
	notes   map[string]int
	process string
	record  string
	events  int
	rows    int
	sum     sums
}

// chromeInputTrack is a thread of the file.
type chromeInputTrack struct {
	chromeThread
	name  string
	marks []chromeMark
	rows  []profile.Sample
}

type chromeStack struct {
	Name   string
	Parent json.RawMessage
}

// file goes through a whole one: an object with traceEvents, or an array of them.
func (r *chromeReader) file(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	t, err := d.Token()
	if err == nil && t == json.Delim('[') {
		return r.array(d, true, func() error { return r.decode(d) })
	}
	for err == nil && d.More() {
		var key json.Token
		if key, err = d.Token(); err == nil {
			err = r.member(d, key)
		}
	}
	return chromeReason(err)
}

func chromeReason(err error) error {
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax) || errors.As(err, &wrong):
		return fmt.Errorf("damaged JSON: %w", jsonReason(err))
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("damaged JSON: it is cut short: %w", io.ErrUnexpectedEOF)
	}
	return err
}

func (r *chromeReader) member(d *json.Decoder, key json.Token) error {
	switch key {
	case "traceEvents":
		if t, err := d.Token(); err != nil || t != json.Delim('[') {
			return cmp.Or(err, errors.New("traceEvents is no array"))
		}
		return r.array(d, false, func() error { return r.decode(d) })
	case "samples":
		if t, err := d.Token(); err != nil || t != json.Delim('[') {
			return cmp.Or(err, errors.New("samples is no array"))
		}
		return r.array(d, false, func() error {
			var s chromeInput
			err := d.Decode(&s)
			r.samples = append(r.samples, s)
			return cmp.Or(err, checkRows(len(r.samples), "samples"))
		})
	case "stackFrames":
		err := d.Decode(&r.stacks)
		return cmp.Or(err, checkRows(len(r.stacks), "stackFrames"))
	case "mprof":
		return d.Decode(&r.record)
	}
	var skipped json.RawMessage
	return d.Decode(&skipped)
}

// array reads the elements of an array up to its end, which may be missing where the array is the
// file, as may that of its last element: programs that are killed write no more.
func (r *chromeReader) array(d *json.Decoder, file bool, element func() error) error {
	for d.More() {
		err := element()
		if file && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) {
			return nil
		}
		if err != nil {
			return chromeReason(err)
		}
	}
	_, err := d.Token()
	if file && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) {
		return nil
	}
	return chromeReason(err)
}

func (r *chromeReader) decode(d *json.Decoder) error {
	var e chromeInput
	if err := d.Decode(&e); err != nil {
		return err
	}
	if err := r.event(&e); err != nil {
		return fmt.Errorf("event %d (%s): %w", r.events, clip(e.Name), err)
	}
	r.events++
	return checkRows(r.events, "events")
}

// track is the thread of an event.
func (r *chromeReader) track(e *chromeInput) *chromeInputTrack {
	key := chromeThread{strings.Trim(string(e.PID), `"`), strings.Trim(string(e.TID), `"`)}
	t := r.tracks[key]
	if t == nil {
		t = &chromeInputTrack{chromeThread: key}
		r.tracks[key] = t
		r.order = append(r.order, t)
	}
	return t
}

func (r *chromeReader) event(e *chromeInput) error {
	switch {
	case e.Phase == "M":
		var of struct{ Name string }
		_ = json.Unmarshal(e.Args, &of) // other metadata has other arguments
		switch {
		case of.Name == "":
		case e.Name == "thread_name":
			r.track(e).name = of.Name
		case e.Name == "process_name":
			r.process = cmp.Or(r.process, of.Name)
		}
	case e.Name == "Profile" && e.Phase == "P" || e.Name == "ProfileChunk" || e.Name == "CpuProfile":
		return r.chunk(e)
	case e.Phase == "X" || e.Phase == "B" || e.Phase == "E":
		return r.mark(e)
	case e.Phase == "b" && isCallCategory(e.Cat):
		r.calls[cmp.Or(e.Name, "<no name>")]++ // a stray of mprof's, see drawnEnds: it has no place among the others
		fallthrough
	case e.Phase != "":
		r.notes["other events (counters, instants, asynchronous ones, ...) are left out"]++
	default:
		return errors.New("no phase")
	}
	return nil
}

// isCallCategory tells whether mprof writes calls under it.
func isCallCategory(cat string) bool {
	for c := range profile.NumCategories {
		if profile.Category(c).String() == cat {
			return true
		}
	}
	return false
}

// function is the number of one.
func (r *chromeReader) function(f profile.Function) int {
	key := fmt.Sprintf("%s\x00%s\x00%d", f.Name, f.File, f.Line)
	i, ok := r.names[key]
	if !ok {
		i = len(r.known)
		r.names[key] = i
		f.Label = f.File == "" && isLabel(f.Name)
		r.known = append(r.known, f)
	}
	return i
}

func (r *chromeReader) anySamples() bool { return len(r.sampled) > 0 || len(r.samples) > 0 }

// add adds a row to a track.
func (r *chromeReader) add(t *chromeInputTrack, s profile.Sample) error {
	if r.sum.add(int64(s.Count), int64(s.Weight)); r.sum.err != nil {
		return r.sum.err
	}
	t.rows = append(t.rows, s)
	r.rows++
	return cmp.Or(checkRows(r.rows, "samples"), checkTables(r.paths.rows))
}

// profile makes rows of what was collected.
func (r *chromeReader) profile() (*profile.Profile, error) {
	if err := r.makeRows(); err != nil {
		return nil, err
	}
	p := &profile.Profile{}
	var threads []profile.ThreadTrack
	first, last := time.Duration(math.MaxInt64), time.Duration(math.MinInt64)
	for _, t := range r.order {
		if len(t.rows) == 0 {
			continue
		}
		rows := byTime(t.rows)
		first = min(first, rows[0].Time)
		for _, s := range rows {
			last = max(last, s.Time+s.Weight)
		}
		name := cmp.Or(t.name, strings.TrimSpace("Thread "+t.pid+"/"+t.tid))
		threads = append(threads, profile.ThreadTrack{Name: strings.ToValidUTF8(name, "\uFFFD"), Samples: rows})
	}
	*p = *r.paths.rows.Finish()
	if p.Threads = threads; len(threads) == 0 {
		p.Threads, first, last = []profile.ThreadTrack{{Name: defaultTrack}}, 0, 0
	}
	for i := range threads {
		for n := range threads[i].Samples {
			threads[i].Samples[n].Time -= first
		}
	}
	p.Duration, p.Mapping.Name = last-first, r.process
	remarks := r.remarks(first)
	if !r.anySamples() {
		remarks = append(remarks, measured(p)...)
	}
	unrecorded(p, remarks...)
	return p, nil
}

func (r *chromeReader) remarks(first time.Duration) []string {
	remarks := []string{chromeRemark}
	if r.anySamples() {
		remarks = append(remarks, chromeLasting)
	}
	if first != 0 {
		remarks = append(remarks, firefoxShifted)
	}
	var more []string
	for text, n := range r.notes {
		more = append(more, fmt.Sprintf("%d %s", n, text))
	}
	slices.Sort(more)
	return append(remarks, more...)
}

// microsecondsOf is a time in the unit of the file, in ns.
func microsecondsOf(us float64) (time.Duration, error) {
	ns := math.Round(us * 1e3)
	if math.IsNaN(ns) || math.Abs(ns) > math.MaxInt64/8 {
		return 0, fmt.Errorf("a time of %v µs", us)
	}
	return time.Duration(ns), nil
}
