package symbol

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxSource bounds one source file, in bytes: profiles carry their sources.
const maxSource = 4 << 20

// sourceExtensions are those of files that compilers name in line tables. An
// ELF can name any file of the reader's disk; only sources are opened.
var sourceExtensions = []string{".c", ".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".inc", ".ipp", ".tcc", ".def",
	".s", ".sx", ".asm", ".rs", ".zig", ".d", ".ada", ".adb", ".ads", ".go", ".nim", ".swift", ".m", ".f", ".f90", ".ino", ".y", ".l"}

// Source reads a source file by the name that a Location gives it. A name
// that is not absolute is tried as it is and from the folder of the image. It
// is false where no such regular text file is there.
func (im *Image) Source(file string) (string, bool) {
	if file == "" || !slices.Contains(sourceExtensions, strings.ToLower(filepath.Ext(file))) {
		return "", false
	}
	if im.source != nil {
		return im.source(file)
	}
	try := []string{file}
	if !isAbs(file) {
		try = append(try, filepath.Join(filepath.Dir(im.path), file))
	}
	for _, path := range try {
		if s, ok := readText(path); ok {
			return s, true
		}
	}
	return "", false
}

// SetSource replaces the reader of source files: of a program that has no files. It is called before any other method.
func (im *Image) SetSource(read func(file string) (string, bool)) { im.source = read }

func readText(path string) (string, bool) {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxSource {
		return "", false
	}
	p, err := os.ReadFile(path)
	if err != nil || strings.IndexByte(string(p), 0) >= 0 {
		return "", false
	}
	if !utf8.Valid(p) {
		return strings.ToValidUTF8(string(p), "\uFFFD"), true
	}
	return string(p), true
}

// HasDWARF tells whether the image has debug information with line tables. It
// looks at section names only.
func (im *Image) HasDWARF() bool {
	return im.hasDebug("info") && im.hasDebug("line")
}

func (im *Image) hasDebug(name string) bool {
	for _, prefix := range []string{".debug_", ".zdebug_"} {
		if s := im.file.Section(prefix + name); s != nil && s.Size > 0 {
			return true
		}
	}
	return false
}

// Remarks says what the image lacks for a good profile and how to get it, and
// which of its debug information turned out to be damaged so far.
func (im *Image) Remarks() []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	info, line := im.hasDebug("info"), im.hasDebug("line")
	functions := len(im.symbols.functions)
	switch {
	case functions == 0 && !info:
		say("stripped ELF: it has neither a symbol table nor debug information, so functions are shown by address; use the ELF as linked, before strip or objcopy")
	case functions == 0:
		say("no symbol table: functions come from the debug information; use the ELF as linked, before strip")
	case !info && !line:
		say("no DWARF line information: functions come from the symbol table, without files, lines and inlined calls; compile with -g (it does not change the code) and do not strip")
	case !line:
		say("no DWARF line information (.debug_line is missing): functions have no lines; compile with -g")
	case !info:
		say("no .debug_info: functions come from the symbol table, without inlined calls; compile with -g")
	}
	if im.buildID == nil && im.file.Section(".text") == nil {
		say("no build id and no section named .text: `samply load` cannot match this ELF to a profile; link with -Wl,--build-id")
	}
	im.mu.Lock()
	defer im.mu.Unlock()
	if im.debugErr != nil {
		say("damaged DWARF, functions come from the symbol table: %v", im.debugErr)
	}
	if im.debug != nil {
		for _, f := range im.debug.faults {
			say("damaged DWARF: %s", f)
		}
	}
	return out
}

// SourceAt is Source for who may be told nothing but what belongs to a piece of code: false, too, where the debug
// information does not name the file at pc.
func (im *Image) SourceAt(pc uint32, file string) (string, bool) {
	for _, l := range im.Lookup(pc) {
		if file != "" && (l.File == file || l.CallFile == file) {
			return im.Source(file)
		}
	}
	return "", false
}
