package export

import (
	"cmp"
	"slices"
	"time"

	"github.com/mprof/mprof/profile"
)

// recordThread has a value for each row of the thread; a column that is missing is 0
// throughout.
type recordThread struct {
	Weights []time.Duration `json:",omitempty"`
	Halted  []time.Duration `json:",omitempty"`
	States  []int           `json:",omitempty"`
	Counts  []int           `json:",omitempty"` // of traced calls
}

// recordFrames has a value for each frame, or those of the frames that are named.
type recordFrames struct {
	Addrs []uint32
	Lines []recordLine `json:",omitempty"` // of frames whose file is not that of their function
}

type recordLine struct {
	Frame     int
	File      string
	Line, Col int
}

// newRowsRecord is the record of a file that has all rows and frames.
func newRowsRecord(p *profile.Profile) *record {
	r := newRecord(p)
	r.addSums(p, p.Sums)
	r.Frames = newRecordFrames(p)
	for _, t := range p.Threads {
		r.Threads = append(r.Threads, newRecordThread(t.Samples, p.Trace != nil))
	}
	return r
}

func newRecordFrames(p *profile.Profile) *recordFrames {
	r := &recordFrames{Addrs: make([]uint32, 0, len(p.Frames))}
	for i, f := range p.Frames {
		r.Addrs = append(r.Addrs, f.Addr)
		if of := p.Functions[f.Function].File; f.File != of && (f.File != "" || f.Line != 0) {
			r.Lines = append(r.Lines, recordLine{i, f.File, f.Line, f.Col})
		}
	}
	return r
}

// line is that of a frame whose file is not that of its function.
func (r *recordFrames) line(frame int) (recordLine, bool) {
	i, ok := slices.BinarySearchFunc(r.Lines, frame, func(l recordLine, frame int) int { return cmp.Compare(l.Frame, frame) })
	if !ok {
		return recordLine{}, false
	}
	return r.Lines[i], true
}

// newRecordThread keeps the columns that have anything in them. Weights and counts of
// traced calls are the other way round: the format holds their weights.
func newRecordThread(rows []profile.Sample, traced bool) (r recordThread) {
	var halted, state bool
	for i := range rows {
		s := &rows[i]
		halted, state = halted || s.Halted != 0, state || s.State != 0
		if traced {
			r.Counts = append(r.Counts, s.Count)
		} else {
			r.Weights = append(r.Weights, s.Weight)
		}
		r.Halted = append(r.Halted, s.Halted)
		r.States = append(r.States, int(s.State))
	}
	if !halted {
		r.Halted = nil
	}
	if !state {
		r.States = nil
	}
	return r
}
