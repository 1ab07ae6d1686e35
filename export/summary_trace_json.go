package export

import (
	"encoding/hex"
	"io"
	"time"

	"github.com/mprof/mprof/profile"
)

// jsonTraceSummary is the summary of traced calls for programs. Times are in the
// unit that the key names; shares are 0 to 1.
type jsonTraceSummary struct {
	Program   string              `json:"program"`
	BuildID   string              `json:"build_id,omitempty"`
	Version   string              `json:"version"`
	Device    string              `json:"device,omitempty"`
	Port      string              `json:"port,omitempty"`
	Clock     string              `json:"clock,omitempty"`
	DurationS float64             `json:"duration_s"`
	EndReason string              `json:"end_reason"`
	Trace     jsonTrace           `json:"trace"`
	Away      []jsonAway          `json:"away"`
	Contexts  []jsonContext       `json:"contexts"`
	Functions []jsonFunctionTimes `json:"functions"`
	Events    []jsonEvent         `json:"events"`
	Remarks   []string            `json:"remarks"`
	Files     []string            `json:"files"`
}

type jsonTrace struct {
	Firmware    string     `json:"firmware,omitempty"` // what it calls itself
	Calls       uint64     `json:"calls"`
	Kept        uint64     `json:"calls_on_timeline"`
	Lost        uint64     `json:"calls_lost"` // known to be
	LostShare   float64    `json:"calls_lost_share"`
	Losses      []jsonLoss `json:"losses"`
	TooDeep     uint64     `json:"calls_too_deep"`
	Unmatched   uint64     `json:"returns_without_entry"`
	Resets      uint64     `json:"resets"`
	Version     int        `json:"protocol_version"`
	TickHz      float64    `json:"tick_hz,omitempty"` // 0 and left out: not known
	Bytes       uint64     `json:"stream_bytes"`
	HighWater   uint64     `json:"buffer_high_water_bytes,omitempty"`
	Buffer      uint64     `json:"buffer_bytes,omitempty"`
	Calibrated  bool       `json:"calibrated"`
	PairCostNs  int64      `json:"pair_cost_ns"`
	InnerCostNs int64      `json:"inner_cost_ns"`
	CostShare   float64    `json:"cost_share"` // of the run
}

type jsonLoss struct {
	What   string `json:"what"`
	Pieces uint64 `json:"pieces"`
	Bytes  uint64 `json:"bytes"`
	Calls  uint64 `json:"calls"`
}

type jsonContext struct {
	Name   string  `json:"name"`
	Calls  uint64  `json:"calls"`
	Kept   int     `json:"calls_on_timeline"`
	BusyNs int64   `json:"busy_ns"`
	Share  float64 `json:"share"` // of the run
}

type jsonFunctionTimes struct {
	Name        string `json:"name"`
	File        string `json:"file,omitempty"`
	Line        int    `json:"line,omitempty"`
	Calls       uint64 `json:"calls"`
	TotalNs     int64  `json:"total_ns"`
	SelfNs      int64  `json:"self_ns"`
	MinNs       int64  `json:"min_ns"`
	MeanNs      int64  `json:"mean_ns"`
	P50Ns       int64  `json:"p50_ns"`
	P99Ns       int64  `json:"p99_ns"`
	MaxNs       int64  `json:"max_ns"`
	LongestAtNs int64  `json:"longest_at_ns"`
	LongestNs   int64  `json:"longest_on_clock_ns"`
	Open        bool   `json:"still_running,omitempty"`
	AtLeast     bool   `json:"at_least,omitempty"`
}

func writeTraceJSON(w io.Writer, p *profile.Profile, files []string) error {
	a := &p.Taken
	s := jsonTraceSummary{
		Program: p.Mapping.Path, BuildID: hex.EncodeToString(p.Mapping.BuildID), Version: a.Version, Device: a.Device, Port: a.Probe,
		Clock: a.ClockLabel, DurationS: p.Duration.Seconds(), EndReason: a.EndReason, Trace: newJSONTrace(p), Away: jsonAways(p),
		Contexts: jsonContexts(p), Functions: []jsonFunctionTimes{}, Events: jsonEvents(p),
		Remarks: append([]string{}, a.Remarks...), Files: append([]string{}, files...),
	}
	for _, f := range ByTotal.Sorted(p) {
		of := p.Functions[f.Function]
		s.Functions = append(s.Functions, jsonFunctionTimes{
			Name: of.Name, File: of.File, Line: of.Line, Calls: f.Calls,
			TotalNs: f.Total.Nanoseconds(), SelfNs: f.Self.Nanoseconds(), MinNs: f.Min.Nanoseconds(), MeanNs: f.Mean.Nanoseconds(),
			P50Ns: f.P50.Nanoseconds(), P99Ns: f.P99.Nanoseconds(), MaxNs: f.Max.Nanoseconds(),
			LongestAtNs: f.LongestAt.Nanoseconds(), LongestNs: f.Longest.Nanoseconds(), Open: f.Open, AtLeast: f.AtLeast,
		})
	}
	return encodeJSON(w, &s)
}

func newJSONTrace(p *profile.Profile) jsonTrace {
	t := p.Trace
	j := jsonTrace{
		Firmware: t.Firmware, Calls: t.Calls, Kept: t.Kept, Lost: t.LostCalls, LostShare: lostShare(t), Losses: []jsonLoss{}, TooDeep: t.TooDeep, Unmatched: t.Unmatched,
		Resets: t.Resets, Version: t.Version, TickHz: t.TickHz, Bytes: t.Bytes, HighWater: t.HighWater, Buffer: t.Buffer,
		Calibrated: t.Calibrated, PairCostNs: t.PairCost.Nanoseconds(), InnerCostNs: t.InnerCost.Nanoseconds(),
		CostShare: costShare(p),
	}
	for _, l := range t.Losses {
		j.Losses = append(j.Losses, jsonLoss(l))
	}
	return j
}

func jsonContexts(p *profile.Profile) []jsonContext {
	all := []jsonContext{}
	for _, c := range contextTimes(p) {
		all = append(all, jsonContext{c.name, c.calls, c.kept, c.busy.Nanoseconds(), shareOf(c.busy, p.Duration)})
	}
	return all
}

// shareOf is part/whole, 0 where there is no whole.
func shareOf(part, whole time.Duration) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
