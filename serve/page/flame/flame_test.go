package flame_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/mprof/mprof/serve/browsertest"
	"github.com/mprof/mprof/serve/page/flame"
)

type node struct {
	Name     string `json:"n"`
	Self     int    `json:"s"`
	Category int    `json:"k,omitempty"`
	Children []node `json:"c,omitempty"`
}

var roots = []node{
	{Name: "main", Self: 10, Children: []node{
		{Name: "idle", Self: 300, Category: 2},
		{Name: "work", Self: 50, Children: []node{{Name: "filter", Self: 140}, {Name: "sqrt", Self: 100}}},
		{Name: "</script><b>", Self: 100},
	}},
	{Name: "SysTick_Handler", Self: 200, Category: 1, Children: []node{{Name: "sqrt", Self: 100, Category: 1}}},
}

func open(t *testing.T) *browsertest.Tab {
	t.Helper()
	tab := openOf(t, roots)
	tab.Until(drawn)
	return tab
}

// TestNothingCounted: a graph without roots, or with empty ones, is drawn without numbers that are none.
func TestNothingCounted(t *testing.T) {
	for _, none := range [][]node{{}, {{Name: "main", Children: []node{{Name: "work"}}}}} {
		tab := openOf(t, none)
		tab.Until(drawn)
		if got := widths(tab); got["all"] != 1 {
			t.Errorf("drawn: %v", got)
		}
	}
}

func openOf(t *testing.T, roots []node) *browsertest.Tab {
	t.Helper()
	tab := browsertest.Open(t, 1000, 600)
	graph, err := json.Marshal(map[string]any{
		"title": "demo", "unit": "samples", "roots": roots, "spread": 1, "facts": [][2]string{{"Device", "Cortex-M4"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "flame.html")
	page := `<!doctype html><html lang="en"><meta charset="utf-8"><title>t</title><style>` + flame.Style + `</style><main id="f"></main><script>` + flame.Script +
		`</script><script>mprofFlame(document.getElementById("f"), ` + string(graph) + `)</script>`
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	tab.Do(chromedp.Navigate("file://" + file))
	return tab
}

// drawn: every frame has its width.
const drawn = `document.querySelector(".frame") && [...document.querySelectorAll("g.frame")].every(g => Math.abs(g.getAttribute("width") - g.querySelector("rect").getAttribute("width")) < 1e-9)`

// widths are those of the frames, of all: by name, sums where names repeat.
func widths(tab *browsertest.Tab) map[string]float64 {
	return browsertest.Eval[map[string]float64](tab, `(() => {
		const of = {}, all = document.querySelector(".flame svg").getAttribute("width");
		for (const g of document.querySelectorAll("g.frame")) of[g.getAttribute("name")] = (of[g.getAttribute("name")] ?? 0) + g.querySelector("rect").getAttribute("width") / all;
		return of;
	})()`)
}

func expect(t *testing.T, got map[string]float64, want map[string]float64) {
	t.Helper()
	for name, w := range want {
		if math.Abs(got[name]-w) > 1e-6 {
			t.Errorf("%s is %v of the width, want %v", name, got[name], w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d names are drawn, want %d: %v", len(got), len(want), got)
	}
}

// TestWidths: each frame is as wide as its share, in the tree and inverted, and zoomed.
func TestWidths(t *testing.T) {
	tab := open(t)
	expect(t, widths(tab), map[string]float64{"all": 1, "main": .7, "idle": .3, "work": .29, "filter": .14, "sqrt": .2, "</script><b>": .1, "SysTick_Handler": .3})

	tab.Click(`g[name="work"]`)
	tab.Until(`document.querySelector('g[name="work"] rect')?.getAttribute("width") === document.querySelector(".flame svg").getAttribute("width")`)
	tab.Until(`!document.querySelector('g[name="idle"]')`)
	tab.Until(drawn)
	got := widths(tab)
	if math.Abs(got["filter"]-140.0/290) > 1e-6 {
		t.Errorf("zoomed to work, filter is %v of the width, want %v", got["filter"], 140.0/290)
	}
	tab.Do(chromedp.Focus(chromedp.CSS(".flame")))
	tab.Press("Escape")
	tab.Until(`document.querySelector('g[name="idle"]')`)

	tab.Click("button[aria-pressed]")
	tab.Until(`document.querySelectorAll('g[name="sqrt"]').length === 1`)
	tab.Until(drawn)
	got = widths(tab)
	if math.Abs(got["filter"]-.14) > 1e-6 || math.Abs(got["idle"]-.3) > 1e-6 || math.Abs(got["sqrt"]-.2) > 1e-6 {
		t.Errorf("inverted: filter %v, idle %v, sqrt %v, want .14, .3 and .2", got["filter"], got["idle"], got["sqrt"])
	}
}

// TestSearch: the matched share counts nested frames once, and keys reach everything.
func TestSearch(t *testing.T) {
	tab := open(t)
	tab.Do(chromedp.Focus(chromedp.CSS(".flame")))
	tab.Press("/")
	tab.Until(`document.activeElement.type === "search"`)
	tab.Type("input[type=search]", "work|filter|sqrt")
	tab.Until(`document.querySelector(".flame-found").textContent === "39.0 % in 4 frames"`)
	if n := browsertest.Eval[int](tab, `document.querySelectorAll(".frame.found").length`); n != 4 {
		t.Errorf("%d frames are marked, want 4", n)
	}
	tab.Press("Escape", "ArrowDown", "ArrowDown", "ArrowDown")
	// all, main, its widest callee
	tab.Until(`document.querySelector(".frame.chosen")?.getAttribute("name") === "idle"`)
	details := browsertest.Eval[string](tab, `document.querySelector(".flame-details").textContent`)
	if !strings.Contains(details, "30.0 % ±1.45 (300 samples)") {
		t.Errorf("details say %q", details)
	}
	// An expression that is none is plain text.
	tab.Type("input[type=search]", "t><b")
	tab.Until(`document.querySelector(".flame-found").textContent === "10.0 % in 1 frame"`)
}

// TestTextsFitIntoElements: what closes an element in HTML is not in them.
func TestTextsFitIntoElements(t *testing.T) {
	for name, text := range map[string]string{"Script": flame.Script, "Style": flame.Style} {
		for _, bad := range []string{"</script", "<!--", "</style", "http://", "@import"} {
			if bad == "http://" && name == "Script" {
				continue // names of licences and of XML namespaces
			}
			if strings.Contains(strings.ToLower(text), bad) {
				t.Errorf("%s contains %q", name, bad)
			}
		}
	}
	if !strings.Contains(flame.Script, "Apache License") || !strings.Contains(flame.Script, "Mike Bostock") {
		t.Error("the script does not carry the licences of its libraries")
	}
}
