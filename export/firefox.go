package export

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"

	"github.com/mprof/mprof/profile"
)

// The processed format of the Firefox Profiler (firefox-devtools/profiler,
// src/types/profile.ts). Version 64 is the oldest that keeps sources' content
// and counters' display; the site upgrades older files and refuses newer ones
// than itself.
const (
	firefoxGeckoVersion     = 36
	firefoxProcessedVersion = 64
)

// firefoxProfile is the file.
type firefoxProfile struct {
	Meta     firefoxMeta      `json:"meta"`
	Libs     []firefoxLib     `json:"libs"`
	Pages    []struct{}       `json:"pages"`
	Counters []firefoxCounter `json:"counters"`
	Threads  []firefoxThread  `json:"threads"`
	Shared   firefoxShared    `json:"shared"`
	Record   *record          `json:"mprof"` // for mprof to read the file
}

// WriteFirefox writes the processed format of the Firefox Profiler as JSON. It
// opens in profiler.firefox.com without a server, and in samply load, whose
// symbol server finds the ELF again by the entry in libs.
func WriteFirefox(w io.Writer, p *profile.Profile) error {
	if err := p.Check(); err != nil {
		return err
	}
	shared := newFirefoxShared(p)
	file := firefoxProfile{
		Meta:    newFirefoxMeta(p),
		Libs:    shared.libs,
		Pages:   []struct{}{},
		Threads: newFirefoxThreads(p, shared),
	}
	file.Counters = newFirefoxCounters(p)
	file.Shared = shared.firefoxShared
	file.Record = newRowsRecord(p)
	b := bufio.NewWriter(w)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(&file); err != nil {
		return err
	}
	return b.Flush()
}

// stringTable interns the strings of a file.
type stringTable struct {
	list  []string
	index map[string]int
}

func (t *stringTable) add(s string) int {
	i, ok := t.index[s]
	if !ok {
		i = len(t.list)
		if t.index == nil {
			t.index = map[string]int{}
		}
		t.index[s] = i
		t.list = append(t.list, strings.ToValidUTF8(s, "\uFFFD"))
	}
	return i
}
