package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mprof/mprof/profile"
)

const (
	firefoxForeign = "the file does not say for how long each sample stands: that was taken to be its interval"
	firefoxShifted = "times begin with the first sample of the file"
)

// readFirefox reads the processed format of the Firefox Profiler.
func readFirefox(data []byte, in Input) (*profile.Profile, error) {
	file := &firefoxFile{}
	if err := json.Unmarshal(data, file); err != nil {
		return nil, fmt.Errorf("damaged JSON: %w", jsonReason(err))
	}
	switch {
	case file.Meta.Processed == 0 && file.Meta.Version > 0:
		return nil, errors.New("a raw profile of Gecko: open it in profiler.firefox.com, and save what that makes of it")
	case file.Meta.Processed == 0:
		return nil, errors.New("JSON, but no profile of the Firefox Profiler")
	}
	var r *record
	if len(file.Record) > 0 && string(file.Record) != "null" {
		var err error
		if r, err = parseRecord(file.Record); err != nil {
			return nil, err
		}
	}
	f := &firefoxReader{file: file, record: r, rows: profile.NewRows(), in: in}
	return f.read()
}

// firefoxReader turns the file into a profile. rows are shared by all threads.
type firefoxReader struct {
	file    *firefoxFile
	record  *record
	in      Input
	rows    *profile.Rows
	bases   []baseOf // by library
	sources map[string]string
	sum     sums
	dropped map[string]bool
}

// baseOf is the address of a library; known is false where nobody says it.
type baseOf struct {
	base  uint32
	known bool
}

func (f *firefoxReader) read() (*profile.Profile, error) {
	f.findBases()
	f.sources, f.dropped = map[string]string{}, map[string]bool{}
	var shared *stackMap
	var threads []profile.ThreadTrack
	for i := range f.file.Threads {
		t := &f.file.Threads[i]
		if t.Samples == nil {
			continue
		}
		stacks := shared
		tables := &f.file.Shared
		if len(t.StackTable.Frame) > 0 || len(t.StringArray) > 0 {
			tables, stacks = &t.firefoxTables, nil
		}
		if stacks == nil {
			var err error
			if stacks, err = f.tables(tables); err != nil {
				return nil, err
			}
			if tables == &f.file.Shared {
				shared = stacks
			}
		}
		track, err := f.thread(i, t, stacks)
		if err != nil {
			return nil, fmt.Errorf("thread %d (%s): %w", i, t.Name, err)
		}
		threads = append(threads, track)
	}
	if len(threads) == 0 {
		return nil, errors.New("no thread of it has samples")
	}
	p := f.rows.Finish()
	p.Threads, p.Sources = threads, f.sources
	if start := f.file.Meta.StartTime; start > 0 && start < math.MaxInt64/1e6 {
		p.Start = time.UnixMicro(int64(math.Round(start * 1e3))).UTC()
	}
	if f.record != nil {
		return p, f.own(p)
	}
	return p, f.foreign(p)
}

// own completes a profile that mprof wrote.
func (f *firefoxReader) own(p *profile.Profile) error {
	if f.record.Trace == nil {
		dropCalls(p)
	}
	if f.record.Sums != nil {
		p.Sums = &profile.Sums{}
	}
	p.Duration = lastTime(p)
	return f.record.apply(p)
}

// foreign says what is known of somebody else's profile.
func (f *firefoxReader) foreign(p *profile.Profile) error {
	dropCalls(p)
	m := &f.file.Meta
	p.Taken.Device = m.Device
	if in := f.in.Program; in != nil {
		p.Mapping, p.Others = in.Mappings()[0], in.Mappings()[1:]
	} else {
		p.Mapping.Name = m.Product
	}
	if interval := m.Interval; interval > 0 && interval < 1e9 {
		p.Period = time.Duration(interval * 1e6)
	}
	first := time.Duration(math.MaxInt64)
	for _, t := range p.Threads {
		for _, s := range t.Samples {
			first = min(first, s.Time)
		}
	}
	for _, t := range p.Threads {
		for i := range t.Samples {
			t.Samples[i].Time -= first
		}
	}
	p.Duration = lastTime(p)
	var remarks []string
	if m.Imported != "" || m.Product != "" {
		remarks = append(remarks, strings.TrimSpace("read from a profile of "+m.Product+" "+m.Imported))
	}
	remarks = append(remarks, firefoxForeign)
	if first != 0 {
		remarks = append(remarks, firefoxShifted)
	}
	for text := range f.dropped {
		remarks = append(remarks, text)
	}
	slices.Sort(remarks[min(2, len(remarks)):])
	if slices.ContainsFunc(f.file.Threads, func(t firefoxReadThread) bool { return t.Samples != nil && t.Samples.WeightType == timedWeights }) {
		remarks = append(remarks, measured(p)...)
	}
	unrecorded(p, remarks...)
	return nil
}

func dropCalls(p *profile.Profile) {
	for i := range p.Threads {
		p.Threads[i].Calls = nil
	}
}

// lastTime is that of the last sample, or the end of the last piece.
func lastTime(p *profile.Profile) (last time.Duration) {
	for _, t := range p.Threads {
		if n := len(t.Samples); n > 0 {
			last = max(last, t.Samples[n-1].Time)
		}
	}
	return last
}

// findBases finds where the libraries lie: by what mprof noted, or in the ELF file that
// the user names.
func (f *firefoxReader) findBases() {
	var known []profile.Mapping
	if f.record != nil {
		known = append([]profile.Mapping{f.record.Mapping}, f.record.Others...)
	} else if f.in.Program != nil {
		known = f.in.Program.Mappings()
	}
	for _, lib := range f.file.Libs {
		b := baseOf{}
		for _, m := range known {
			if lib.BreakpadID == m.DebugID() || f.record != nil && lib.Path == m.Path {
				b = baseOf{m.LoadBase, true}
				break
			}
		}
		f.bases = append(f.bases, b)
	}
}
