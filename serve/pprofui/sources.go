package pprofui

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/symbol"
)

// notHere ends the names of files that pprof must not look for: it would open any path of this machine that a profile
// names.
const notHere = " (not at hand)"

// sources are copies of the files that may be shown.
type sources struct {
	dir    string
	copied map[string]bool // by the names that the profile has for them
}

// copySources writes the sources that may be shown into dir.
func copySources(p *profile.Profile, program *symbol.Program, dir string) (sources, error) {
	s := sources{dir, map[string]bool{}}
	for file, text := range namedSources(p, program) {
		to := filepath.Join(dir, inside(file))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return s, fmt.Errorf("pprofui: %w", err)
		}
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			return s, fmt.Errorf("pprofui: %w", err)
		}
		s.copied[file] = true
	}
	return s, os.MkdirAll(dir, 0o700)
}

// name is what pprof gets to see of a file: the path of its copy.
func (s sources) name(file string) string {
	switch {
	case file == "":
		return ""
	case s.copied[file]:
		return filepath.Join(s.dir, inside(file))
	}
	return filepath.Join(s.dir, inside(file)) + notHere
}

// shown is the profile with these names.
func (s sources) shown(p *profile.Profile) *profile.Profile {
	out := *p
	out.Functions = slices.Clone(p.Functions)
	for i := range out.Functions {
		out.Functions[i].File = s.name(out.Functions[i].File)
	}
	return &out
}

// namedSources are the texts that may be shown: those in the profile, and those that the debug information names where
// a frame is.
func namedSources(p *profile.Profile, program *symbol.Program) map[string]string {
	texts := map[string]string{}
	for file, text := range p.Sources {
		texts[file] = text
	}
	for i := range p.Frames {
		f := &p.Frames[i]
		file := p.Functions[f.Function].File
		if _, ok := texts[file]; ok || file == "" || program == nil || f.Addr == 0 {
			continue
		}
		if text, ok := program.SourceAt(f.Addr, file); ok {
			texts[file] = text
		}
	}
	return texts
}

// inside is a path of any system as one below a folder, which it never leaves.
func inside(file string) string {
	file = strings.ReplaceAll(strings.ReplaceAll(file, `\`, "/"), "\x00", "")
	return filepath.FromSlash(strings.ReplaceAll(strings.TrimPrefix(path.Clean("/"+file), "/"), ":", ""))
}
