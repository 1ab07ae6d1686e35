package export_test

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/mprof/mprof/export"
	mprof "github.com/mprof/mprof/profile"
)

// Where a file's rows are pieces of time, a function has the share of its time, however many its pieces are: A takes
// 1 s in one, B 1 ms in two.
func TestReadPiecesOfTime(t *testing.T) {
	nanos := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "wall", Unit: "milliseconds"}},
		Function:   []*profile.Function{{ID: 1, Name: "A"}, {ID: 2, Name: "B"}},
	}
	for i, f := range nanos.Function {
		l := &profile.Location{ID: uint64(i + 1), Line: []profile.Line{{Function: f}}}
		nanos.Location = append(nanos.Location, l)
		nanos.Sample = append(nanos.Sample, &profile.Sample{Location: []*profile.Location{l}, Value: []int64{[]int64{1000, 1}[i]}})
	}
	var pprof bytes.Buffer
	if err := nanos.Write(&pprof); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"pprof of time alone": pprof.String(),
		"speedscope, evented": `{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"A"},{"name":"B"}]},"profiles":[{"type":"evented","name":"t","unit":"milliseconds","startValue":0,"endValue":1001.5,
"events":[{"type":"O","frame":0,"at":0},{"type":"C","frame":0,"at":1000},{"type":"O","frame":1,"at":1000},{"type":"C","frame":1,"at":1000.5},{"type":"O","frame":1,"at":1001},{"type":"C","frame":1,"at":1001.5}]}]}`,
		"speedscope, sampled": `{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"A"},{"name":"B"}]},"profiles":[{"type":"sampled","name":"t","unit":"milliseconds","startValue":0,"endValue":1001,"samples":[[0],[1],[1]],"weights":[1000,0.5,0.5]}]}`,
		"Chrome trace":        `[{"ph":"X","name":"A","ts":0,"dur":1000000,"pid":1,"tid":1},{"ph":"X","name":"B","ts":1000000,"dur":500,"pid":1,"tid":1},{"ph":"X","name":"B","ts":1001000,"dur":500,"pid":1,"tid":1}]`,
		"Callgrind":           "events: ns\nfn=A\n1 1000000000\nfn=B\n1 500000\n2 500000\n",
		"Firefox Profiler": `{"meta":{"processedProfileVersion":50,"preprocessedProfileVersion":50,"interval":1,"startTime":0},"libs":[],"threads":[{"name":"t","stringArray":["A","B"],"funcTable":{"length":2,"name":[0,1]},
"frameTable":{"length":2,"func":[0,1],"address":[-1,-1]},"stackTable":{"length":2,"frame":[0,1],"prefix":[null,null]},"samples":{"length":3,"stack":[0,1,1],"time":[0,1000,1000.5],"weight":[1000,0.5,0.5],"weightType":"tracing-ms"}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			p, err := export.Read(strings.NewReader(text), export.Input{})
			if err != nil {
				t.Fatal(err)
			}
			sharesOfTime(t, p)
			for _, e := range []string{".folded", ".json", ".pb.gz", ".speedscope.json", ".callgrind", ".perf"} {
				sharesOfTime(t, reread(t, p, e))
			}
		})
	}
}

// sharesOfTime wants 1 s of 1001 ms for A.
func sharesOfTime(t *testing.T, p *mprof.Profile) {
	t.Helper()
	top := p.Top()
	if len(top) < 2 || top[0].Name != "A" || math.Abs(top[0].SelfShare.Value-1000./1001) > 1e-6 || math.Abs(top[1].TotalShare.Value-1./1001) > 1e-6 {
		t.Errorf("%+v", top)
	}
}

// Blocks of text that mprof wrote of traced calls are pieces of time, too, and say the same when they are read.
func TestReadTracedPerf(t *testing.T) {
	p := traced(t, 300)
	var all time.Duration
	for _, f := range p.Trace.Functions {
		all += f.Self
	}
	shares := map[string]float64{}
	for _, e := range reread(t, p, ".perf").Top() {
		shares[e.Name] = e.SelfShare.Value
	}
	for _, f := range p.Trace.Functions {
		if name := p.Functions[f.Function].Name; math.Abs(shares[name]-float64(f.Self)/float64(all)) > 1e-9 {
			t.Errorf("%s: %v of the time, want %v", name, shares[name], float64(f.Self)/float64(all))
		}
	}
}

// perf counts time since the machine was started: a profile is as long as from its first sample on.
func TestReadPerfSinceBoot(t *testing.T) {
	p, err := export.Read(strings.NewReader("a 1 39153.250000000: 250000 cpu-clock: \n\t10 f (x)\n\na 1 39153.500000000: 250000 cpu-clock: \n\t10 f (x)\n\n"), export.Input{})
	if err != nil || p.Duration != 250*time.Millisecond || p.Threads[0].Samples[0].Time != 0 {
		t.Errorf("%v, %v", p, err)
	}
}

// Files that people name by mistake.
func TestReadWhatIsNoProfile(t *testing.T) {
	for text, want := range map[string]string{
		"PERFILE2h\x00\x00\x00\x00\x00\x00\x00":                   "perf script",
		"<!doctype html>\n<html lang=\"en\">\n":                   "to look at",
		"<?xml version=\"1.0\"?>\n<svg xmlns=\"x\" width=\"3\"/>": "to look at",
		"package main\n\nfunc main() {}\n":                        export.ErrFormat.Error(),
		"(0x08000000) main T\n":                                   export.ErrFormat.Error(),
	} {
		if _, err := export.Read(strings.NewReader(text), export.Input{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
