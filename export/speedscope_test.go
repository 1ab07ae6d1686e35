package export_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/serve/browsertest"
)

// speedscopeExport is what speedscope itself saves of what it has read: calls that
// begin and end.
type speedscopeExport struct {
	Shared   struct{ Frames []struct{ Name, File string } }
	Profiles []struct {
		Type, Name, Unit string
		Events           []struct {
			Type  string
			Frame int
			At    float64
		}
		Samples [][]int
		Weights []float64
	}
}

// speedscope opens a file in the real program, in Chromium, and saves what it has
// understood.
func speedscope(t *testing.T, path string) speedscopeExport {
	t.Helper()
	dir := os.Getenv("MPROF_NODE_TOOLS")
	if dir == "" {
		dir = filepath.Join("..", ".tools")
	}
	index, err := filepath.Abs(filepath.Join(dir, "node_modules", "speedscope", "dist", "release", "index.html"))
	if err == nil {
		_, err = os.Stat(index)
	}
	if err != nil {
		missing(t, "speedscope is not installed (scripts/node-tools.sh does it): %v", err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "load.js")
	load := fmt.Sprintf("speedscope.loadFileFromBase64(%q, %q)", filepath.Base(path), base64.StdEncoding.EncodeToString(content))
	if err := os.WriteFile(script, []byte(load), 0o600); err != nil {
		t.Fatal(err)
	}
	// Its way to save is a link to a blob.
	const keep = `window.saved = ""; URL.createObjectURL = blob => { blob.text().then(text => { window.saved = text }); return "blob:nothing" }`
	const save = `window.dispatchEvent(new KeyboardEvent("keydown", {key: "s", ctrlKey: true})) && window.saved.length > 0`
	tab := browsertest.Open(t, 1000, 700, chromedp.Flag("allow-file-access-from-files", true))
	defer tab.Forget() // no WebGL, no drawing
	if _, err := chromedp.Call(tab, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: keep}); err != nil {
		t.Fatal(err)
	}
	tab.Do(chromedp.Navigate("file://" + index + "#localProfilePath=" + script))
	tab.Until(save)
	text := browsertest.Eval[string](tab, "window.saved")
	var out speedscopeExport
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%v in %s", err, text[:min(len(text), 500)])
	}
	return out
}

// nanos adds up what each function ran itself and in all, in units of the file times scale.
func (s *speedscopeExport) nanos(t *testing.T, scale float64) nanos {
	t.Helper()
	sums := map[string][2]float64{}
	for _, p := range s.Profiles {
		var open []int
		weigh := func(stack []int, weight float64) {
			seen := map[string]bool{}
			for i, frame := range stack {
				name := s.Shared.Frames[frame].Name
				sum := sums[name]
				if !seen[name] {
					sum[1] += weight
				}
				if i == len(stack)-1 {
					sum[0] += weight
				}
				seen[name] = true
				sums[name] = sum
			}
		}
		for i, stack := range p.Samples {
			weigh(stack, p.Weights[i])
		}
		at := 0.0
		for _, e := range p.Events {
			weigh(open, e.At-at)
			at = e.At
			if e.Type == "O" {
				open = append(open, e.Frame)
			} else {
				open = open[:len(open)-1]
			}
		}
	}
	out := nanos{}
	for name, sum := range sums {
		out[name] = [2]int64{int64(math.Round(sum[0] * scale)), int64(math.Round(sum[1] * scale))}
	}
	return out
}

// timed leaves out what has no time: a weight of 0 is not drawn.
func timed(p *profile.Profile) nanos {
	out := tracedNanos(p)
	for name, n := range out {
		if n[1] == 0 {
			delete(out, name)
		}
	}
	return out
}

// Speedscope opens the file, and adds the weights up to the times of the summary.
func TestSpeedscopeAddsTheSame(t *testing.T) {
	for name, p := range map[string]*profile.Profile{"sampled": rich(t, 2000), "traced": traced(t, 1500)} {
		t.Run(name, func(t *testing.T) {
			for _, ext := range []string{".speedscope.json", ".speedscope.json.gz"} {
				found := speedscope(t, write(t, p, "p"+ext))
				if diff := cmp.Diff(timed(p), found.nanos(t, 1)); diff != "" {
					t.Errorf("%s: %s", ext, diff)
				}
				for i, thread := range p.Threads {
					if got := found.Profiles[i]; got.Name != thread.Name || got.Unit != "nanoseconds" {
						t.Errorf("profile %d is %q in %s", i, got.Name, got.Unit)
					}
				}
			}
		})
	}
}
