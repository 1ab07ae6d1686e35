package export_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	pprof "github.com/google/pprof/profile"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/unwind"
)

// gappy is a run of 4 s at 10 Hz: the target is off from 1.0 to 2.0 s and for one
// sample at 2.5 s, a reset costs the sample at 3.0 s, and the host is suspended from
// 3.2 to 3.6 s.
func gappy(t *testing.T) *profile.Profile {
	t.Helper()
	const period = 100 * time.Millisecond
	b := profile.NewBuilder(program, profile.Options{Period: period, Mapping: mapping})
	for i := range 40 {
		s := &snapshot.Snapshot{Seq: uint64(i), Time: time.Duration(i) * period, Weight: period}
		switch {
		case i >= 10 && i < 20, i == 25:
			s.Miss = snapshot.OffTarget
		case i == 30:
			s.Miss = snapshot.NoAck
		case i == 31:
			s.State = snapshot.Reset
		case i > 32 && i < 36:
			continue
		}
		b.Add(s, []unwind.Frame{leaf(0x08000110)}, unwind.Stop{})
	}
	b.Event(profile.Event{Time: 32 * period, Duration: 4 * period, Name: "Gap", Detail: "suspended"})
	return b.Finish(profile.Acquisition{RateHz: 10}, 40*period)
}

// Time of which nothing is known has no stack, counts as no running time, and is
// drawn from its beginning to its end.
func TestAwayInFirefox(t *testing.T) {
	var file bytes.Buffer
	if err := export.WriteFirefox(&file, gappy(t)); err != nil {
		t.Fatal(err)
	}
	var p struct {
		Shared struct {
			StringArray []string `json:"stringArray"`
		} `json:"shared"`
		Threads []struct {
			Samples struct {
				Stack          []*int    `json:"stack"`
				Time           []float64 `json:"time"`
				ThreadCPUDelta []float64 `json:"threadCPUDelta"`
			} `json:"samples"`
			Markers struct {
				Name      []int     `json:"name"`
				StartTime []float64 `json:"startTime"`
				EndTime   []float64 `json:"endTime"`
			} `json:"markers"`
		} `json:"threads"`
	}
	if err := json.Unmarshal(file.Bytes(), &p); err != nil {
		t.Fatal(err)
	}
	s := p.Threads[0].Samples
	var gaps []float64
	running := 0.0
	for i, stack := range s.Stack {
		if stack == nil {
			gaps = append(gaps, s.Time[i])
		}
		if i > 0 && s.Time[i] < s.Time[i-1] {
			t.Errorf("sample %d is earlier than the one before", i)
		}
		running += s.ThreadCPUDelta[i]
	}
	if len(gaps) != 3 || gaps[0] != 1000 || gaps[1] != 2500 || gaps[2] != 3200 {
		t.Errorf("gaps at %v ms", gaps)
	}
	if seconds := running / 1e6; seconds < 2.35 || seconds > 2.45 { // 3.9 s but for 1 + 0.1 + 0.4
		t.Errorf("the core ran for %.2f s", seconds)
	}
	drawn := map[string]float64{}
	m := p.Threads[0].Markers
	for i, name := range m.Name {
		if m.EndTime[i] > 0 {
			drawn[p.Shared.StringArray[name]] += m.EndTime[i] - m.StartTime[i]
		}
	}
	if drawn["Target off"] != 1100 || drawn["Gap"] != 400 {
		t.Errorf("drawn: %v", drawn)
	}
}

func TestAwayIsNoRunningTime(t *testing.T) {
	p := gappy(t)
	var file bytes.Buffer
	if err := export.WritePprof(&file, p); err != nil {
		t.Fatal(err)
	}
	out, err := pprof.Parse(&file)
	if err != nil {
		t.Fatal(err)
	}
	count, nanos := int64(0), int64(0)
	for _, s := range out.Sample {
		count, nanos = count+s.Value[0], nanos+s.Value[1]
	}
	if count != 25 || nanos != 2_500_000_000 {
		t.Errorf("%d samples of %d ns", count, nanos)
	}
}

func TestSummaryOfTimeAway(t *testing.T) {
	p := gappy(t)
	var text, js bytes.Buffer
	if err := export.Summary(&text, p, export.SummaryOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"target off 1.1 s in 2 pieces", "host suspended 0.4 s in one piece", "1 sample lost to resets"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in:\n%s", want, text.String())
		}
	}
	if err := export.SummaryJSON(&js, p); err != nil {
		t.Fatal(err)
	}
	var s struct {
		Lost uint64 `json:"samples_lost_to_resets"`
		Away []struct {
			Name   string
			Pieces int
			TimeS  float64 `json:"time_s"`
		}
	}
	if err := json.Unmarshal(js.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	if s.Lost != 1 || len(s.Away) != 2 || s.Away[0].Name != "Target off" || s.Away[0].Pieces != 2 || s.Away[0].TimeS != 1.1 {
		t.Errorf("%+v", s)
	}
}
