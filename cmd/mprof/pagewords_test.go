package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestPageWords: what mprof says to its command line comes to the page in the words of its form.
func TestPageWords(t *testing.T) {
	p := openDrawn(t, "--probe", "sim:none")
	defer p.Leave()
	p.Click("#connect")
	p.Until(`/^Probe sim:none: there is no simulated probe/.test(document.querySelector(".notice.bad p")?.textContent)`)
	p.Type("#typed", "sim:debugprobe")
	p.Type("#rate", "50000")
	p.Click("#connect")
	p.Until(`/^Rate 50000: .*Method pcsr goes on to/.test(document.querySelector(".notice.bad p")?.textContent)`)
	p.Type("#typed", "sim:debugprobe,pins-off=1ms")
	p.Type("#rate", "500")
	p.Type("#elf", "nowhere.elf")
	p.Click("#connect")
	p.Until(`/^Open nowhere.elf: /.test(document.querySelector(".notice.bad p")?.textContent)`)
	p.Type("#elf", " ")
	p.Click("#connect")
	p.Until(`/--speed .*--connect-under-reset\. \(--speed and --connect-under-reset are options of mprof serve\.\)$/.test(document.querySelector(".notice.bad .hint")?.textContent)`)
}

// TestPageWordsOfFlags: what the page calls an option of mprof serve is one.
func TestPageWordsOfFlags(t *testing.T) {
	source, err := os.ReadFile("../../serve/page/src/page/words.ts")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`const options = \[(.*)\];`).FindSubmatch(source)
	if line == nil {
		t.Fatal("words.ts lists no options")
	}
	flags := (&app{}).serveCommand().Flags()
	for name := range strings.SplitSeq(strings.ReplaceAll(string(line[1]), `"`, ""), ", ") {
		if flags.Lookup(name) == nil {
			t.Errorf("mprof serve has no --%s", name)
		}
	}
}
