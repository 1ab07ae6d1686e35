package export_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/mprof/mprof/export"
)

// A row of a track lasts until the next one in the viewer's stack chart. So each lasts
// as long as its weight, and what lies between pieces has no stack. The use of
// the processor, which the viewer draws from threadCPUDelta, is as much in all.
func TestTracedRowsLastAsLongAsTheirWeight(t *testing.T) {
	var out bytes.Buffer
	p := traced(t, 500)
	if err := export.WriteFirefox(&out, p); err != nil {
		t.Fatal(err)
	}
	var file struct {
		Threads []struct {
			Samples struct {
				Stack          []*int
				Time, Weight   []float64
				WeightType     string
				ThreadCPUDelta []int64
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	for i, thread := range file.Threads {
		s := thread.Samples
		if s.WeightType != "tracing-ms" {
			t.Errorf("weights are %s", s.WeightType)
		}
		var ran, cpu int64
		for row := range s.Stack {
			cpu += s.ThreadCPUDelta[row]
			ran += int64(math.Round(s.Weight[row] * 1e6))
			if row+1 == len(s.Stack) {
				if s.Stack[row] != nil {
					t.Errorf("track %d: the last row has a stack, so it never ends", i)
				}
				break
			}
			lasts := s.Time[row+1] - s.Time[row]
			switch {
			case s.Stack[row] == nil && s.Weight[row] != 0:
				t.Errorf("track %d, row %d: weight %f without a stack", i, row, s.Weight[row])
			case s.Stack[row] != nil && math.Abs(lasts-s.Weight[row]) > 1e-6:
				t.Fatalf("track %d, row %d: drawn for %f ms, weight %f ms", i, row, lasts, s.Weight[row])
			}
		}
		var want int64
		for _, piece := range p.Threads[i].Samples {
			want += int64(piece.Weight)
		}
		if ran != want || cpu != want {
			t.Errorf("track %d: weights of %d ns, processor used for %d ns, want %d", i, ran, cpu, want)
		}
	}
}
