package page_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/serve/browsertest"
	"github.com/mprof/mprof/serve/page/pagetest"
	"github.com/mprof/mprof/session"
)

// begin opens the page of a session that collects.
func begin(t *testing.T, kind string, speed float64) (*browsertest.Tab, *pagetest.Control, string) {
	t.Helper()
	control := pagetest.New(speed)
	address := fake(t, control)
	must(t, control.Connect(context.Background(), session.Connect{Kind: kind, Probe: "sim", Port: "sim"}))
	must(t, control.Start(context.Background(), session.Start{}))
	tab := browsertest.Open(t, 1300, 900)
	tab.Do(chromedp.Navigate(address))
	tab.Until(`document.querySelectorAll(".frame").length > 5`)
	return tab, control, address
}

// status is a number of the strip, without spaces and units.
func status(tab *browsertest.Tab, id string) float64 {
	return browsertest.Eval[float64](tab, `parseFloat(document.querySelector("#status-`+id+`").textContent.replace(/\u202f/g, ""))`)
}

// shares of a profile's paths: of samples, or of the time in traced calls.
func shares(p *profile.Profile) map[string]float64 {
	sums, all := map[string]float64{"all": 0}, 0.0
	for _, thread := range p.Threads {
		for _, s := range thread.Samples {
			if s.Stack == profile.None {
				continue
			}
			weight := float64(s.Count)
			if p.Trace != nil {
				weight = float64(s.Weight)
			}
			all += weight
			var names []string
			for at := s.Stack; at != profile.None; at = p.Stacks[at].Prefix {
				names = append([]string{p.Functions[p.Frames[p.Stacks[at].Frame].Function].Name}, names...)
			}
			path := "all"
			sums[path] += weight
			for _, n := range names {
				path += ";" + n
				sums[path] += weight
			}
		}
	}
	for path := range sums {
		sums[path] /= all
	}
	return sums
}

// drawnShares are those of the frames in the flame graph, by path.
func drawnShares(tab *browsertest.Tab) map[string]float64 {
	tab.Until(`[...document.querySelectorAll("g.frame")].every(g => Math.abs(g.getAttribute("width") - g.querySelector("rect").getAttribute("width")) < 1e-9)`)
	return browsertest.Eval[map[string]float64](tab, `(() => {
		const all = document.querySelector(".flame svg").getAttribute("width"), of = {};
		for (const g of document.querySelectorAll("g.frame:not(.narrow)")) {
			const names = [];
			for (let d = g.__data__; d; d = d.parent) names.unshift(d.data.name);
			const path = names.join(";");
			of[path] = (of[path] ?? 0) + g.querySelector("rect").getAttribute("width") / all;
		}
		return of;
	})()`)
}

// TestPageSession drives the page as a user does: connect, start, look, zoom, stop, save, reset.
func TestPageSession(t *testing.T) {
	control := pagetest.New(4)
	address := fake(t, control)
	tab := browsertest.Open(t, 1300, 900)
	tab.Do(chromedp.Navigate(address))
	tab.Until(`document.querySelectorAll("#target option").length > 2`)
	tab.Type("#elf", "demo.elf")
	tab.Click("#connect")
	tab.Until(`document.querySelector(".phase").dataset.phase === "ready"`)
	if with := control.State().Connect; with.Kind != "samples" || with.Probe != "sim" || with.ELF != "demo.elf" {
		t.Errorf("the page connects with %+v", with)
	}
	tab.Click("#start")
	tab.Until(`document.querySelectorAll(".frame").length > 5`)

	before := status(tab, "taken")
	tab.Until(fmt.Sprintf(`parseFloat(document.querySelector("#status-taken").textContent.replace(/\u202f/g, "")) > %v`, before+500))

	tab.Press("3")
	tab.Until(`document.querySelectorAll(".functions tbody tr").length > 5`)
	tab.Type("#table-filter", "^crc32$")
	tab.Until(`document.querySelectorAll(".functions tbody tr").length === 1`)
	tab.Type("#table-filter", " ")

	tab.Click("#stop")
	tab.Until(`document.querySelector(".phase").dataset.phase === "ready"`)
	p, err := control.Profile(context.Background())
	must(t, err)
	tab.Click("#tab-flame")
	same(t, tab, shares(p))

	saved := save(t, tab, ".folded")
	var want bytes.Buffer
	for _, f := range export.Formats {
		if f.Ext == ".folded" {
			must(t, f.Write(&want, p))
		}
	}
	if saved != want.String() {
		t.Errorf("the saved stacks are %d bytes, want %d that differ", len(saved), want.Len())
	}

	tab.Click("#reset")
	tab.Until(`document.querySelector(".views").hidden`)
	tab.Click("#start")
	tab.Until(`!document.querySelector(".views").hidden`)
	for taken := uint64(0); taken < 500; time.Sleep(20 * time.Millisecond) {
		taken = control.Model().Since(0, 0).Status.Taken
	}
	tab.Click("#stop")
	tab.Until(`document.querySelector(".phase").dataset.phase === "ready"`)
	p, err = control.Profile(context.Background())
	must(t, err)
	tab.Until(fmt.Sprintf(`parseFloat(document.querySelector("#status-taken").textContent.replace(/\u202f/g, "")) === %d`, p.Samples()))
	same(t, tab, shares(p))
}

// same waits until what is drawn is what is in a profile.
func same(t *testing.T, tab *browsertest.Tab, want map[string]float64) {
	t.Helper()
	var wrong []string
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if wrong = differences(drawnShares(tab), want); len(wrong) == 0 {
			return
		}
	}
	t.Error(strings.Join(wrong, "\n"))
}

func differences(drawn, want map[string]float64) (wrong []string) {
	if len(drawn) < 8 {
		wrong = append(wrong, fmt.Sprintf("only %d frames are drawn", len(drawn)))
	}
	for path, share := range drawn {
		if math.Abs(want[path]-share) > 1e-6 {
			wrong = append(wrong, fmt.Sprintf("%s is %v of the width, and %v of the profile", path, share, want[path]))
		}
	}
	for path, share := range want {
		if _, ok := drawn[path]; !ok && share > 0.01 {
			wrong = append(wrong, fmt.Sprintf("%s, %v of the profile, is not drawn", path, share))
		}
	}
	return wrong
}

// save clicks a format in the menu, and returns what the browser would have written.
func save(t *testing.T, tab *browsertest.Tab, ext string) string {
	t.Helper()
	browsertest.Eval[bool](tab, `(() => {
		window.saved = null;
		URL.createObjectURL = blob => (blob.text().then(text => window.saved = text), "data:,");
		HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; };
		return true;
	})()`)
	tab.Click("#save")
	tab.Until(`document.querySelector('.menu [data-format="` + ext + `"]')`)
	tab.Click(`.menu [data-format="` + ext + `"]`)
	tab.Until(`window.saved !== null`)
	if name := browsertest.Eval[string](tab, "savedAs"); !strings.HasSuffix(name, ext) {
		t.Errorf("it is saved as %q", name)
	}
	return browsertest.Eval[string](tab, "saved")
}

// TestPageOfCalls: the flame graph of a trace is its calls' time; the timeline is zoomed and moved.
func TestPageOfCalls(t *testing.T) {
	tab, control, _ := begin(t, "calls", 2)
	tab.Press("2")
	tab.Until(`document.querySelector("#view-timeline .note").textContent !== ""`)
	tab.Until(`document.querySelector(".overview .part")`)
	tab.Press("Home")
	tab.Until(`document.querySelector("#follow").getAttribute("aria-pressed") === "false"`)
	tab.Click("#stop")
	tab.Until(`document.querySelector(".phase").dataset.phase === "ready"`)
	from, to := shown(tab)
	for range 10 {
		tab.Press("+")
	}
	tab.Until(`document.querySelector("#view-timeline .note").textContent.includes("single calls")`)
	near, far := shown(tab)
	if want := (to - from) / 1024; math.Abs(far-near-want) > want*1e-6 || math.Abs((near+far)-(from+to)) > want {
		t.Errorf("zoomed ten times by 2, %v to %v s became %v to %v s", from, to, near, far)
	}
	tab.Press("ArrowRight")
	if moved, _ := shown(tab); math.Abs(moved-near-(far-near)/5) > 1e-9 {
		t.Errorf("a fifth to the right, %v to %v s begins at %v s", near, far, moved)
	}
	near, far = shown(tab)
	box := browsertest.Eval[struct{ X, Y, W, H float64 }](tab, `(r => ({X: r.x, Y: r.y, W: r.width, H: r.height}))(document.querySelector(".plot .u-over").getBoundingClientRect())`)
	tab.Do(chromedp.DragAndDropXY(box.X+box.W/2, box.Y+box.H/2, box.X+box.W*0.75, box.Y+box.H/2))
	tab.Until(fmt.Sprintf(`Number(document.querySelector(".plot").dataset.from) < %v`, near))
	if moved, _ := shown(tab); math.Abs(near-moved-(far-near)/4) > (far-near)/50 {
		t.Errorf("dragged by a quarter of the width, %v to %v s begins at %v s", near, far, moved)
	}
	tab.Until(`document.querySelector("#view-timeline .note").textContent.includes("single calls")`)
	// Something is painted, and says what it is when it is pointed at.
	tab.Until(`(() => {
		const area = document.querySelector(".plot .u-over"), box = area.getBoundingClientRect();
		for (let y = 40; y < box.height; y += 9) for (let x = 3; x < box.width; x += 11) {
			area.dispatchEvent(new PointerEvent("pointermove", {clientX: box.x + x, clientY: box.y + y, pointerType: "mouse"}));
			const tip = document.querySelector("#view-timeline .flame-tip");
			if (!tip.hidden && /isr_adc|SysTick_Handler|idle|filter_step/.test(tip.textContent) && /µs|ms/.test(tip.textContent)) return true;
		}
		return false;
	})()`)

	p, err := control.Profile(context.Background())
	must(t, err)
	tab.Press("1")
	same(t, tab, shares(p))
	tab.Click("#tab-table")
	tab.Until(fmt.Sprintf(`document.querySelectorAll(".functions tbody tr").length === %d`, len(p.Trace.Functions)))
}

// shown is the part of the run that the timeline shows, in seconds.
func shown(tab *browsertest.Tab) (from, to float64) {
	window := browsertest.Eval[[2]string](tab, `[document.querySelector(".plot").dataset.from, document.querySelector(".plot").dataset.to]`)
	fmt.Sscan(window[0], &from)
	fmt.Sscan(window[1], &to)
	return from, to
}

// TestPageUnplugged: the target goes away in the middle: the page says so, and keeps what it has.
func TestPageUnplugged(t *testing.T) {
	tab, control, _ := begin(t, "samples", 4)
	control.Unplug()
	tab.Until(`document.querySelector(".phase").dataset.phase === "lost"`)
	tab.Until(`document.querySelector(".notice.bad")?.textContent.includes("Check the cable.")`)
	p, err := control.Profile(context.Background())
	must(t, err)
	same(t, tab, shares(p))
	if saved := save(t, tab, ".folded"); saved == "" {
		t.Error("nothing was saved")
	}
	tab.Click("#connect")
	tab.Until(`document.querySelector(".phase").dataset.phase === "ready"`)
	if browsertest.Eval[bool](tab, `document.querySelector(".notice.bad") !== null`) {
		t.Error("the message about the target that went is still there")
	}
}

// TestPageErrors: what mprof refuses is said, with what to do.
func TestPageErrors(t *testing.T) {
	address := fake(t, pagetest.New(1))
	tab := browsertest.Open(t, 1300, 900)
	tab.Do(chromedp.Navigate(address))
	tab.Until(`document.querySelectorAll("#target option").length > 2`)
	tab.Do(chromedp.SetValue(chromedp.CSS("#target"), "broken"))
	tab.Click("#connect")
	tab.Until(`document.querySelector(".notice.bad")?.textContent.includes("No probe matches")`)
	tab.Until(`document.querySelector(".notice.bad .hint").textContent === "Check the cable."`)
	tab.Click(`.notice.bad button`)
	tab.Until(`!document.querySelector(".notice.bad")`)
}

// TestPagesTogether: three pages show the same run, and what one of them does.
func TestPagesTogether(t *testing.T) {
	first, _, address := begin(t, "samples", 4)
	tabs := []*browsertest.Tab{first}
	for range 2 {
		tab := browsertest.Open(t, 900, 700)
		tab.Do(chromedp.Navigate(address))
		tab.Until(`document.querySelectorAll(".frame").length > 5`)
		tabs = append(tabs, tab)
	}
	tabs[1].Click("#stop")
	var details []string
	for _, tab := range tabs {
		tab.Until(`document.querySelector(".phase").dataset.phase === "ready"`)
	}
	end := time.Now().Add(patience)
	for {
		details = details[:0]
		for _, tab := range tabs {
			details = append(details, browsertest.Eval[string](tab, `document.querySelector(".flame-details").textContent`))
		}
		if details[0] == details[1] && details[1] == details[2] && details[0] != "" {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("three pages show %q", details)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// TestPageComesBack: the connection breaks, the page says so, comes back, and shows everything.
func TestPageComesBack(t *testing.T) {
	tab, control, _ := begin(t, "samples", 4)
	// The page's own socket is not to be had: a server that ends, and another in its place, is.
	before := status(tab, "taken")
	browsertest.Eval[bool](tab, `(() => {
		const Real = WebSocket;
		window.refuse = true;
		window.WebSocket = class { constructor(a) { if (!window.refuse) return new Real(a); setTimeout(() => this.onclose({reason: ""}), 50); } };
		window.WebSocket.OPEN = Real.OPEN;
		return true;
	})()`)
	breakSockets()
	tab.Until(`document.querySelector(".notice.warn")?.textContent.includes("does not answer")`)
	if n := browsertest.Eval[int](tab, `document.querySelectorAll(".frame").length`); n < 5 {
		t.Errorf("without a connection %d frames are left", n)
	}
	browsertest.Eval[bool](tab, `(window.refuse = false, true)`)
	tab.Until(`!document.querySelector(".notice.warn")`)
	tab.Until(fmt.Sprintf(`parseFloat(document.querySelector("#status-taken").textContent.replace(/\u202f/g, "")) > %v`, before))
	tab.Click("#stop")
	tab.Until(`document.querySelector(".phase").dataset.phase === "ready"`)
	p, err := control.Profile(context.Background())
	must(t, err)
	same(t, tab, shares(p))
	tab.Forget() // the browser logs that a connection broke
}

// TestPageSmallAndLong: an hour of samples leaves a page that is no larger than after a minute: what is
// narrower than two pixels is one frame, the small plots and the table are bounded.
func TestPageSmallAndLong(t *testing.T) {
	tab, control, _ := begin(t, "samples", 900)
	browsertest.Eval[bool](tab, `(window.long = [], new PerformanceObserver(l => long.push(...l.getEntries().map(e => e.duration))).observe({type: "longtask"}), true)`)
	count := func() (elements int) {
		for i := range 4 {
			tab.Press(fmt.Sprint((i+1)%4 + 1)) // the flame graph last
			time.Sleep(500 * time.Millisecond)
		}
		return browsertest.Eval[int](tab, `document.querySelectorAll("*").length`)
	}
	early := count()
	last, moved := 0.0, time.Now()
	for last < 3600 && time.Since(moved) < patience { // a slow machine takes its time for the hour
		if now := control.Model().Since(0, 0).Status.Elapsed; now > last {
			last, moved = now, time.Now()
		}
		time.Sleep(100 * time.Millisecond)
	}
	tab.Until(`/^\d+:\d\d:/.test(document.querySelector("#status-elapsed").textContent)`)
	late := count()
	if late > 4000 { // of which the 25 hottest lines with their source are about 1000
		t.Errorf("the page had %d elements early and has %d after an hour", early, late)
	}
	t.Logf("%d elements, then %d; %.1f MB of heap after %s of the target's time; tasks above 50 ms: %.0f", early, late,
		browsertest.Eval[float64](tab, `performance.memory.usedJSHeapSize`)/1e6, browsertest.Eval[string](tab, `document.querySelector("#status-elapsed").textContent`),
		browsertest.Eval[[]float64](tab, "long"))
	must(t, control.Stop(context.Background()))
}

// report is what axe-core finds.
type report struct {
	ID    string
	Help  string
	Nodes []struct{ HTML, FailureSummary string }
}

// violations are what axe-core finds now, and what does not fit into the window.
func violations(t *testing.T, tab *browsertest.Tab, axe string) (all []string) {
	t.Helper()
	browsertest.Eval[bool](tab, axe+"; true")
	found := browsertest.Eval[json.RawMessage](tab, `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.map(v => ({ID: v.id, Help: v.help, Nodes: v.nodes.map(n => ({HTML: n.html, FailureSummary: n.failureSummary}))})))`)
	var reports []report
	must(t, json.Unmarshal(found, &reports))
	for _, r := range reports {
		all = append(all, fmt.Sprintf("%s: %s: %.600v", r.ID, r.Help, r.Nodes))
	}
	if size := browsertest.Eval[[2]float64](tab, "[document.documentElement.scrollWidth, innerWidth]"); size[0] > size[1] {
		all = append(all, fmt.Sprintf("%v pixels wide in a window of %v", size[0], size[1]))
	}
	return all
}

// TestPageAccessible lets axe-core judge every view, in both themes, wide and narrow. The page draws when it
// can: what is wrong has to stay so for a while.
func TestPageAccessible(t *testing.T) {
	axe := string(module(t, "axe-core/axe.min.js"))
	tab, control, address := begin(t, "samples", 4)
	judge := func(what string) {
		var found []string
		for end := time.Now().Add(patience / 3); time.Now().Before(end); time.Sleep(300 * time.Millisecond) {
			if found = violations(t, tab, axe); len(found) == 0 {
				return
			}
		}
		t.Errorf("%s: %s", what, strings.Join(found, "\n"))
	}
	for _, width := range []int64{1300, 360} {
		tab.Do(chromedp.EmulateViewport(width, 800))
		for _, dark := range []bool{false, true} {
			tab.Dark(dark)
			for i, view := range []string{"flame", "timeline", "table", "lines"} {
				tab.Press(fmt.Sprint(i + 1))
				tab.Until(`!document.querySelector("#view-` + view + `").hidden`)
				time.Sleep(600 * time.Millisecond) // it is drawn, where the machine is idle
				judge(fmt.Sprintf("%s, %d pixels, dark %v", view, width, dark))
			}
		}
	}
	tab.Press("?")
	tab.Until(`document.querySelector("dialog[open]")`)
	judge("help")
	tab.Press("Escape")
	control.Unplug()
	tab.Until(`document.querySelector(".notice.bad")`)
	judge("lost")
	must(t, control.Disconnect(context.Background()))
	tab.Do(chromedp.Navigate(address))
	tab.Until(`document.querySelectorAll("#target option").length > 2`)
	judge("not connected")
}
