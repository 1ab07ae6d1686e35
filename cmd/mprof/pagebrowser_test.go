package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/mprof/mprof/serve/browsertest"
)

const loggerELF = "../../firmware/examples/logger/logger.elf"

// drawnPage is a page of mprof serve in Chromium.
type drawnPage struct {
	*browsertest.Tab
	t *testing.T
	s *served
}

func openDrawn(t *testing.T, args ...string) *drawnPage {
	t.Helper()
	s := serveInProcess(t, append([]string{"serve", "--recordings", t.TempDir()}, args...)...)
	t.Cleanup(func() { s.end() })
	tab := browsertest.Open(t, 1400, 900)
	tab.Do(chromedp.EmulateViewport(1400, 860), chromedp.Navigate(s.url))
	tab.Until(`document.querySelectorAll("#target option").length > 1`)
	return &drawnPage{tab, t, s}
}

func (p *drawnPage) phase(want string) {
	p.t.Helper()
	p.Until(`document.querySelector(".phase").dataset.phase === "` + want + `"`)
}

// number is one of the status strip.
func (p *drawnPage) number(id string) string {
	return `parseFloat(document.querySelector("#status-` + id + `").textContent.replace(/\u202f/g, ""))`
}

// grows waits until a number of the strip is larger than it was, twice.
func (p *drawnPage) grows(id string) {
	p.t.Helper()
	p.Until(`document.querySelectorAll(".frame").length > 5`)
	for range 2 {
		p.Until(fmt.Sprintf("%s > %v", p.number(id), browsertest.Eval[float64](p.Tab, p.number(id))))
	}
}

// equalsSaved waits until each frame is as wide as its path's part of the folded stacks that the
// page saves.
func (p *drawnPage) equalsSaved() {
	p.t.Helper()
	want := foldedShares(p.t, p.s.get("save?format=.folded"))
	var wrong []string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		drawn := browsertest.Eval[map[string]float64](p.Tab, `(() => {
			const all = document.querySelector(".flame svg").getAttribute("width"), of = {};
			for (const g of document.querySelectorAll("g.frame:not(.narrow)")) {
				const names = [];
				for (let d = g.__data__; d; d = d.parent) names.unshift(d.data.name);
				of[names.join(";")] = (of[names.join(";")] ?? 0) + g.querySelector("rect").getAttribute("width") / all;
			}
			return of;
		})()`)
		if wrong = unlike(drawn, want); len(wrong) == 0 {
			return
		}
	}
	p.t.Errorf("%d frames are not as in the saved file: %s", len(wrong), strings.Join(wrong[:min(5, len(wrong))], "; "))
}

func foldedShares(t *testing.T, folded string) map[string]float64 {
	t.Helper()
	shares, all := map[string]float64{}, float64(foldedTotal(t, folded))
	for line := range strings.Lines(folded) {
		i := strings.LastIndexByte(line, ' ')
		var n float64
		fmt.Sscan(line[i+1:], &n)
		path := "all"
		shares[path] += n / all
		for name := range strings.SplitSeq(line[:i], ";") {
			path += ";" + name
			shares[path] += n / all
		}
	}
	return shares
}

func unlike(drawn, want map[string]float64) (wrong []string) {
	if len(drawn) < 20 {
		wrong = append(wrong, fmt.Sprintf("only %d are drawn", len(drawn)))
	}
	for path, share := range drawn {
		if math.Abs(want[path]-share) > 1e-6 {
			wrong = append(wrong, fmt.Sprintf("%s: %v of the width, %v of the file", path, share, want[path]))
		}
	}
	for path, share := range want {
		if _, ok := drawn[path]; !ok && share > 0.01 {
			wrong = append(wrong, fmt.Sprintf("%s, %v of the file, is not drawn", path, share))
		}
	}
	return wrong
}

// tableEqualsReport compares the rows of the statistics with those that mprof report prints
// of the saved file, digit for digit.
func (p *drawnPage) tableEqualsReport(columns int) {
	p.t.Helper()
	first := func(row string) string { // of the row's words, without what the report has more
		words := strings.Fields(row)
		return strings.Join(words[:min(columns, len(words))], " ")
	}
	file := filepath.Join(p.t.TempDir(), "saved.json.gz")
	if err := os.WriteFile(file, []byte(p.s.get("save?format=.json.gz")), 0o600); err != nil {
		p.t.Fatal(err)
	}
	report := mprof(p.t.Context(), nil, "report", file)
	p.Press("3")
	p.Until(`document.querySelectorAll(".functions tbody tr").length > 20`)
	printed := map[string]bool{}
	for line := range strings.Lines(report.stdout) {
		printed[first(line)] = true
	}
	var unlike string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		unlike = ""
		for _, row := range browsertest.Eval[[]string](p.Tab, `[...document.querySelectorAll(".functions tbody tr")].slice(0, 15).map(r => [...r.cells].map(c => c.textContent.replace(/\u202f/g, "")).join(" "))`) {
			// The report says beside its table what functions called that had not returned.
			words := strings.Fields(row)
			open := slices.Contains(words, "running>") && calledByOpen(report.stdout) == trimmed(words[1])+words[2]
			if !open && !printed[first(row)] {
				unlike = row
			}
		}
		if unlike == "" {
			return
		}
	}
	p.t.Errorf("the page lists %q, which the report of the saved file does not:\n%s%s", unlike, report.stdout, report.stderr)
}

// calledByOpen is the time that a report says beside its table: 15.3ms.
func calledByOpen(report string) string {
	m := regexp.MustCompile(`they called ([0-9.]+) ?(\S+) of what is listed`).FindStringSubmatch(report)
	if m == nil {
		return ""
	}
	return trimmed(m[1]) + m[2]
}

// trimmed is 15.3 for 15.30.
func trimmed(number string) string {
	if !strings.Contains(number, ".") {
		return number
	}
	return strings.TrimRight(strings.TrimRight(number, "0"), ".")
}

// TestPageOfSimulatedBoard: the page samples the simulated board: connect, start, numbers that change, widths
// as in the file, zoom in the timeline, stop, save, reset, and again.
func TestPageOfSimulatedBoard(t *testing.T) {
	p := openDrawn(t, "--probe", "sim", "--rate", "1000")
	defer p.Leave()
	p.Click("#connect")
	p.phase("ready")
	p.Click("#start")
	p.phase("running")
	p.grows("taken")
	p.Press("4")
	p.Until(`[...document.querySelectorAll("#view-lines pre .hot")].some(l => /sum \+=/.test(l.textContent))`) // of fir_apply
	p.Press("2")
	p.Until(`document.querySelector(".plot").dataset.to > 1`)
	p.Press("Home", "+", "+", "+")
	p.Until(`(d => d.to - d.from < ` + p.number("elapsed") + ` / 4)(document.querySelector(".plot").dataset)`)
	p.Click("#stop")
	p.phase("ready")
	p.Press("1")
	p.equalsSaved()
	p.tableEqualsReport(10)
	p.Click("#reset")
	p.Until(`document.querySelector(".views").hidden`)
	p.Click("#start")
	p.Until(`!document.querySelector(".views").hidden`)
	p.grows("taken")
}

// TestPageOfTracedFirmware: the same with every call of firmware on a pty, which goes away in
// the middle: the page says so and keeps what came.
func TestPageOfTracedFirmware(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("no pseudo-terminals here")
	}
	elf, err := filepath.Abs(loggerELF)
	if err != nil {
		t.Fatal(err)
	}
	pty, firmware, _, _ := startSim(t, `: (/dev/\S+): mprof trace --port`, elf)
	p := openDrawn(t)
	defer p.Leave()
	p.Click(`input[value="calls"]`)
	p.Do(chromedp.SetValue(chromedp.CSS("#target"), "\x00other"))
	browsertest.Eval[bool](p.Tab, `document.querySelector("#target").dispatchEvent(new Event("change"))`)
	p.Type("#typed", pty)
	p.Type("#elf", elf)
	p.Click("#connect")
	p.phase("ready")
	p.Click("#start")
	p.phase("running")
	p.grows("calls")
	p.Press("3")
	p.Until(`[...document.querySelectorAll(".functions tbody tr")].some(r => r.dataset.function === "process_block")`)
	p.Press("1")
	if err := firmware.Process.Signal(os.Kill); err != nil {
		t.Fatal(err)
	}
	p.phase("lost")
	p.Until(`document.querySelector(".notice.bad")?.textContent.includes("can be saved")`)
	p.equalsSaved()
	p.tableEqualsReport(17) // calls and eight times with their units
}

// TestPagesOfOneRun: three pages show the run of a command line, which ends as it would without.
func TestPagesOfOneRun(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.folded")
	s := serveInProcess(t, "sample", "--live", "--probe", "sim", "--rate", "500", "--duration", "20", "-o", out)
	t.Cleanup(func() { s.end() })
	var pages []*drawnPage
	for range 3 {
		tab := browsertest.Open(t, 1000, 700)
		tab.Do(chromedp.Navigate(s.url))
		defer tab.Leave()
		pages = append(pages, &drawnPage{tab, t, s})
	}
	for _, p := range pages {
		p.Until(`document.querySelectorAll(".frame").length > 5`)
		if p.Until(`!document.querySelector("#stop").hidden || document.querySelector(".phase").dataset.phase !== "running"`); browsertest.Eval[bool](p.Tab, `["reset", "start", "disconnect"].some(id => !document.getElementById(id).hidden)`) {
			t.Error("the page offers what it cannot do to the run of a command line")
		}
	}
	s.await("the page stays until Ctrl-C")
	for _, p := range pages {
		p.equalsSaved()
	}
}
