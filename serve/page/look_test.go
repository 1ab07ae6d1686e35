package page_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/mprof/mprof/serve"
	"github.com/mprof/mprof/serve/browsertest"
	"github.com/mprof/mprof/serve/page"
	"github.com/mprof/mprof/serve/page/pagetest"
	"github.com/mprof/mprof/session"
)

var pictures = flag.String("pictures", "", "folder for pictures of the page")

// fake serves the page with an invented session, and returns its address.
func fake(t *testing.T, control page.Control) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	handler, err := page.New(ctx, page.Options{Control: control, Hints: func(error) []string { return []string{"Check the cable."} }})
	if err != nil {
		t.Fatal(err)
	}
	server, err := serve.Listen(serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, breakable(handler)) }()
	t.Cleanup(func() {
		stop()
		<-done
	})
	return server.URL()
}

var (
	socketsMu sync.Mutex
	sockets   []context.CancelFunc
)

// breakable lets breakSockets end the connections of pages.
func breakable(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		socketsMu.Lock()
		sockets = append(sockets, cancel)
		socketsMu.Unlock()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

func breakSockets() {
	socketsMu.Lock()
	defer socketsMu.Unlock()
	for _, cancel := range sockets {
		cancel()
	}
	sockets = nil
}

// TestLook draws every view in both themes and two widths, into -pictures.
func TestLook(t *testing.T) {
	if *pictures == "" {
		t.Skip("-pictures names no folder")
	}
	for _, kind := range []string{"samples", "calls"} {
		control := pagetest.New(4)
		address := fake(t, control)
		must(t, control.Connect(context.Background(), session.Connect{Kind: kind, Probe: "sim", Port: "sim"}))
		must(t, control.Start(context.Background(), session.Start{}))
		time.Sleep(6 * time.Second)
		for _, size := range [][2]int{{1400, 860}, {360, 720}} {
			tab := browsertest.Open(t, size[0], size[1])
			tab.Do(chromedp.EmulateViewport(int64(size[0]), int64(size[1])))
			for _, dark := range []bool{false, true} {
				tab.Dark(dark)
				for _, view := range []string{"flame", "timeline", "table", "lines"} {
					tab.Do(chromedp.Navigate(address + "#" + view))
					tab.Until(fmt.Sprintf(`document.querySelector("#view-%s") && !document.querySelector("#view-%s").hidden`, view, view))
					time.Sleep(1500 * time.Millisecond)
					name := fmt.Sprintf("%s-%s-%d-%v.png", kind, view, size[0], dark)
					must(t, os.WriteFile(filepath.Join(*pictures, name), tab.Picture(), 0o644))
				}
			}
		}
	}
}

// TestLookAtStates draws the page before it is connected, with an error, and after the target went.
func TestLookAtStates(t *testing.T) {
	if *pictures == "" {
		t.Skip("-pictures names no folder")
	}
	control := pagetest.New(4)
	address := fake(t, control)
	for _, size := range [][2]int{{1400, 860}, {360, 720}} {
		tab := browsertest.Open(t, size[0], size[1])
		tab.Do(chromedp.EmulateViewport(int64(size[0]), int64(size[1])))
		shot := func(name string) {
			time.Sleep(time.Second)
			must(t, os.WriteFile(filepath.Join(*pictures, fmt.Sprintf("%s-%d.png", name, size[0])), tab.Picture(), 0o644))
		}
		tab.Do(chromedp.Navigate(address))
		tab.Until(`document.querySelector("#target option")`)
		shot("idle")
		tab.Do(chromedp.SetValue(chromedp.CSS("#target"), "broken"))
		tab.Click("#connect")
		tab.Until(`document.querySelector(".notice.bad")`)
		shot("error")
		tab.Do(chromedp.SetValue(chromedp.CSS("#target"), "sim"))
		tab.Click("#connect")
		tab.Until(`!document.querySelector("#start").hidden`)
		shot("ready")
		tab.Click("#start")
		tab.Until(`document.querySelectorAll(".frame").length > 5`)
		tab.Press("?")
		shot("help")
		tab.Press("Escape")
		tab.Click("#save")
		tab.Until(`document.querySelectorAll(".menu button").length > 3`)
		shot("save")
		tab.Type("#flame-search", "filter|crc")
		shot("search")
		control.Unplug()
		tab.Until(`document.querySelector(".phase").dataset.phase === "lost"`)
		shot("lost")
		must(t, control.Disconnect(context.Background()))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
