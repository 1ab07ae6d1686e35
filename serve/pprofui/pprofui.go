// Package pprofui is pprof's own web interface (github.com/google/pprof, package driver), offline. In: a profile, and the
// program that it is of. Out: a handler of its pages. pprof runs no tool of the host but dot, for the graph, and
// opens no source but copies of those that the profile carries, or that the debug information names where its samples are.
package pprofui

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/google/pprof/driver"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/symbol"
)

// UI is the pages, and the files behind them.
type UI struct {
	dir      string
	handlers map[string]http.Handler
}

// one at a time: pprof keeps its configuration in variables.
var one sync.Mutex

// New prepares the pages. program is nil where no ELF file is at hand: there is no machine code then. log gets what pprof
// says. Close removes the files.
func New(p *profile.Profile, program *symbol.Program, log func(string)) (*UI, error) {
	dir, err := os.MkdirTemp("", "mprof-pprof-")
	if err != nil {
		return nil, fmt.Errorf("pprofui: %w", err)
	}
	ui := &UI{dir: dir}
	if err := ui.start(p, program, log); err != nil {
		return nil, errors.Join(err, ui.Close())
	}
	return ui, nil
}

func (ui *UI) start(p *profile.Profile, program *symbol.Program, log func(string)) error {
	files, err := copySources(p, program, filepath.Join(ui.dir, "sources"))
	if err != nil {
		return err
	}
	file := filepath.Join(ui.dir, "profile.pb.gz")
	if err := export.Write(file, func(w io.Writer) error { return export.WritePprof(w, files.shown(p)) }); err != nil {
		return err
	}
	one.Lock()
	defer one.Unlock()
	err = driver.PProf(&driver.Options{
		// The address is for messages alone: HTTPServer opens none.
		Flagset:    newFlags("-http=127.0.0.1:1", "-no_browser", "-symbolize=none", "-source_path="+files.dir, "-trim_path=/", file),
		Obj:        objects{program, files},
		UI:         messages{log},
		HTTPServer: func(a *driver.HTTPServerArgs) error { ui.handlers = a.Handlers; return nil },
	})
	if err == nil && ui.handlers == nil {
		err = errors.New("no pages")
	}
	if err != nil {
		return fmt.Errorf("pprofui: %w", err)
	}
	ui.handlers["/download"] = download(p)
	return nil
}

// download sends the profile with the names of files as they are.
func download(p *profile.Profile) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		var file bytes.Buffer
		if err := export.WritePprof(&file, p); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/vnd.google.protobuf+gzip")
		w.Header().Set("Content-Disposition", "attachment; filename=profile.pb.gz")
		_, _ = w.Write(file.Bytes())
	})
}

// Close removes the copies of profile and sources.
func (ui *UI) Close() error { return os.RemoveAll(ui.dir) }

// policy is what pprof's pages need: their scripts and styles stand in them. They ask for nothing elsewhere.
const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP answers with pprof's pages: /flamegraph, /top, /graph, /source, /disasm, /peek, /download.
func (ui *UI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := ui.handlers[r.URL.Path]
	if h == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Security-Policy", policy)
	h.ServeHTTP(w, r)
}

// flags are the command line that pprof gets.
type flags struct {
	*flag.FlagSet
	args []string
}

func newFlags(args ...string) *flags {
	f := &flags{flag.NewFlagSet("pprof", flag.ContinueOnError), args}
	f.SetOutput(io.Discard)
	return f
}

func (f *flags) StringList(name, def, usage string) *[]*string {
	return &[]*string{f.String(name, def, usage)}
}

func (f *flags) ExtraUsage() string { return "" }

func (f *flags) AddExtraUsage(string) {}

func (f *flags) Parse(usage func()) []string {
	if err := f.FlagSet.Parse(f.args); err != nil {
		usage()
		return nil
	}
	return f.Args()
}

// messages are what pprof says: its errors are told, the rest is about a terminal that is not here.
type messages struct{ log func(string) }

func (m messages) ReadLine(string) (string, error) { return "", io.EOF }

func (m messages) Print(...any) {}

func (m messages) PrintErr(args ...any) {
	if m.log != nil {
		m.log(strings.TrimSpace(fmt.Sprint(args...)))
	}
}

func (m messages) IsTerminal() bool { return false }

func (m messages) WantBrowser() bool { return false }

func (m messages) SetAutoComplete(func(string) string) {}
