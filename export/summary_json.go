package export

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"io"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/unwind"
)

// jsonSummary is the summary for programs. Times are in the unit that the key
// names; shares and errors are 0 to 1.
type jsonSummary struct {
	Program   string         `json:"program"`
	BuildID   string         `json:"build_id,omitempty"`
	Version   string         `json:"version"`
	Device    string         `json:"device,omitempty"`
	Probe     string         `json:"probe,omitempty"`
	Clock     string         `json:"clock,omitempty"`
	SWCLKHz   uint32         `json:"swclk_hz,omitempty"`
	RateHz    float64        `json:"rate_hz"`
	Seed      int64          `json:"seed"`
	DurationS float64        `json:"duration_s"`
	EndReason string         `json:"end_reason"`
	Samples   jsonSamples    `json:"samples"`
	Halted    *jsonHalted    `json:"halted"` // null: the file that the profile was read from does not say
	Budget    *jsonBudget    `json:"budget,omitempty"`
	Stacks    *jsonStacks    `json:"stacks"` // null: as above
	Resets    uint64         `json:"resets"`
	Lost      uint64         `json:"samples_lost_to_resets"`
	Away      []jsonAway     `json:"away"`
	Asleep    jsonShare      `json:"asleep"`
	Functions []jsonFunction `json:"functions"`
	Events    []jsonEvent    `json:"events"`
	Remarks   []string       `json:"remarks"`
	Files     []string       `json:"files"`
}

type jsonSamples struct {
	Method string            `json:"method"` // "dwarf", "fp", "pc", "pcsr"
	Asked  uint64            `json:"asked"`
	Taken  int               `json:"taken"`
	Missed map[string]uint64 `json:"missed"` // by reason
	NoPCs  jsonNoPCs         `json:"no_pcs"`
}

// jsonNoPCs counts words that were read and are no samples.
type jsonNoPCs struct {
	Zero    uint64 `json:"zero"`
	Ones    uint64 `json:"ones"`
	Outside uint64 `json:"outside_of_code"`
}

type jsonHalted struct {
	P50us   float64 `json:"p50_us"`
	P99us   float64 `json:"p99_us"`
	TotalUs float64 `json:"total_us"`
	Share   float64 `json:"share"`
}

type jsonStacks struct {
	Complete uint64            `json:"complete"`
	Cut      map[string]uint64 `json:"cut"`    // by reason
	CutAt    []jsonCut         `json:"cut_at"` // the functions whose callers are not known
	Guessed  jsonGuesses       `json:"guessed"`
	Callers  string            `json:"callers"` // how they were found: "auto", "dwarf", "fp"
}

type jsonCut struct {
	Function string `json:"function"`
	Reason   string `json:"reason"`
	Stacks   uint64 `json:"stacks"`
}

// jsonGuesses counts stacks that go on with guesses, which are among the cut
// ones, and their guessed frames.
type jsonGuesses struct {
	Stacks uint64 `json:"stacks"`
	Frames uint64 `json:"frames"`
}

type jsonShare struct {
	Samples int     `json:"samples"`
	Share   float64 `json:"share"`
	Error   float64 `json:"standard_error"`
}

type jsonTime struct {
	jsonShare
	Seconds   float64 `json:"seconds"`
	TimeShare float64 `json:"time_share"`
	TimeError float64 `json:"time_standard_error"`
}

type jsonFunction struct {
	Name  string   `json:"name"`
	File  string   `json:"file,omitempty"`
	Line  int      `json:"line,omitempty"`
	Self  jsonTime `json:"self"`
	Total jsonTime `json:"total"`
}

type jsonEvent struct {
	TimeS     float64 `json:"time_s"`
	DurationS float64 `json:"duration_s,omitempty"`
	Name      string  `json:"name"`
	Detail    string  `json:"detail,omitempty"`
}

// SummaryJSON writes the summary, with all functions, as one JSON object; that of a
// trace has other keys than that of samples.
func SummaryJSON(w io.Writer, p *profile.Profile, files ...string) error {
	if err := p.Check(); err != nil {
		return err
	}
	if p.Trace != nil {
		return writeTraceJSON(w, p, files)
	}
	a := &p.Taken
	idle := p.IdleShare()
	s := jsonSummary{
		Program: p.Mapping.Path, BuildID: hex.EncodeToString(p.Mapping.BuildID), Version: a.Version, Device: a.Device, Probe: a.Probe,
		Clock: a.ClockLabel, SWCLKHz: a.SWCLKHz, RateHz: a.RateHz, Seed: a.Seed, DurationS: p.Duration.Seconds(), EndReason: a.EndReason,
		Samples: jsonSamples{Method: cmp.Or(a.Method, profile.MethodDWARF), NoPCs: jsonNoPCs(a.NoPCs), Asked: a.Asked, Taken: p.Samples(), Missed: map[string]uint64{}},
		Halted:  &jsonHalted{float64(a.HaltedP50) / 1e3, float64(a.HaltedP99) / 1e3, float64(a.Halted) / 1e3, p.HaltedShare()},
		Budget:  budgetJSON(a.Budget),
		Stacks:  &jsonStacks{Complete: a.Stops[unwind.Complete], Cut: map[string]uint64{}, CutAt: []jsonCut{}, Guessed: jsonGuesses(a.Guessed), Callers: cmp.Or(a.Unwinding, "auto")},
		Resets:  a.Resets, Lost: a.LostResets, Away: jsonAways(p), Asleep: jsonShare{int(a.Sleeping), idle.Value, idle.Error},
		Functions: []jsonFunction{}, Events: jsonEvents(p), Remarks: append([]string{}, a.Remarks...), Files: append([]string{}, files...),
	}
	for miss, n := range a.Missed {
		if n > 0 && snapshot.Miss(miss) != snapshot.Taken {
			s.Samples.Missed[snapshot.Miss(miss).String()] = n
		}
	}
	for reason, n := range a.Stops {
		if n > 0 && unwind.Reason(reason) != unwind.Complete {
			s.Stacks.Cut[unwind.Reason(reason).String()] = n
		}
	}
	if a.Unrecorded {
		s.Halted, s.Stacks = nil, nil
		s.Samples.Method = ""
		return s.functions(w, p)
	}
	for _, c := range a.Cuts {
		s.Stacks.CutAt = append(s.Stacks.CutAt, jsonCut{c.Function, c.Reason.String(), c.Stacks})
	}
	return s.functions(w, p)
}

// functions adds the functions, and writes it all.
func (s *jsonSummary) functions(w io.Writer, p *profile.Profile) error {
	for _, e := range p.Top() {
		f := p.Functions[e.Function]
		s.Functions = append(s.Functions, jsonFunction{
			Name: f.Name, File: f.File, Line: f.Line,
			Self:  jsonTime{jsonShare{e.Self, e.SelfShare.Value, e.SelfShare.Error}, e.SelfTime.Seconds(), e.SelfTimeShare.Value, e.SelfTimeShare.Error},
			Total: jsonTime{jsonShare{e.Total, e.TotalShare.Value, e.TotalShare.Error}, e.TotalTime.Seconds(), e.TotalTimeShare.Value, e.TotalTimeShare.Error},
		})
	}
	return encodeJSON(w, s)
}

func jsonEvents(p *profile.Profile) []jsonEvent {
	all := []jsonEvent{}
	for _, e := range p.Events {
		all = append(all, jsonEvent{e.Time.Seconds(), e.Duration.Seconds(), e.Name, e.Detail})
	}
	return all
}

func encodeJSON(w io.Writer, summary any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(summary)
}
