package fit

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/mprof/mprof/symbol"
)

// LinkMap is what the map file of GNU ld says of input sections of code.
type LinkMap struct {
	sections []inputSection    // by address
	files    map[string]string // by object: its pattern
}

// inputSection is a piece of an object file, where the linker put it.
type inputSection struct {
	symbol.Range
	name   string // .text.f
	object string // as the linker names it: main.o, or libc.a(memcpy.o)
}

// maxMapLine and maxMapSections bound what a damaged file can ask for.
const (
	maxMapLine     = 1 << 16
	maxMapSections = 1 << 18
	longestName    = 255 // of a file
)

// ReadMap reads what GNU ld writes with -Map: lines of a section's name, which
// may stand alone where it is long, its address, its size and its file.
func ReadMap(r io.Reader) (*LinkMap, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxMapLine)
	m := &LinkMap{}
	begun, name := false, ""
	for lines.Scan() {
		line := lines.Text()
		begun = begun || strings.HasPrefix(line, "Linker script and memory map")
		if !begun {
			continue // what was discarded comes before
		}
		fields := strings.Fields(line)
		if strings.HasPrefix(line, " .") && len(fields) > 0 {
			name, fields = fields[0], fields[1:]
		} else if !strings.HasPrefix(line, "  ") {
			name = ""
		}
		if name == "" || len(fields) < 3 {
			continue
		}
		if s, ok := section(name, fields); ok {
			if len(m.sections) == maxMapSections {
				return nil, fmt.Errorf("fit: map: more than %d sections", maxMapSections)
			}
			m.sections = append(m.sections, s)
		}
		name = ""
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("fit: map: %w", err)
	}
	if len(m.sections) == 0 {
		return nil, errors.New("fit: map: no input sections: it is what GNU ld writes with -Map=FILE")
	}
	slices.SortStableFunc(m.sections, func(a, b inputSection) int { return cmp.Compare(a.Low, b.Low) })
	m.nameFiles()
	return m, nil
}

// section reads "0x08000000 0x24 build/main.o".
func section(name string, fields []string) (inputSection, bool) {
	at, err := strconv.ParseUint(fields[0], 0, 32)
	size, err2 := strconv.ParseUint(fields[1], 0, 32)
	if err != nil || err2 != nil || size == 0 || at+size > 1<<32-1 || !strings.HasPrefix(fields[1], "0x") {
		return inputSection{}, false
	}
	return inputSection{symbol.Range{Low: uint32(at), High: uint32(at + size)}, name, strings.Join(fields[2:], " ")}, true
}

// at is the section around addr. Debug sections stand at 0 and beyond, so of
// several the one whose name begins with .text, then the last.
func (m *LinkMap) at(addr uint32) (inputSection, bool) {
	end := sort.Search(len(m.sections), func(i int) bool { return m.sections[i].Low > addr })
	for i := end - 1; i >= max(0, end-64); i-- {
		if s := m.sections[i]; s.Contains(addr) && !strings.HasPrefix(s.name, ".debug") && !strings.HasPrefix(s.name, ".comment") {
			return s, true
		}
	}
	return inputSection{}, false
}

// pattern names a section for a linker script.
func (m *LinkMap) pattern(s inputSection) string {
	return fmt.Sprintf("%s(%s)", m.files[s.object], s.name)
}

// nameFiles finds a pattern for each file: its name without folders where that is the
// end of no other's, and ARCHIVE:MEMBER for one of an archive (ld manual, "Input Section
// Basics").
func (m *LinkMap) nameFiles() {
	m.files = map[string]string{}
	for _, s := range m.sections {
		m.files[s.object] = ""
	}
	ends := map[string]int{} // files by each end of their names
	for object := range m.files {
		name := base(object)
		for i := range min(len(name), longestName) {
			ends[name[i:]]++
		}
	}
	for object := range m.files {
		archive, member, ok := strings.Cut(strings.TrimSuffix(object, ")"), "(")
		switch temporary := anyTemporary(object); {
		case temporary != "":
			m.files[object] = "*" + temporary
		case ok:
			m.files[object] = fmt.Sprintf("*%s:%s", base(archive), member)
		case ends[base(object)] > 1, len(base(object)) > longestName:
			m.files[object] = object
		default:
			m.files[object] = "*" + base(object)
		}
	}
}

// Temporary objects of compilers that compile and link in one go, and of link-time
// optimisation: GCC's /tmp/ccXXXXXX.o and ccXXXXXX.ltrans0.ltrans.o, clang's
// /tmp/name-xxxxxx.o. The next build calls them otherwise.
var temporaryObject = regexp.MustCompile(`^/.*/(?:(cc)[A-Za-z0-9]{6}|(.+-)[0-9a-f]{6})((?:\.ltrans[0-9]*)*\.o)$`)

// anyTemporary is the name of a temporary object with what differs left open; "": it
// is none.
func anyTemporary(object string) string {
	m := temporaryObject.FindStringSubmatch(object)
	if m == nil {
		return ""
	}
	return m[1] + m[2] + "??????" + m[3]
}

func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }
