// Package export writes profiles for people and their viewers. In: a profile.
// Out: Firefox Profiler JSON, pprof, folded stacks, gprof's gmon.out, backtraces as text,
// speedscope, Chrome traces, Callgrind's call graph, flame graphs as a page or a picture, and
// a summary as text or JSON; and the way back, from files that mprof or others wrote.
package export

import (
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/mprof/mprof/profile"
)

// Format is one kind of file.
type Format struct {
	Name string // for people
	Ext  string // what the file name ends in, dots included
	// Write writes the whole file. The same profile gives the same bytes.
	Write func(w io.Writer, p *profile.Profile) error
	// Next is the command that shows such a file, %s for its path; "": gprof shows it, with the
	// program and what else was written.
	Next string
}

// Formats are all formats, the preferred extension of each first.
var Formats = []Format{
	{"Firefox Profiler, compressed", ".json.gz", compressed(WriteFirefox), "mprof view %s"},
	{"Firefox Profiler", ".json", WriteFirefox, "mprof view %s"},
	{"pprof", ".pb.gz", WritePprof, "mprof view --pprof %s"},
	{"pprof", ".pprof", WritePprof, "mprof view --pprof %s"},
	{"folded stacks", ".folded", WriteFolded, "flamegraph.pl %s > flame.svg"},
	{"folded stacks", ".txt", WriteFolded, "flamegraph.pl %s > flame.svg"},
	{"gprof, as gmon.out", GmonExt, WriteGmon, ""},
	{"symbols for gprof", symsExt, WriteGmonSymbols, ""},
	{"backtraces as text", ".perf", WritePerf, "gprof2dot -f perf %s | dot -Tsvg > calls.svg"},
	{"flame graph, a page of its own", ".html", WriteHTML, opener + " %s"},
	{"flame graph, a picture", ".svg", WriteSVG, opener + " %s"},
	{"Chrome trace, for Perfetto", ".trace.json", WriteChrome, "speedscope %s"},
	{"Chrome trace, compressed", ".trace.json.gz", compressed(WriteChrome), "speedscope %s"},
	{"Callgrind, as callgrind.out", callgrindExt, WriteCallgrind, "kcachegrind %s"},
	{"speedscope", ".speedscope.json", WriteSpeedscope, "speedscope %s"},
	{"speedscope, compressed", ".speedscope.json.gz", compressed(WriteSpeedscope), "speedscope %s"},
}

// compressed writes through gzip, without a time in the header.
func compressed(write func(w io.Writer, p *profile.Profile) error) func(w io.Writer, p *profile.Profile) error {
	return func(w io.Writer, p *profile.Profile) error {
		z := gzip.NewWriter(w)
		if err := write(z, p); err != nil {
			return err
		}
		return z.Close()
	}
}

// viewers are pages that open a file of such an extension without a program.
var viewers = []struct{ ext, page string }{
	{".speedscope.json", "https://www.speedscope.app"},
	{".trace.json", "https://ui.perfetto.dev"},
	{".json", "https://profiler.firefox.com"},
}

// viewer is the page that opens a file of that extension, "" where there is none.
func viewer(ext string) string {
	for _, v := range viewers {
		if strings.HasPrefix(ext, v.ext) {
			return v.page
		}
	}
	return ""
}

// opener is the command that opens a file in the program for its kind.
var opener = cmp.Or(map[string]string{"darwin": "open", "windows": "start"}[runtime.GOOS], "xdg-open")

// callgrindExt is the extension of a file for Callgrind's tools that has another name than theirs.
const callgrindExt = ".callgrind"

// GmonExt is the extension of a gmon.out that has another name.
const GmonExt = ".gmon"

const symsExt = ".syms"

// ByPath returns the format that the extension of path names, the longest where several do;
// gmon.out, gmon-1.out and the like
// are for gprof, callgrind.out.1234 for Callgrind's tools. "-" and device files such as /dev/stdout have none: they get folded
// stacks, which are text.
func ByPath(path string) (Format, error) {
	lower := strings.ToLower(filepath.Base(path))
	switch {
	case strings.HasPrefix(lower, "gmon") && strings.HasSuffix(lower, ".out"):
		lower = "gmon" + GmonExt
	case strings.HasPrefix(lower, "callgrind.out"): // callgrind.out.1234, too
		lower = "callgrind" + callgrindExt
	}
	var found *Format
	for i := range Formats {
		f := &Formats[i]
		if strings.HasSuffix(lower, f.Ext) && len(lower) > len(f.Ext) && (found == nil || len(f.Ext) > len(found.Ext)) {
			found = f
		}
	}
	if found != nil {
		return *found, nil
	}
	if isStream(path) {
		for _, f := range Formats {
			if f.Ext == ".folded" {
				return f, nil
			}
		}
	}
	return Format{}, fmt.Errorf("export: %s: the extension names no known format; use one of %s", path, knownExtensions())
}

func knownExtensions() string {
	var known []string
	for _, f := range Formats {
		known = append(known, fmt.Sprintf("%s (%s)", f.Ext, f.Name))
	}
	return strings.Join(known, ", ")
}
