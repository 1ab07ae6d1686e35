package diff

import (
	"encoding/hex"
	"encoding/json"
	"io"
	"math"

	"github.com/mprof/mprof/profile"
)

// The JSON of a comparison. What is not known is null. Shares are 0 to 1, times per call
// nanoseconds, rates of calls per second.
type jsonDiff struct {
	Old        jsonRun    `json:"old"`
	New        jsonRun    `json:"new"`
	Confidence float64    `json:"confidence"`
	Correction string     `json:"correction"`
	Tests      int        `json:"tests"`
	Awake      bool       `json:"awake,omitempty"`
	Context    string     `json:"context,omitempty"`
	Functions  []jsonRow  `json:"functions"`
	Contexts   []jsonRow  `json:"contexts"`
	Rules      []jsonRule `json:"rules,omitempty"`
	Remarks    []string   `json:"remarks"`
}

type jsonRun struct {
	File     string   `json:"file,omitempty"`
	Program  string   `json:"program,omitempty"`
	BuildID  string   `json:"buildId,omitempty"`
	Method   string   `json:"method"`
	Seconds  float64  `json:"seconds"`
	Samples  *int     `json:"samples,omitempty"`
	Calls    *uint64  `json:"calls,omitempty"`
	Sleeping *float64 `json:"asleep,omitempty"`
}

type jsonRow struct {
	Name        string      `json:"name"`
	OldName     string      `json:"oldName,omitempty"`
	File        string      `json:"file,omitempty"`
	Line        int         `json:"line,omitempty"`
	OldFile     string      `json:"oldFile,omitempty"`
	Label       bool        `json:"label,omitempty"`
	In          string      `json:"in"` // both, old, new
	Significant bool        `json:"significant"`
	Self        *jsonChange `json:"self,omitempty"`
	Total       *jsonChange `json:"total,omitempty"`
	Call        *jsonChange `json:"call,omitempty"`
	Calls       *jsonChange `json:"calls,omitempty"`
}

type jsonChange struct {
	Old         jsonEstimate `json:"old"`
	New         jsonEstimate `json:"new"`
	Change      *float64     `json:"change"`
	Relative    *float64     `json:"relative"` // null also where the old value is 0
	Low         *float64     `json:"low"`
	High        *float64     `json:"high"`
	P           *float64     `json:"p"`
	Adjusted    *float64     `json:"adjustedP"`
	Few         bool         `json:"tooFew,omitempty"`
	Significant bool         `json:"significant"`
}

type jsonEstimate struct {
	Value *float64 `json:"value"`
	Error *float64 `json:"error"`
	Count float64  `json:"count"` // samples, or calls
}

type jsonRule struct {
	Rule        string      `json:"rule"`
	Name        string      `json:"name"`
	Quantity    string      `json:"quantity"`
	Violated    bool        `json:"violated"`
	Significant bool        `json:"significant"`
	Adjusted    *float64    `json:"adjustedP"` // among what rules look at
	Change      *jsonChange `json:"change"`
	Sentence    string      `json:"sentence"`
}

// JSON writes all of the comparison.
func (d *Diff) JSON(w io.Writer, o Layout) error {
	out := jsonDiff{
		Old: newJSONRun(d.Old, o.Old), New: newJSONRun(d.New, o.New), Confidence: Level, Correction: "Holm", Tests: d.Tests,
		Awake: d.Options.Awake, Context: d.Options.Context, Functions: d.jsonRows(d.Functions, d.quantities()),
		Contexts: d.jsonRows(d.Contexts, []quantity{ofTotal}), Remarks: append([]string{}, d.Remarks...),
	}
	for _, x := range o.Results {
		out.Rules = append(out.Rules, jsonRule{x.Rule.Text, x.Row.Name, x.Quantity, x.Violated, x.Significant, known(x.Adjusted, x.Change.Known), newJSONChange(x.Change), x.Sentence()})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(&out)
}

func newJSONRun(p *profile.Profile, file string) jsonRun {
	r := jsonRun{File: file, Program: p.Mapping.Name, BuildID: hex.EncodeToString(p.Mapping.BuildID), Method: method(&p.Taken), Seconds: p.Duration.Seconds()}
	if p.Trace != nil {
		r.Calls = &p.Trace.Calls
		return r
	}
	n, asleep := p.Samples(), p.IdleShare().Value
	r.Samples = &n
	if !p.Taken.Unrecorded {
		r.Sleeping = &asleep
	}
	return r
}

func (d *Diff) jsonRows(rows []Row, of []quantity) []jsonRow {
	out := []jsonRow{}
	for i := range rows {
		r := &rows[i]
		j := jsonRow{Name: r.Name, OldName: r.OldName, File: r.File, Line: r.Line, OldFile: r.OldFile, Label: r.Label, In: r.in(), Significant: r.Significant()}
		for _, q := range of {
			c := newJSONChange(r.change(q))
			switch q {
			case ofSelf:
				j.Self = c
			case ofTotal:
				j.Total = c
			case ofCall:
				j.Call = c
			case ofCalls:
				j.Calls = c
			}
		}
		if d.Traced && r.isFunction() {
			j.Self = newJSONChange(&r.Self)
		}
		out = append(out, j)
	}
	return out
}

func (r *Row) in() string {
	switch {
	case !r.InOld:
		return "new"
	case !r.InNew:
		return "old"
	}
	return "both"
}

func newJSONChange(c *Change) *jsonChange {
	return &jsonChange{
		Old: newJSONEstimate(&c.Old), New: newJSONEstimate(&c.New), Change: known(c.Value, c.compared), Relative: known(c.Relative(), c.compared),
		Low: known(c.Low, c.Known), High: known(c.High, c.Known), P: known(c.P, c.Known), Adjusted: known(c.Adjusted, c.Known),
		Few: c.Known && c.Few, Significant: c.Significant,
	}
}

func newJSONEstimate(e *Estimate) jsonEstimate {
	return jsonEstimate{known(e.Value, true), known(e.Error, e.Known), e.Count}
}

// known is null for what is not, and for what JSON cannot say.
func known(v float64, is bool) *float64 {
	if !is || math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
