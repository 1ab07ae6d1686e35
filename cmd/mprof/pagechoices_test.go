package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mprof/mprof/serve/browsertest"
)

// TestPageSuggests: the form comes up with what the command line names, chosen in the list where it is there, and
// keeps what was typed for the other kind.
func TestPageSuggests(t *testing.T) {
	for _, c := range []struct {
		flag, value string
		listed      bool
	}{{"--probe", "sim", true}, {"--port", "sim", true}, {"--probe", "sim:debugprobe,unplug=2s", false}, {"--port", "tcp:localhost:1", false}} {
		p := openDrawn(t, c.flag, c.value)
		if c.listed {
			p.Until(`document.querySelector("#target").value === "` + c.value + `" && !document.querySelector(".form").classList.contains("typing")`)
			p.Leave()
			continue
		}
		typed := `document.querySelector("#typed").offsetParent !== null && document.querySelector("#typed").value === "` + c.value + `"`
		p.Until(typed)
		both := []string{"calls", "samples"}
		if c.flag == "--port" {
			both = []string{"samples", "calls"}
		}
		p.Click(`input[value="` + both[0] + `"]`)
		p.Until(`document.querySelector("#target").value === document.querySelector("#target").options[0].value`)
		p.Click(`input[value="` + both[1] + `"]`)
		p.Until(typed)
		p.Leave()
	}
}

// TestPageWaitsForTarget: a run that waits for its target can be stopped; then the form is back.
func TestPageWaitsForTarget(t *testing.T) {
	p := openDrawn(t, "--probe", "sim:debugprobe,unplug=2s", "--rate", "500")
	defer p.Leave()
	p.Click("#connect")
	p.phase("ready")
	p.Click("#start")
	p.phase("lost")
	p.Until(`document.querySelector(".phase").textContent === "Waiting for the target" && !document.querySelector("#stop").hidden && document.querySelector(".form").hidden`)
	p.Click("#stop")
	p.Until(`document.querySelector(".phase").textContent === "Ended by an error" && document.querySelector("#stop").hidden && !document.querySelector(".form").hidden`)
	p.equalsSaved()
}

// TestPageByContext: the flame graph by task or interrupt has the samples that the report of the saved file finds in each context.
func TestPageByContext(t *testing.T) {
	p := openDrawn(t, "--probe", "sim", "--rate", "1000")
	defer p.Leave()
	p.Click("#connect")
	p.phase("ready")
	p.Click("#start")
	p.grows("taken")
	p.Until(p.number("taken") + " > 3000")
	p.Click("#stop")
	p.phase("ready")
	file := filepath.Join(t.TempDir(), "saved.json.gz")
	if err := os.WriteFile(file, []byte(p.s.get("save?format=.json.gz")), 0o600); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{} // of what is not too narrow to be drawn
	var share float64
	for line := range strings.Lines(mprof(t.Context(), nil, "report", "--contexts", file).stdout) {
		if f := strings.Fields(strings.ReplaceAll(line, " %", "")); len(f) >= 7 && isShare(f[0], &share) {
			if share < 1 {
				continue
			}
			want[strings.TrimSuffix(strings.Join(f[6:], " "), " (interrupt)")] = f[2]
		} else if len(want) > 0 {
			break // the functions of each come next
		}
	}
	if want["SysTick"] == "" || len(want) < 3 {
		t.Fatalf("the report has %v", want)
	}
	choose := func(value string) {
		browsertest.Eval[bool](p.Tab, fmt.Sprintf(`(s => { s.value = %q; return s.dispatchEvent(new Event("change")); })(document.querySelector("#view-flame .contexts"))`, value))
	}
	choose("apart")
	for name, n := range want {
		count := fmt.Sprintf(`[...document.querySelectorAll("g.frame")].map(g => g.__data__).filter(d => d.depth === 1 && d.data.name === %q).map(d => d.data.value).join()`, name)
		p.Until(fmt.Sprintf("%s === %q", count, n))
	}
	choose("in SysTick")
	p.Until(fmt.Sprintf(`[...document.querySelectorAll("g.frame")].some(g => g.__data__.depth === 0 && g.__data__.data.value === %s)`, want["SysTick"]))
	p.Until(`[...document.querySelectorAll("g.frame")].every(g => !g.__data__.data.name.startsWith("<exception"))`)
}

func isShare(text string, percent *float64) bool {
	_, err := fmt.Sscan(text, percent)
	return err == nil
}
