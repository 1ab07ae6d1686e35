package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/mprof/mprof/serve/browsertest"
)

// pprof's pages run in a real browser under the guard's policy: they draw, and neither ask for anything elsewhere nor are
// kept from anything that they need (the tab fails the test otherwise).
func TestViewPprofInBrowser(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.json.gz")
	if s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--duration", "5", "--seed", "1", "-q", "-o", file); s.code != 0 {
		t.Fatal(s.stderr)
	}
	page := viewed(t, file, "--pprof")
	tab := browsertest.Open(t, 1200, 800)
	tab.Do(chromedp.Navigate(page))
	tab.Until("[...document.querySelectorAll('#stack-chart div')].some(e => e.innerText.includes('sensor_task'))")
	for path, want := range map[string]string{"top": "wait_for_interrupt", "source?f=partition": "median_of_three", "disasm?f=partition": "stmdb", "peek?f=idle": "wait_for_interrupt"} {
		tab.Do(chromedp.Navigate(strings.TrimSuffix(page, "flamegraph") + path))
		tab.Until(fmt.Sprintf("document.body.innerText.includes(%q)", want))
	}
	for _, c := range tab.Complaints() {
		if !strings.Contains(c, "/favicon.ico") { // browsers look for one outside of the secret path
			t.Error(c)
		}
	}
	tab.Forget()
}

// viewer is a page that asks as the Firefox Profiler does: by the address that mprof view prints, across origins, with a
// header of its own (firefox-devtools/profiler, query-api and symbolication-store).
const viewer = `<!doctype html><title>viewer</title><script>
(async () => {
	const server = new URLSearchParams(location.search).get("symbolServer");
	const profile = decodeURIComponent(location.pathname.split("/")[2]);
	const post = async (path, body) => {
		const response = await fetch(server + path, {method: "POST", mode: "cors", credentials: "omit", body: JSON.stringify(body),
			headers: new Headers({"User-Agent": "FirefoxProfiler/1.0", "Content-Type": "application/json"})});
		if (response.status !== 200) throw new Error(path + ": " + response.status);
		return response.json();
	};
	const p = await (await fetch(profile, {credentials: "omit"})).json();
	const lib = p.libs[0], symbols = p.shared.nativeSymbols;
	const n = symbols.name.findIndex(i => p.shared.stringArray[i] === "partition");
	const start = symbols.address[n];
	const found = await post("/symbolicate/v5", {jobs: [{memoryMap: [[lib.debugName, lib.breakpadId]], stacks: [[[0, start + 4]]]}]});
	const asm = await post("/asm/v1", {debugName: lib.debugName, debugId: lib.breakpadId, name: lib.name, codeId: lib.codeId,
		startAddress: "0x" + start.toString(16), size: "0x" + symbols.functionSize[n].toString(16), continueUntilFunctionEnd: false});
	const source = await post("/source/v1", {debugName: lib.debugName, debugId: lib.breakpadId, moduleOffset: "0x" + start.toString(16), file: "firmware/demo/src/sort.c"});
	return [found.results[0].stacks[0][0].function, asm.instructions[0][1], source.source.includes("median_of_three"), asm.instructions.length > 50].join(" | ");
})().then(text => window.answer = text, error => window.answer = "refused: " + error);
</script>`

// A real browser lets the page that was named ask for everything, and no other page.
func TestViewAcrossOrigins(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.json")
	if s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--duration", "5", "--seed", "1", "-q", "-o", file); s.code != 0 {
		t.Fatal(s.stderr)
	}
	if _, err := os.Stat(file); err != nil {
		t.Fatal(err)
	}
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, viewer)
	})
	friend, other := httptest.NewServer(page), httptest.NewServer(page)
	defer friend.Close()
	defer other.Close()
	address := viewed(t, file, "--profiler", friend.URL)
	tab := browsertest.Open(t, 800, 600)
	tab.Do(chromedp.Navigate(address))
	tab.Until("window.answer")
	if got, want := browsertest.Eval[string](tab, "window.answer"), "partition | stmdb\tsp!, {r3, r4, r5, r6, r7, r8, r9, sl, fp, lr} | true | true"; got != want {
		t.Errorf("the page got %q, want %q", got, want)
	}
	tab.Do(chromedp.Navigate(strings.Replace(address, friend.URL, other.URL, 1)))
	tab.Until("window.answer")
	if got := browsertest.Eval[string](tab, "window.answer"); !strings.HasPrefix(got, "refused: ") {
		t.Errorf("another page got %q", got)
	}
	tab.Forget() // the browser complains of what it kept from that page
}
