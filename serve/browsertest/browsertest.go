// Package browsertest opens pages in a headless Chromium for tests. In: a test. Out: a browser tab
// that reaches nothing but this machine, and what the page did wrong: errors on its console,
// requests to anywhere else.
package browsertest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// Tab is a page in a browser of its own.
type Tab struct {
	context.Context // for chromedp's actions
	t               testing.TB

	mu       sync.Mutex
	complain []string
}

// Open starts Chromium with a window of that size in pixels. Without Chromium the test skips, or
// fails where CI=true. Everything ends with the test; what the page did wrong fails it then.
func Open(t testing.TB, width, height int, more ...chromedp.ExecAllocatorOption) *Tab {
	t.Helper()
	path := ""
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("Chromium is not installed (scripts/setup.sh test installs it)")
		}
		t.Skip("Chromium is not installed (scripts/setup.sh test installs it)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.WindowSize(width, height),
		chromedp.UserDataDir(t.TempDir()),
		chromedp.WSURLReadTimeout(time.Minute), // a busy machine
		chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("force-color-profile", "srgb"),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	options = append(options, more...)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute) // every step has its own
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	tab := &Tab{Context: ctx, t: t}
	if err := chromedp.Listen(ctx, tab.listen); err != nil {
		t.Fatalf("Chromium: %v", err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatalf("Chromium: %v", err)
	}
	t.Cleanup(func() {
		for _, c := range tab.Complaints() {
			t.Error(c)
		}
		chromedp.Cancel(ctx) // waits for the browser, whose folder goes next
	})
	return tab
}

// Do takes steps as a user would; the test ends where one is impossible.
func (tab *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	if err := chromedp.Do(tab, steps...); err != nil {
		tab.t.Fatalf("%v; complaints: %q", err, tab.Complaints())
	}
}

// Eval is the value of an expression in the page; it may be a promise.
func Eval[T any](tab *Tab, expression string) T {
	tab.t.Helper()
	value, err := chromedp.Run(tab, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		tab.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// Click clicks the first element that a CSS selector finds.
func (tab *Tab) Click(css string) {
	tab.t.Helper()
	tab.Do(chromedp.Click(chromedp.CSS(css)))
}

// Type writes into the first element that a CSS selector finds, in place of what is there.
func (tab *Tab) Type(css, text string) {
	tab.t.Helper()
	tab.Do(chromedp.Focus(chromedp.CSS(css)))
	Eval[bool](tab, "document.activeElement.select() === undefined")
	tab.Do(chromedp.SendKeys(chromedp.CSS(css), text))
}

// codes are those that the browser itself acts upon (closes a dialog, moves the focus).
var codes = map[string]int64{"Tab": 9, "Enter": 13, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}

// Press presses keys by their names in KeyboardEvent.key. They act, and type nothing.
func (tab *Tab) Press(keys ...string) {
	tab.t.Helper()
	for _, key := range keys {
		for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
			if _, err := chromedp.Call(tab, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: key, WindowsVirtualKeyCode: codes[key]}); err != nil {
				tab.t.Fatal(err)
			}
		}
	}
}

// Until waits for an expression to be true, a minute at most.
func (tab *Tab) Until(expression string) {
	tab.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		yes, err := chromedp.Run(tab, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		if err == nil && yes {
			return
		}
		if err != nil || time.Now().After(end) {
			tab.t.Fatalf("waiting for %s: %v; the page says: %s; complaints: %q", expression, err, tab.text(), tab.Complaints())
		}
	}
}

// Leave goes away from the page, for a server that ends before the test's clean-up.
func (tab *Tab) Leave() {
	tab.t.Helper()
	tab.Do(chromedp.Navigate("about:blank"))
}

// Dark sets the colour scheme that the system asks for.
func (tab *Tab) Dark(on bool) {
	tab.t.Helper()
	scheme := map[bool]string{false: "light", true: "dark"}[on]
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	if _, err := chromedp.Call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		tab.t.Fatal(err)
	}
}

// Picture is a PNG of what is in the window.
func (tab *Tab) Picture() []byte {
	tab.t.Helper()
	png, err := chromedp.Run(tab, chromedp.CaptureScreenshot())
	if err != nil {
		tab.t.Fatal(err)
	}
	return png
}

func (tab *Tab) text() string {
	text, err := chromedp.Run(tab, chromedp.Evaluate[string]("document.body.innerText"))
	if err != nil {
		return err.Error()
	}
	return text
}

// Complaints is what the page did wrong so far.
func (tab *Tab) Complaints() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return append([]string(nil), tab.complain...)
}

// Forget drops the complaints: the test provoked them.
func (tab *Tab) Forget() {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.complain = nil
}

func (tab *Tab) listen(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		tab.add("exception: " + thrown(e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "assert" {
			tab.add(fmt.Sprintf("console.%s: %s", e.Type, words(e.Args)))
		}
	case *cdplog.EventEntryAdded:
		if e.Entry.Level == "error" {
			tab.add(fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	case *network.EventRequestWillBeSent:
		if !near(e.Request.URL) {
			tab.add("request to " + e.Request.URL)
		}
	}
}

func thrown(d *runtime.ExceptionDetails) string {
	if d.Exception != nil && d.Exception.Description != "" {
		return d.Exception.Description
	}
	return d.Text
}

func words(args []*runtime.RemoteObject) string {
	var s []string
	for _, a := range args {
		s = append(s, string(a.Value)+a.Description)
	}
	return strings.Join(s, " ")
}

func near(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	switch u.Scheme {
	case "file", "data", "about", "blob":
		return true
	}
	return u.Hostname() == "127.0.0.1" || u.Hostname() == "localhost"
}

func (tab *Tab) add(complaint string) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	if len(tab.complain) < 20 {
		tab.complain = append(tab.complain, complaint)
	}
}
