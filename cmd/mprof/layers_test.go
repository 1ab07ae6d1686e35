package main

import (
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/mprof/mprof/"

// layers is the map of docs/architecture.md: what a package may import of
// ours. A folder's entry holds for the packages below it that have none of
// their own. cmd/mprof may import anything.
var layers = map[string][]string{
	"probe":                         {"schedule"},
	"probe/usb":                     {"probe"},
	"probe/tcp":                     {"probe"},
	"probe/probetest":               {"probe"},
	"snapshot":                      {},
	"snapshot/core":                 {"snapshot"},
	"symbol":                        {},
	"unwind":                        {"snapshot"},
	"cortexm/romtable":              {},
	"schedule":                      {},
	"cortexm":                       {"probe", "snapshot", "schedule", "cortexm/romtable"},
	"cortexm/check":                 {"cortexm", "probe", "schedule", "snapshot"},
	"profile":                       {"unwind", "symbol", "snapshot"},
	"export":                        {"profile", "unwind", "symbol", "snapshot", "gmon", "serve/page/flame"},
	"trace":                         {},
	"trace/uart":                    {},
	"trace/calls":                   {"trace", "profile", "symbol"},
	"sim":                           {"probe", "sim"},
	"firmware":                      {},
	"gdbremote":                     {"snapshot", "schedule"},
	"gmon":                          {},
	"gmon/tftp":                     {},
	"gmon/counters":                 {"gmon"},
	"placement":                     {},
	"placement/fit":                 {"placement", "profile", "symbol", "snapshot"},
	"disasm":                        {},
	"disasm/listing":                {"disasm", "symbol"},
	"live":                          {"profile", "symbol", "snapshot", "trace", "trace/calls"},
	"session":                       {"session/target", "session/sampling", "session/tracing", "live", "profile", "export", "symbol", "snapshot", "probe", "probe/usb", "sim", "trace", "trace/uart"},
	"session/target":                {"cortexm", "gdbremote", "probe", "probe/tcp", "probe/usb", "snapshot", "symbol", "unwind", "trace/uart", "sim", "firmware/demo", "firmware/examples"},
	"session/sampling":              {"session/target", "live", "cortexm", "gdbremote", "probe", "schedule", "snapshot", "symbol", "unwind", "profile", "trace/uart", "firmware/demo"},
	"session/tracing":               {"session/target", "live", "profile", "symbol", "trace", "trace/calls", "firmware/examples"},
	"session/backtrace":             {"session/sampling", "session/target", "profile", "snapshot", "snapshot/core", "symbol", "unwind"},
	"session/counting":              {"session/target", "cortexm", "gdbremote", "gmon", "gmon/counters", "gmon/tftp", "probe", "schedule", "symbol", "trace"},
	"session/counting/countingtest": {"gmon/counters", "sim", "symbol"},
	"serve":                         {},
	"serve/page":                    {"serve", "session", "live", "profile", "export"},
	"serve/page/flame":              {},
	"serve/browsertest":             {},
	"serve/page/pagetest":           {"serve", "serve/page", "serve/page/pagetest", "session", "live", "profile", "snapshot", "symbol", "unwind", "trace", "trace/calls"},
	"top":                           {"live", "export", "profile"},
	"serve/symbols":                 {"disasm", "disasm/listing", "symbol"},
	"serve/pprofui":                 {"disasm", "disasm/listing", "export", "profile", "symbol"},
	"report":                        {"disasm", "disasm/listing", "export", "profile", "symbol", "unwind", "snapshot"},
	"diff":                          {"profile", "export", "snapshot"},
}

// only lists the modules that a single package may import.
var only = map[string]string{
	"github.com/HdrHistogram/hdrhistogram-go": "trace/calls",
	"github.com/creack/pty":                   "cmd/mprof",
	"charm.land/bubbletea":                    "top",
	"github.com/charmbracelet/x/ansi":         "top",
	"github.com/coder/websocket":              "serve/page",
	"github.com/google/gousb":                 "probe/usb",
	"github.com/google/pprof/profile":         "export",
	"github.com/google/pprof/driver":          "serve/pprofui",
	"github.com/pin/tftp":                     "gmon/tftp",
	"github.com/pkg/browser":                  "serve",
	"github.com/spf13/cobra":                  "cmd/mprof",
	"go.bug.st/serial":                        "trace/uart",
}

type listedPackage struct {
	ImportPath string
	Imports    []string
}

func listPackages(t *testing.T) []listedPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []listedPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listedPackage
		if err := d.Decode(&p); err == io.EOF {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// allowedFor finds the entry of the longest folder around a package.
func allowedFor(pkg string) ([]string, bool) {
	for dir := pkg; ; {
		if allowed, ok := layers[dir]; ok {
			return allowed, true
		}
		i := strings.LastIndexByte(dir, '/')
		if i < 0 {
			return nil, false
		}
		dir = dir[:i]
	}
}

// TestImportsPointDown holds the arrows of docs/architecture.md.
func TestImportsPointDown(t *testing.T) {
	packages := listPackages(t)
	if len(packages) < len(layers) {
		t.Fatalf("go list found %d packages, want at least %d", len(packages), len(layers))
	}
	for _, p := range packages {
		pkg := strings.TrimPrefix(p.ImportPath, module)
		allowed, known := allowedFor(pkg)
		if !known && !strings.HasPrefix(pkg, "cmd/") {
			t.Errorf("%s is not on the map of layers", pkg)
			continue
		}
		for _, imported := range p.Imports {
			checkOnly(t, pkg, imported)
			ours, isOurs := strings.CutPrefix(imported, module)
			if !isOurs || strings.HasPrefix(pkg, "cmd/") {
				continue
			}
			if !slices.ContainsFunc(allowed, func(a string) bool { return ours == a || a == "sim" && strings.HasPrefix(ours, "sim/") }) {
				t.Errorf("%s imports %s; it may import only %v", pkg, ours, allowed)
			}
		}
	}
}

func checkOnly(t *testing.T, pkg, imported string) {
	t.Helper()
	for mod, owner := range only {
		if (imported == mod || strings.HasPrefix(imported, mod+"/")) && pkg != owner {
			t.Errorf("%s imports %s, which is %s's alone", pkg, imported, owner)
		}
	}
}
