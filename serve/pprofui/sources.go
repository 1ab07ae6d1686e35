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

// sources are copies of the files that may be shown, where pprof finds them first: it takes the slash off a name
// (-trim_path) and looks below the folder (-source_path), then below the folders around that.
type sources struct {
	dir    string
	copied map[string]string // what pprof is told, by the names that the profile has for them
}

// copySources writes the sources that may be shown into dir.
func copySources(p *profile.Profile, program *symbol.Program, dir string) (sources, error) {
	s := sources{dir, map[string]string{}}
	for file, text := range namedSources(p, program) {
		to, name := filepath.Join(dir, strings.TrimPrefix(file, "/")), file
		if !plain(file) {
			to = filepath.Join(dir, "other", inside(file))
			name = to
		}
		// One that cannot be written is not at hand: a folder has its name, say.
		if os.MkdirAll(filepath.Dir(to), 0o700) == nil && os.WriteFile(to, []byte(text), 0o600) == nil {
			s.copied[file] = name
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return s, fmt.Errorf("pprofui: %w", err)
	}
	return s, nil
}

// plain tells whether a name leads below a folder that it is appended to, by the shortest way.
func plain(file string) bool {
	return filepath.IsLocal(strings.TrimPrefix(file, "/")) && path.Clean(file) == file && !filepath.IsAbs(strings.TrimPrefix(file, "/"))
}

// name is what pprof is told of a file.
func (s sources) name(file string) string {
	if file == "" {
		return ""
	}
	if name, ok := s.copied[file]; ok {
		return name
	}
	return file + notHere
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
