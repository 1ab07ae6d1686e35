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
)

func TestGoldenTrace(t *testing.T) {
	p := lossy(t)
	var out, indented bytes.Buffer
	if err := export.WriteFirefox(&out, p); err != nil {
		t.Fatal(err)
	}
	if err := json.Indent(&indented, out.Bytes(), "", " "); err != nil {
		t.Fatal(err)
	}
	golden(t, "trace.firefox.json", indented.Bytes())
	out.Reset()
	if err := export.WritePprof(&out, p); err != nil {
		t.Fatal(err)
	}
	parsed, err := pprof.Parse(&out)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "trace.pprof.txt", []byte(parsed.String()))
	out.Reset()
	if err := export.WriteFolded(&out, p); err != nil {
		t.Fatal(err)
	}
	golden(t, "trace.folded", out.Bytes())
}

func TestGoldenTraceSummary(t *testing.T) {
	var out bytes.Buffer
	if err := export.Summary(&out, lossy(t), export.SummaryOptions{Functions: 5, Files: []string{"p.json.gz"}}); err != nil {
		t.Fatal(err)
	}
	golden(t, "trace.summary", out.Bytes())
	out.Reset()
	if err := export.SummaryJSON(&out, lossy(t), "p.json.gz"); err != nil {
		t.Fatal(err)
	}
	golden(t, "trace.summary.json", out.Bytes())
}

// rows are the names of the functions in the table of a summary.
func rows(t *testing.T, p *profile.Profile, o export.SummaryOptions) (names []string) {
	t.Helper()
	var out bytes.Buffer
	if err := export.Summary(&out, p, o); err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(out.String(), "  function\n")
	for line := range strings.Lines(table) {
		for _, f := range p.Functions {
			if _, name, ok := strings.Cut(strings.TrimRight(line, "\n"), "s  "+f.Name); ok && (name == "" || strings.HasPrefix(name, "  ")) {
				names = append(names, f.Name)
			}
		}
	}
	return names
}

func TestTraceOrders(t *testing.T) {
	p := traced(t, 2000)
	for _, c := range []struct {
		order export.Order
		key   func(f profile.FunctionTimes) time.Duration
	}{
		{"", func(f profile.FunctionTimes) time.Duration { return f.Total }},
		{"total", func(f profile.FunctionTimes) time.Duration { return f.Total }},
		{"self", func(f profile.FunctionTimes) time.Duration { return f.Self }},
		{"calls", func(f profile.FunctionTimes) time.Duration { return time.Duration(f.Calls) }},
		{"min", func(f profile.FunctionTimes) time.Duration { return f.Min }},
		{"mean", func(f profile.FunctionTimes) time.Duration { return f.Mean }},
		{"p50", func(f profile.FunctionTimes) time.Duration { return f.P50 }},
		{"p99", func(f profile.FunctionTimes) time.Duration { return f.P99 }},
		{"max", func(f profile.FunctionTimes) time.Duration { return f.Max }},
	} {
		names := rows(t, p, export.SummaryOptions{Sort: c.order})
		if len(names) != len(p.Trace.Functions) {
			t.Fatalf("by %s: %v", c.order, names)
		}
		last := time.Duration(1<<63 - 1)
		for _, name := range names {
			for _, f := range p.Trace.Functions {
				if p.Functions[f.Function].Name == name {
					if c.key(f) > last {
						t.Errorf("by %s: %v, and %s is larger than the one before", c.order, names, name)
					}
					last = c.key(f)
				}
			}
		}
	}
	for _, o := range export.Orders {
		if _, err := export.ParseOrder(string(o)); err != nil {
			t.Error(err)
		}
	}
	if _, err := export.ParseOrder("size"); err == nil || !strings.Contains(err.Error(), "total, self, calls") {
		t.Errorf("order size: %v", err)
	}
}

// A trace without a single call, of firmware that says nothing of itself, is
// written all the same.
func TestTraceOfNothing(t *testing.T) {
	p := &profile.Profile{Threads: []profile.ThreadTrack{{Name: "Task 0"}}, Trace: &profile.Trace{}, Taken: profile.Acquisition{Method: profile.MethodTrace}}
	for _, f := range export.Formats {
		var written size
		if err := f.Write(&written, p); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	var out bytes.Buffer
	if err := export.Summary(&out, p, export.SummaryOptions{}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "firmware: 0 calls of 0 functions in 0 s") {
		t.Error(out.String())
	}
	var parsed map[string]any
	out.Reset()
	if err := export.SummaryJSON(&out, p); err != nil || json.Unmarshal(out.Bytes(), &parsed) != nil {
		t.Errorf("%v: %s", err, out.String())
	}
	cli := newProfilerCLI(t)
	cli.load(write(t, p, "nothing.json"))
}
