package export_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/serve/browsertest"
)

// graphed are the counts of a profile as a flame graph has them: samples, or nanoseconds.
func graphed(p *profile.Profile) nanos {
	out := nanos{}
	for _, e := range p.Top() {
		n := [2]int64{int64(e.Self), int64(e.Total)}
		if p.Trace != nil {
			n = [2]int64{int64(e.SelfTime), int64(e.TotalTime)}
		}
		if n[1] > 0 {
			out[e.Name] = n
		}
	}
	return out
}

// flameFrame is a frame as it stands in a picture.
type flameFrame struct {
	name, title string
	depth       int
	n, self     int64
	x, y, width float64
}

// addFrames adds frames up by function, callers before what they call; what recurses counts once.
func addFrames(frames []flameFrame) nanos {
	out := nanos{}
	var above []string
	for _, f := range frames {
		above = append(above[:f.depth], f.name)
		sum := out[f.name]
		sum[0] += f.self
		outermost := true
		for _, name := range above[:f.depth] {
			outermost = outermost && name != f.name
		}
		if outermost {
			sum[1] += f.n
		}
		out[f.name] = sum
	}
	delete(out, "all")
	return out
}

// svgFrames reads a picture with an XML parser: it is well formed, and has the frames.
func svgFrames(t *testing.T, content []byte) (frames []flameFrame) {
	t.Helper()
	attribute := func(e xml.StartElement, name string) string {
		for _, a := range e.Attr {
			if a.Name.Local == name {
				return a.Value
			}
		}
		t.Fatalf("no %s in %+v", name, e)
		return ""
	}
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	d := xml.NewDecoder(bytes.NewReader(content))
	var element string
	for {
		token, err := d.Token()
		if err == io.EOF {
			return frames
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			element = e.Name.Local
			switch {
			case element == "g":
				frames = append(frames, flameFrame{depth: int(number(attribute(e, "data-d"))), n: int64(number(attribute(e, "data-n"))), self: int64(number(attribute(e, "data-self")))})
			case element == "rect":
				f := &frames[len(frames)-1]
				f.x, f.y, f.width = number(attribute(e, "x")), number(attribute(e, "y")), number(attribute(e, "width"))
			}
		case xml.CharData:
			if len(frames) > 0 && element == "title" {
				f := &frames[len(frames)-1]
				f.title += string(e)
				f.name, _, _ = strings.Cut(f.title, "\n")
			}
		case xml.EndElement:
			element = ""
		}
	}
}

func graphProfiles(t *testing.T) map[string]*profile.Profile {
	return map[string]*profile.Profile{"rich": rich(t, 3000), "traced": traced(t, 2000), "lossy": lossy(t), "blocks": randomProfile(7),
		"folded": reread(t, rich(t, 300), ".folded"), "empty": profile.NewBuilder(program, profile.Options{Mapping: mapping}).Finish(profile.Acquisition{}, 0)}
}

// The picture is XML, its frames count what the summary counts, and each is as wide as its number, inside of
// its caller.
func TestSVGCountsTheSame(t *testing.T) {
	for name, p := range graphProfiles(t) {
		t.Run(name, func(t *testing.T) {
			frames := svgFrames(t, written(t, p, ".svg"))
			if diff := cmp.Diff(graphed(p), addFrames(frames)); diff != "" {
				t.Error(diff)
			}
			all := max(1, frames[0].n)
			var above []flameFrame
			for _, f := range frames {
				if want := 1180 * float64(f.n) / float64(all); math.Abs(f.width-want) > 1e-4 {
					t.Errorf("%s is %v px wide for %d of %d, want %v", f.name, f.width, f.n, all, want)
				}
				if want := 52 + 17*float64(f.depth); f.y != want {
					t.Errorf("%s, called %d deep, is at y %v, want %v: the root at the top, callees below", f.name, f.depth, f.y, want)
				}
				if f.depth > 0 {
					if c := above[f.depth-1]; f.x < c.x-1e-3 || f.x+f.width > c.x+c.width+1e-3 {
						t.Errorf("%s at %v, %v px, is not inside of %s at %v, %v px", f.name, f.x, f.width, c.name, c.x, c.width)
					}
				}
				above = append(above[:f.depth], f)
			}
		})
	}
}

// What is drawn says its share and its standard error as the summary does.
func TestSVGTitles(t *testing.T) {
	p := small(t)
	frames := svgFrames(t, written(t, p, ".svg"))
	titles := map[string]string{}
	for _, f := range frames {
		titles[f.name] = f.title
	}
	for name, want := range map[string]string{
		"idle_task": "idle_task\n1 sample, 16.7 % ±15.21\n/fw/src/rtos.c:80",
		"less":      "less\n1 sample, 16.7 % ±15.21\n/fw/src/sort.h:2\ninlined",
	} {
		if titles[name] != want {
			t.Errorf("%q, want %q", titles[name], want)
		}
	}
	text := string(written(t, p, ".svg"))
	for _, want := range []string{"app.elf: 6 samples in 0.08 s", "Command: mprof sample app.elf", "Taken: 6", "Note 1: one thing to know", `role="img"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
}

// Too many nodes for a picture become one beside the others, and nothing is lost.
func TestSVGOfVeryManyStacks(t *testing.T) {
	var folded strings.Builder
	for i := range 150_000 {
		fmt.Fprintf(&folded, "main;f%d;g%d %d\n", i%500, i, 1+i%7)
	}
	p, err := export.Read(strings.NewReader(folded.String()), export.Input{})
	if err != nil {
		t.Fatal(err)
	}
	svg := written(t, p, ".svg")
	frames := svgFrames(t, svg)
	if frames[0].n != int64(p.Samples()) || len(frames) > 100_001 {
		t.Errorf("%d frames of %d samples, want %d", len(frames), frames[0].n, p.Samples())
	}
	if !strings.Contains(string(svg), "each too small to be drawn") && !strings.Contains(string(svg), "not drawn") {
		t.Error("nothing says that something is left out")
	}
	if page := written(t, p, ".html"); len(page) > 20<<20 {
		t.Errorf("a page of %d bytes", len(page))
	}
}

// Chromium draws the picture as wide as it says; zoom and search by its own script.
func TestSVGInChromium(t *testing.T) {
	p := rich(t, 3000)
	tab := browsertest.Open(t, 1300, 900)
	tab.Do(chromedp.Navigate("file://" + write(t, p, "graph.svg")))
	tab.Until(`document.querySelectorAll(".f").length > 10`)
	type drawn struct {
		Name string
		N    float64
		W    float64
	}
	const measure = `[...document.querySelectorAll(".f:not(.off)")].map(g => ({Name: g.querySelector("title").textContent.split("\n")[0], N: Number(g.dataset.n), W: g.querySelector("rect").getBBox().width}))`
	all := float64(p.Samples())
	frames := browsertest.Eval[[]drawn](tab, measure)
	for _, f := range frames {
		if want := 1180 * f.N / all; math.Abs(f.W-want) > 0.01 {
			t.Errorf("%s is drawn %v px wide, want %v", f.Name, f.W, want)
		}
	}
	tab.Do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll(".f")].find(g => g.querySelector("title").textContent.startsWith("quicksort\n")).dispatchEvent(new MouseEvent("click", {bubbles: true}))`))
	zoomed := browsertest.Eval[[]drawn](tab, measure)
	if len(zoomed) >= len(frames) {
		t.Errorf("%d frames are shown, zoomed %d", len(frames), len(zoomed))
	}
	tab.Do(chromedp.Evaluate[chromedp.Void](`dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}))`))
	if again := browsertest.Eval[[]drawn](tab, measure); len(again) != len(frames) {
		t.Errorf("%d frames after the zoom, %d before", len(again), len(frames))
	}
	tab.Do(chromedp.Evaluate[chromedp.Void](`window.prompt = () => "^quicksort$|^swap$"; dispatchEvent(new KeyboardEvent("keydown", {key: "/"}))`))
	matched := 0
	for _, s := range p.ByStack() {
		for _, f := range p.Callers(s.Stack) {
			if name := p.Functions[f.Function].Name; name == "quicksort" || name == "swap" {
				matched += s.Samples
				break
			}
		}
	}
	want := fmt.Sprintf("%.2f %% match ^quicksort$|^swap$", 100*float64(matched)/all)
	if got := browsertest.Eval[string](tab, `document.getElementById("matched").textContent`); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// pageNode is a node of a page's data.
type pageNode struct {
	Name     string     `json:"n"`
	Self     int64      `json:"s"`
	Children []pageNode `json:"c"`
}

// frames lists a node and what is below it.
func (n *pageNode) frames(depth int, out []flameFrame) []flameFrame {
	at := len(out)
	out = append(out, flameFrame{name: n.Name, depth: depth, n: n.Self, self: n.Self})
	for i := range n.Children {
		child := len(out)
		out = n.Children[i].frames(depth+1, out)
		out[at].n += out[child].n
	}
	return out
}

// The page opens offline in Chromium, under a policy that lets it ask nobody; its numbers are the
// summary's, and its frames as wide as they.
func TestHTMLCountsTheSame(t *testing.T) {
	for name, p := range graphProfiles(t) {
		if name == "lossy" || name == "folded" || name == "empty" {
			continue // as the others, at the price of a browser; there is nothing to draw
		}
		t.Run(name, func(t *testing.T) {
			tab := browsertest.Open(t, 1300, 900)
			tab.Do(chromedp.Navigate("file://" + write(t, p, "graph.html")))
			tab.Until(`document.querySelector("#graph h1, #graph h2, #graph .flame") && document.title`)
			var graph struct {
				Title, Unit string
				Roots       []pageNode
				Facts       [][2]string
				Spread      float64
			}
			if err := json.Unmarshal([]byte(browsertest.Eval[string](tab, `document.getElementById("data").textContent`)), &graph); err != nil {
				t.Fatal(err)
			}
			var frames []flameFrame
			all := 0.0
			for i := range graph.Roots {
				at := len(frames)
				frames = graph.Roots[i].frames(0, frames)
				all += float64(frames[at].n)
			}
			if diff := cmp.Diff(graphed(p), addFrames(frames)); diff != "" {
				t.Error(diff)
			}
			if spread := graph.Spread; p.Trace != nil && spread != 0 || p.Trace == nil && spread < 1 || name == "rich" && spread != 1 {
				t.Errorf("spread %v", spread)
			}
			tab.Until(`document.querySelectorAll("g.frame").length > 3 && [...document.querySelectorAll("g.frame rect")].every(r => r.hasAttribute("width"))`)
			want := map[string]float64{} // the widest frame of each function
			for _, f := range frames {
				want[f.name] = max(want[f.name], float64(f.n)/all)
			}
			got := browsertest.Eval[map[string]float64](tab, `(() => {
				const of = {}, all = document.querySelector(".flame svg").getAttribute("width");
				for (const g of document.querySelectorAll("g.frame")) { const n = g.getAttribute("name"); of[n] = Math.max(of[n] ?? 0, g.querySelector("rect").getAttribute("width") / all) }
				return of;
			})()`)
			for name, w := range got {
				if name != "all" && !strings.HasSuffix(name, " narrow") && math.Abs(w-want[name]) > 1e-6 {
					t.Errorf("%s is %v of the width, want %v", name, w, want[name])
				}
			}
			text := browsertest.Eval[string](tab, `document.body.innerText`)
			for _, fact := range graph.Facts {
				if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(fact[1]), " ")) {
					t.Errorf("the page does not show %q", fact)
				}
			}
		})
	}
}

// A run without samples has a page that says so, and nothing to draw.
func TestHTMLOfNothing(t *testing.T) {
	page := string(written(t, graphProfiles(t)["empty"], ".html"))
	if !strings.Contains(page, "<main><pre>") || !strings.Contains(page, "0 of 0 samples") || strings.Contains(page, "<script") {
		t.Error(page)
	}
}

// Nothing in the data closes the script element, and the page asks for nothing.
func TestHTMLIsOneFile(t *testing.T) {
	p := rich(t, 50)
	p.Functions[0].Name = `</script><img src="https://example.org/x">`
	page := string(written(t, p, ".html"))
	if strings.Contains(page, "<img") || strings.Count(page, "</script>") != 3 {
		t.Error("a name closes an element")
	}
	for _, bad := range []string{` src="`, ` href="`, "@import", "url("} {
		before, _, _ := strings.Cut(page, "<script")
		if strings.Contains(before, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	file := write(t, p, "x.html")
	if content, err := os.ReadFile(file); err != nil || string(content) != page {
		t.Error("the same profile gives other bytes")
	}
}
