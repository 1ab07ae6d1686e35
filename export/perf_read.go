package export

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/mprof/mprof/profile"
)

const (
	perfRemark = "backtraces as text hold names, addresses and times only: how it was sampled and what that cost is not known"
	perfEvents = "its samples count events that are no time: %s"
)

// perfHead is the first line of a block: thread, process/thread, [core], seconds, for how
// much it stands, event. perfFrame is one of the others: address, name, (image).
var (
	perfHead  = regexp.MustCompile(`^(\S.*?)\s+(?:-?\d+/)?(-?\d+)\s+(?:\[\d+\]\s+)?(?:(\d+)\.(\d{1,9}):\s+)?(?:(\d+)\s+)?(\S+):\s*$`)
	perfFrame = regexp.MustCompile(`^\s+([0-9a-fA-F]+)\s+(.*) \((.*)\)$`)
	perfPlus  = regexp.MustCompile(`\+0x[0-9a-fA-F]+$`)
)

// looksPerf tells whether the first line that is no comment is the head of a block.
func looksPerf(data []byte) bool {
	if !printable(data) {
		return false
	}
	for line := range bytes.Lines(data[:min(len(data), 1<<16)]) {
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 && line[0] != '#' {
			return perfHead.Match(line)
		}
	}
	return false
}

// perfReader adds up blocks.
type perfReader struct {
	rows    *profile.Rows
	threads []profile.ThreadTrack
	tracks  map[string]int
	sum     sums
	event   string // that is no time
	pieces  bool   // blocks are pieces of time, of traced calls
	ours    bool   // mprof wrote it
	head    profile.Sample
	track   int
	frames  []profile.Frame // of the block that is read, leaf first
	open    bool
	names   []profile.Function // of frames
}

// readPerf reads what perf script prints, and what WritePerf writes.
func readPerf(data []byte, in Input) (*profile.Profile, error) {
	r := &perfReader{rows: profile.NewRows(), tracks: map[string]int{}}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if err := r.line(string(bytes.TrimRight(line, "\r\n"))); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := r.end(); err != nil {
		return nil, fmt.Errorf("line %d: %w", number, err)
	}
	p := r.rows.Finish()
	p.Threads = r.threads
	for i := range p.Threads {
		p.Threads[i].Samples = byTime(p.Threads[i].Samples)
	}
	remarks := []string{perfRemark}
	if r.event != "" {
		remarks = append(remarks, fmt.Sprintf(perfEvents, r.event))
	}
	if !r.ours && fromFirst(p) {
		remarks = append(remarks, firefoxShifted)
	}
	p.Duration = lastTime(p)
	if in.Program != nil {
		p.Mapping, p.Others = in.Program.Mappings()[0], in.Program.Mappings()[1:]
	}
	if r.pieces {
		remarks = append(remarks, measured(p)...)
	}
	unrecorded(p, remarks...)
	return p, nil
}

func (r *perfReader) line(text string) error {
	switch {
	case strings.HasPrefix(text, "#"):
		r.comment(text)
		return nil
	case strings.TrimSpace(text) == "":
		return r.end()
	case !r.open:
		return r.begin(text)
	}
	m := perfFrame.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("no frame of a stack: %s", clip(text))
	}
	if len(r.frames) == maxReadDepth {
		return fmt.Errorf("a stack of more than %d frames", maxReadDepth)
	}
	address, _ := strconv.ParseUint(m[1], 16, 64)
	f := profile.Function{Name: perfPlus.ReplaceAllString(m[2], "")}
	if f.Name == "" || f.Name == "[unknown]" {
		f.Name = fmt.Sprintf("0x%08x", address)
	}
	f.Label = isLabel(f.Name)
	frame := profile.Frame{Symbol: profile.None, Guessed: strings.HasSuffix(f.Name, guessedMark)}
	if address <= 1<<32-1 {
		frame.Addr = uint32(address)
	}
	r.frames, r.names = append(r.frames, frame), append(r.names, f)
	return nil
}

// comment looks for what mprof says of its run, and for blocks that are no samples.
func (r *perfReader) comment(text string) {
	r.ours = r.ours || strings.HasPrefix(text, "# Run: Profiler: mprof")
	r.pieces = r.pieces || r.ours && (strings.HasPrefix(text, "# Trace: ") || strings.Contains(text, measuredRemark))
}

// fromFirst counts times from the first sample on: those of perf are since the machine was started.
func fromFirst(p *profile.Profile) bool {
	first := time.Duration(math.MaxInt64)
	for _, t := range p.Threads {
		if len(t.Samples) > 0 {
			first = min(first, t.Samples[0].Time)
		}
	}
	if first == 0 || first == math.MaxInt64 {
		return false
	}
	for _, t := range p.Threads {
		for i := range t.Samples {
			t.Samples[i].Time -= first
		}
	}
	return true
}

// begin reads the head of a block.
func (r *perfReader) begin(text string) error {
	m := perfHead.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("no head of a sample: %s", clip(text))
	}
	r.open, r.frames, r.names = true, r.frames[:0], r.names[:0]
	r.head = profile.Sample{Count: 1}
	if m[3] != "" {
		s, err := strconv.ParseUint(m[3], 10, 33)
		if err != nil {
			return fmt.Errorf("a time of %s s", m[3])
		}
		ns, _ := strconv.Atoi((m[4] + "00000000")[:9])
		r.head.Time = time.Duration(s)*time.Second + time.Duration(ns)
	}
	if event, _, _ := strings.Cut(m[6], ":"); strings.HasSuffix(event, "-clock") {
		weight, err := strconv.ParseInt("0"+m[5], 10, 64)
		if err != nil {
			return fmt.Errorf("%s ns in one sample", m[5])
		}
		r.head.Weight = time.Duration(weight)
	} else {
		r.event = event
	}
	name := m[1] + "/" + m[2]
	i, ok := r.tracks[name]
	if !ok {
		i = len(r.threads)
		r.tracks[name] = i
		r.threads = append(r.threads, profile.ThreadTrack{Name: m[1]})
	}
	r.track = i
	return nil
}

// end adds the block.
func (r *perfReader) end() error {
	if !r.open {
		return nil
	}
	r.open = false
	if r.sum.add(1, int64(r.head.Weight)); r.sum.err != nil {
		return r.sum.err
	}
	if len(r.frames) == 0 {
		r.frames, r.names = append(r.frames, profile.Frame{Symbol: profile.None}), append(r.names, profile.Function{Name: "<no frames>", Label: true})
	}
	at, category := profile.StackIndex(profile.None), profile.Thread
	for i := len(r.frames) - 1; i >= 0; i-- {
		frame := r.frames[i]
		category = follow(r.names[i], category)
		frame.Function, frame.Category = r.rows.Function(r.names[i], 0), category
		at = r.rows.Stack(at, r.rows.Frame(frame))
	}
	r.head.Stack = at
	t := &r.threads[r.track]
	t.Samples = append(t.Samples, r.head)
	return checkTables(r.rows)
}
