package export

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
)

// recordTables is a profile as it is, for formats whose rows hold only part of one: column
// tables of indexes. Beside a file's rows stands the record with them, as JSON that is compressed
// with gzip and written in base64, which any text takes. Left out is at which address the stack of
// a sample ends that is not complete.
type recordTables struct {
	record
	Start     time.Time
	Functions []profile.Function
	Symbols   []profile.Symbol
	Files     []string // of frames
	Frame     struct {
		Function, Symbol, File, Line, Col, Depth, Category, Guessed []int32
		Addr                                                        []uint32
	}
	Stack   struct{ Prefix, Frame []int32 }
	Track   []recordTrack
	Sources map[string]string `json:",omitempty"`
}

// recordTrack has the rows of a thread. Columns of Of that are missing are 0 throughout.
type recordTrack struct {
	Name    string
	Stack   []int32
	Time    []time.Duration
	Weights []time.Duration
	Of      recordThread // its Counts: of samples, too, where one is not 1
	Calls   recordCalls
}

type recordCalls struct {
	Stack               []int32
	Time, Duration, Net []time.Duration
	AtLeast             []int `json:",omitempty"` // which of them
}

// packTables is the text that a file gets beside its rows.
func packTables(p *profile.Profile) (string, error) {
	r := &recordTables{record: *newRecord(p), Start: p.Start, Functions: p.Functions, Symbols: p.Symbols, Sources: p.Sources}
	r.addSums(p, p.Sums)
	r.Labels, r.Linkages = []string{}, nil // Functions has them
	var files stringTable
	for i := range p.Frames {
		f, t := &p.Frames[i], &r.Frame
		t.Function, t.Symbol, t.Addr = append(t.Function, int32(f.Function)), append(t.Symbol, int32(f.Symbol)), append(t.Addr, f.Addr)
		t.File, t.Line, t.Col = append(t.File, int32(files.add(f.File))), append(t.Line, int32(f.Line)), append(t.Col, int32(f.Col))
		guessed := int32(0)
		if f.Guessed {
			guessed = 1
		}
		t.Depth, t.Category, t.Guessed = append(t.Depth, int32(f.Depth)), append(t.Category, int32(f.Category)), append(t.Guessed, guessed)
	}
	r.Files = files.list
	for _, s := range p.Stacks {
		r.Stack.Prefix, r.Stack.Frame = append(r.Stack.Prefix, int32(s.Prefix)), append(r.Stack.Frame, int32(s.Frame))
	}
	for i := range p.Threads {
		r.Track = append(r.Track, newRecordTrack(&p.Threads[i]))
	}
	var packed bytes.Buffer
	e := base64.NewEncoder(base64.StdEncoding, &packed)
	z := gzip.NewWriter(e)
	if err := errors.Join(json.NewEncoder(z).Encode(r), z.Close(), e.Close()); err != nil {
		return "", err
	}
	return packed.String(), nil
}

func newRecordTrack(t *profile.ThreadTrack) recordTrack {
	r := recordTrack{Name: t.Name, Of: newRecordThread(t.Samples, true)}
	for i := range t.Samples {
		s := &t.Samples[i]
		r.Stack, r.Time, r.Weights = append(r.Stack, int32(s.Stack)), append(r.Time, s.Time), append(r.Weights, s.Weight)
	}
	for i := range t.Calls {
		c, to := &t.Calls[i], &r.Calls
		to.Stack, to.Time = append(to.Stack, int32(c.Stack)), append(to.Time, c.Time)
		to.Duration, to.Net = append(to.Duration, c.Duration), append(to.Net, c.Net)
		if c.AtLeast {
			to.AtLeast = append(to.AtLeast, i)
		}
	}
	return r
}

// unpackTables is the profile that stands beside the rows of a file.
func unpackTables(packed string) (*profile.Profile, error) {
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed)))
	if err != nil {
		return nil, fmt.Errorf("what mprof has noted in it is damaged: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(z, maxRead+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("what mprof has noted in it is damaged: %w", err)
	case len(text) > maxRead:
		return nil, fmt.Errorf("what mprof has noted in it is larger than %d MiB", maxRead>>20)
	}
	if _, err := parseRecord(text); err != nil {
		return nil, err
	}
	r := &recordTables{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("what mprof has noted in it is damaged: %w", jsonReason(err))
	}
	p, err := r.profile()
	if err != nil {
		return nil, fmt.Errorf("what mprof has noted in it is damaged: %w", err)
	}
	return p, nil
}

var errColumns = errors.New("columns of one table differ in length")

func (r *recordTables) profile() (*profile.Profile, error) {
	p := &profile.Profile{Start: r.Start, Functions: r.Functions, Symbols: r.Symbols, Sources: r.Sources}
	if r.Sums != nil {
		p.Sums = &profile.Sums{}
	}
	f := &r.Frame
	n := len(f.Function)
	for _, column := range [][]int32{f.Symbol, f.File, f.Line, f.Col, f.Depth, f.Category, f.Guessed} {
		if len(column) != n {
			return nil, errColumns
		}
	}
	if len(f.Addr) != n || len(r.Stack.Prefix) != len(r.Stack.Frame) {
		return nil, errColumns
	}
	for i := range n {
		if f.File[i] < 0 || int(f.File[i]) >= len(r.Files) || f.Category[i] < 0 || f.Category[i] >= int32(profile.NumCategories) {
			return nil, fmt.Errorf("frame %d: file %d of %d, category %d", i, f.File[i], len(r.Files), f.Category[i])
		}
		p.Frames = append(p.Frames, profile.Frame{
			Function: profile.FunctionIndex(f.Function[i]), Symbol: profile.SymbolIndex(f.Symbol[i]), Addr: f.Addr[i], File: r.Files[f.File[i]],
			Line: int(f.Line[i]), Col: int(f.Col[i]), Depth: int(f.Depth[i]), Category: profile.Category(f.Category[i]), Guessed: f.Guessed[i] != 0,
		})
	}
	for i, prefix := range r.Stack.Prefix {
		p.Stacks = append(p.Stacks, profile.Stack{Prefix: profile.StackIndex(prefix), Frame: profile.FrameIndex(r.Stack.Frame[i])})
	}
	for i := range r.Track {
		t, err := r.Track[i].thread()
		if err != nil {
			return nil, err
		}
		p.Threads = append(p.Threads, t)
	}
	if err := errors.Join(checkDepths(p), r.checkSums()); err != nil {
		return nil, err
	}
	if err := r.apply(p); err != nil {
		return nil, err
	}
	return p, p.Check()
}

// checkSums bounds the sums of the rows.
func (r *recordTables) checkSums() error {
	var sum sums
	for i := range r.Track {
		t := &r.Track[i]
		for row := range t.Stack {
			sum.add(int64(t.Of.Counts[row]), int64(t.Weights[row]))
		}
	}
	return sum.err
}

func (r *recordTrack) thread() (t profile.ThreadTrack, err error) {
	n, c := len(r.Stack), &r.Calls
	if len(r.Time) != n || len(r.Weights) != n || len(r.Of.Counts) != n || len(r.Of.Halted) != 0 && len(r.Of.Halted) != n || len(r.Of.States) != 0 && len(r.Of.States) != n {
		return t, errColumns
	}
	if k := len(c.Stack); len(c.Time) != k || len(c.Duration) != k || len(c.Net) != k {
		return t, errColumns
	}
	t.Name = r.Name
	for i := range n {
		s := profile.Sample{Stack: profile.StackIndex(r.Stack[i]), Time: r.Time[i], Weight: r.Weights[i], Count: r.Of.Counts[i]}
		if r.Of.Halted != nil {
			s.Halted = r.Of.Halted[i]
		}
		if r.Of.States != nil {
			s.State = snapshot.State(r.Of.States[i])
		}
		t.Samples = append(t.Samples, s)
	}
	for i := range c.Stack {
		t.Calls = append(t.Calls, profile.Call{Stack: profile.StackIndex(c.Stack[i]), Time: c.Time[i], Duration: c.Duration[i], Net: c.Net[i]})
	}
	for _, i := range c.AtLeast {
		if i < 0 || i >= len(t.Calls) {
			return t, fmt.Errorf("call %d of %d", i, len(t.Calls))
		}
		t.Calls[i].AtLeast = true
	}
	return t, nil
}

// checkDepths bounds stacks, whose callers stand before them, and what rows say of them.
func checkDepths(p *profile.Profile) error {
	depths := make([]int, len(p.Stacks))
	for i, s := range p.Stacks {
		if s.Prefix < profile.None || int(s.Prefix) >= i {
			return fmt.Errorf("stack %d: its caller, stack %d, does not stand before it", i, s.Prefix)
		}
		depths[i] = 1
		if s.Prefix != profile.None {
			depths[i] += depths[s.Prefix]
		}
		if depths[i] > maxReadDepth {
			return fmt.Errorf("stack %d has more than %d frames", i, maxReadDepth)
		}
	}
	return nil
}

// byPlainName is sums by names without control characters, which some formats have no place for.
func byPlainName(sums map[string]int64) map[string]int64 {
	out := make(map[string]int64, len(sums))
	for name, n := range sums {
		out[plain(name)] += n
	}
	return out
}

// recall is the profile beside the rows of a file, if it is still that of the rows: sums, which
// were found in the rows, are what of says of it. Else it is rows, with a note.
func recall(rows *profile.Profile, packed string, sums map[string]int64, of func(*profile.Profile) map[string]int64) (*profile.Profile, error) {
	if packed == "" {
		return rows, nil
	}
	p, err := unpackTables(packed)
	if err != nil {
		return nil, err
	}
	if !maps.Equal(byPlainName(sums), byPlainName(of(p))) {
		note(rows, "somebody has changed the file since mprof wrote it: what it says of the whole run is left out")
		return rows, nil
	}
	return p, nil
}

// countsBySelf adds samples up by the innermost function, whose name is what all formats have.
func countsBySelf(p *profile.Profile) map[string]int64 {
	return selfSums(p, func(s *profile.Sample) int64 { return int64(s.Count) })
}

// weightsBySelf adds up what they stand for, ns.
func weightsBySelf(p *profile.Profile) map[string]int64 {
	return selfSums(p, func(s *profile.Sample) int64 { return int64(s.Weight) })
}

func selfSums(p *profile.Profile, value func(s *profile.Sample) int64) map[string]int64 {
	sums := map[string]int64{}
	for _, t := range p.Threads {
		for i := range t.Samples {
			if v := value(&t.Samples[i]); v != 0 {
				sums[p.Functions[p.Frames[p.Stacks[t.Samples[i].Stack].Frame].Function].Name] += v
			}
		}
	}
	return sums
}
