package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/mprof/mprof/serve/browsertest"
)

var pictures = flag.Bool("pictures", false, "draw the pictures of docs/live.md anew (make screenshots)")

// TestScreenshots draws the pictures of docs/live.md: of the simulated board, and of the traced firmware on it.
func TestScreenshots(t *testing.T) {
	if !*pictures {
		t.Skip("-pictures is not given")
	}
	for _, kind := range []string{"samples", "calls"} {
		p := openDrawn(t, map[string][]string{"samples": {"--probe", "sim", "--rate", "500"}, "calls": {"--port", "sim"}}[kind]...)
		p.Click("#connect")
		p.phase("ready")
		p.Click("#start")
		p.Do(chromedp.EmulateViewport(1240, 760))
		p.grows(map[string]string{"samples": "taken", "calls": "calls"}[kind])
		p.Until(`/^(2\d\.|\d\d:)/.test(document.querySelector("#status-elapsed").textContent)`) // 20 s
		p.Press("1")
		if kind == "calls" {
			p.Press("2")
			p.Click("#stop")
			p.phase("ready")
			p.Press("Home", "+", "+", "+", "+", "+", "+")
			p.picture("timeline")
			p.Dark(true)
			p.Press("3")
			p.picture("statistics")
			p.Do(chromedp.EmulateViewport(360, 740))
			p.picture("narrow")
			p.Leave()
			continue
		}
		p.picture("flame")
		p.Type("#flame-search", "sort")
		p.Dark(true)
		p.picture("search")
		p.Dark(false)
		p.Press("4")
		p.Until(`document.querySelectorAll(".lines li").length > 8`)
		p.picture("lines")
		p.Leave()
	}
}

func (p *drawnPage) picture(name string) {
	p.t.Helper()
	time.Sleep(1500 * time.Millisecond) // what was asked for is drawn
	browsertest.Eval[bool](p.Tab, `(document.activeElement.blur(), true)`)
	file := filepath.Join("..", "..", "docs", "live-"+name+".png")
	if err := os.WriteFile(file, p.Picture(), 0o644); err != nil {
		p.t.Fatal(err)
	}
	if st, err := os.Stat(file); err != nil || st.Size() > 200<<10 {
		p.t.Errorf("%s: %v bytes, want at most 200 KiB (%v)", file, st.Size(), err)
	}
}
