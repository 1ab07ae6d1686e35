package export

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mprof/mprof/profile"
)

const (
	callgrindRemark = "Callgrind's format holds a call graph, not stacks: the cost of a function was shared out to its callers by what they spent in it, which is a guess"
	callgrindEvents = "its numbers (%s) are neither samples nor time: they were taken for samples"
	callgrindCut    = "there are more ways through the call graph than are kept as stacks: some of them begin in the middle"
)

// callgrindUnits are events that are time, in ns.
var callgrindUnits = map[string]int64{callgrindNanos: 1, "ns": 1, "Time_(10ns)": 10, "Microseconds": 1000, "us": 1000}

var (
	callgrindHeader = regexp.MustCompile(`^(version|creator|pid|thread|part|desc|cmd|positions|event|events|summary|totals):\s*(.*)$`)
	callgrindAssign = regexp.MustCompile(`^(ob|fl|fi|fe|fn|cob|cfi|cfl|cfn|calls|jump|jcnd|jfi|jfn)=\s*(.*)$`)
	callgrindName   = regexp.MustCompile(`^\((\d+)\)\s*(.*)$`)
)

// looksCallgrind tells whether data begins like a file of Callgrind, which names its events
// before the first function.
func looksCallgrind(data []byte) bool {
	if !printable(data) {
		return false
	}
	events := false
	for line := range bytes.Lines(data[:min(len(data), 1<<16)]) {
		text := strings.TrimRight(string(line), "\r\n")
		switch m := callgrindHeader.FindStringSubmatch(text); {
		case strings.HasPrefix(text, "#") || strings.TrimSpace(text) == "":
		case m != nil:
			events = events || m[1] == "events"
		default:
			return events && callgrindAssign.MatchString(text)
		}
	}
	return events
}

// readCallgrind reads a call graph, and makes stacks of it.
func readCallgrind(data []byte, in Input) (*profile.Profile, error) {
	r := &callgrindReader{graph: callgrindInput{byName: map[callgrindKey]*callgrindNode{}}, names: map[string]map[string]string{}, lines: true}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if err := r.line(strings.TrimRight(string(line), " \t\r\n")); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if len(r.events) == 0 {
		return nil, errors.New("a file of Callgrind without a line of events")
	}
	timed := r.samples < 0
	p, cut, err := r.graph.profile(timed)
	if err != nil {
		return nil, err
	}
	if in.Program != nil {
		p.Mapping, p.Others = in.Program.Mappings()[0], in.Program.Mappings()[1:]
	}
	remarks := []string{callgrindRemark}
	if !timed && r.events[r.samples] != callgrindSamples {
		remarks = append(remarks, fmt.Sprintf(callgrindEvents, r.events[r.samples]))
	}
	if cut {
		remarks = append(remarks, callgrindCut)
	}
	of := countsBySelf
	if timed {
		of = weightsBySelf
		remarks = append(remarks, measured(p)...)
	}
	unrecorded(p, remarks...)
	return recall(p, r.record, of(p), of)
}

// callgrindReader goes through the lines of a file.
type callgrindReader struct {
	graph          callgrindInput
	events         []string
	samples, nanos int                          // which of the events is a number of samples, and which a time; -1: none
	unit           int64                        // of the time, ns
	addrs, lines   bool                         // what the positions are
	names          map[string]map[string]string // by kind and number
	record         string
	file, fnFile   string // the current file, and that of the function
	fn             *callgrindNode
	calleeFile     string
	callee         *callgrindNode
	calls          bool // the next line is the cost of a call
	position       [2]int64
}

func (r *callgrindReader) line(text string) error {
	if record, ok := strings.CutPrefix(text, callgrindRecord); ok {
		r.record = record
		return nil
	}
	if text == "" || text[0] == '#' {
		return nil
	}
	if m := callgrindHeader.FindStringSubmatch(text); m != nil {
		return r.header(m[1], m[2])
	}
	if m := callgrindAssign.FindStringSubmatch(text); m != nil {
		return r.assign(m[1], m[2])
	}
	return r.cost(text)
}

func (r *callgrindReader) header(key, value string) error {
	switch key {
	case "version":
		if value != "1" {
			return fmt.Errorf("version %s of the format, and only 1 is known", clip(value))
		}
	case "positions":
		r.addrs, r.lines = strings.Contains(value, "instr"), strings.Contains(value, "line")
	case "events":
		if len(r.events) > 0 {
			return errors.New("events a second time")
		}
		r.events = strings.Fields(value)
		return r.choose()
	}
	return nil
}

// choose finds samples and a time among the events; where there is neither, the first stands for
// samples.
func (r *callgrindReader) choose() error {
	if len(r.events) == 0 {
		return errors.New("no events")
	}
	r.samples = slices.Index(r.events, callgrindSamples)
	r.nanos = slices.IndexFunc(r.events, func(e string) bool { return callgrindUnits[e] > 0 })
	if r.nanos >= 0 {
		r.unit = callgrindUnits[r.events[r.nanos]]
	} else {
		r.samples = max(0, r.samples)
	}
	return nil
}

// named is a name that may be shortened to a number.
func (r *callgrindReader) named(kind, text string) (string, error) {
	m := callgrindName.FindStringSubmatch(text)
	if m == nil {
		return text, nil
	}
	if r.names[kind] == nil {
		r.names[kind] = map[string]string{}
	}
	if m[2] != "" {
		r.names[kind][m[1]] = m[2]
		return m[2], nil
	}
	known, ok := r.names[kind][m[1]]
	if !ok {
		return "", fmt.Errorf("(%s) is no name that stands before it", m[1])
	}
	return known, nil
}

func (r *callgrindReader) assign(key, value string) (err error) {
	switch key {
	case "ob", "cob":
		_, err = r.named("ob", value)
	case "fl":
		r.file, err = r.named("fl", value)
		r.fnFile = r.file
	case "fi", "fe":
		r.file, err = r.named("fl", value)
	case "cfi", "cfl":
		r.calleeFile, err = r.named("fl", value)
	case "fn":
		r.fn, err = r.function(value, r.file)
		r.fnFile = r.file
	case "cfn":
		file := r.fnFile
		if r.calleeFile != "" {
			file = r.calleeFile
		}
		r.callee, err = r.function(value, file)
		r.calleeFile = ""
	case "calls":
		if r.callee == nil || r.fn == nil {
			return errors.New("calls of no function, or by none")
		}
		r.calls = true
	case "jfi":
		_, err = r.named("fl", value)
	case "jfn":
		_, err = r.named("fn", value)
	}
	return err
}

func (r *callgrindReader) function(value, file string) (*callgrindNode, error) {
	name, err := r.named("fn", value)
	if err != nil {
		return nil, err
	}
	return r.graph.node(callgrindKey{name, file})
}

// cost reads positions and numbers; * and +N and -N are relative to the line before.
func (r *callgrindReader) cost(text string) error {
	if len(r.events) == 0 || r.fn == nil {
		return fmt.Errorf("no line of a call graph: %s", clip(text))
	}
	fields := strings.Fields(text)
	for i, has := range []bool{r.addrs, r.lines} {
		if !has {
			continue
		}
		if len(fields) == 0 {
			return fmt.Errorf("no position: %s", clip(text))
		}
		v, err := relative(fields[0], r.position[i])
		if err != nil {
			return fmt.Errorf("position %s: %w", clip(fields[0]), err)
		}
		r.position[i], fields = v, fields[1:]
	}
	var v callgrindCost
	for i, field := range fields {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil || n < 0 || i >= len(r.events) {
			return fmt.Errorf("a cost of %s", clip(field))
		}
		switch {
		case i == r.samples:
			v.samples = n
		case i == r.nanos && n > math.MaxInt64/r.unit:
			return fmt.Errorf("a cost of %d %s", n, r.events[i])
		case i == r.nanos:
			v.nanos = n * r.unit
		}
	}
	at := callgrindPlace{file: r.file, line: line(r.position[1])}
	if a := r.position[0]; a >= 0 && a <= math.MaxUint32 {
		at.addr = uint32(a)
	}
	if r.calls {
		r.calls = false
		r.callee.called(r.fn, v)
		return nil
	}
	return r.graph.self(r.fn, at, v)
}

// relative is a position: a number, or the distance to the one before.
func relative(text string, before int64) (int64, error) {
	if text == "*" {
		return before, nil
	}
	if text[0] == '+' || text[0] == '-' {
		d, err := strconv.ParseInt(text, 0, 64)
		if err != nil || d > math.MaxInt64/2 || d < math.MinInt64/2 || before > math.MaxInt64/2 || before < 0 {
			return 0, errors.New("no distance")
		}
		return max(0, before+d), nil
	}
	v, err := strconv.ParseUint(text, 0, 63)
	if err != nil {
		return 0, errors.New("no number")
	}
	return int64(v), nil
}
