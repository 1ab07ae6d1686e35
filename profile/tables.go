package profile

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// tables interns the rows of a profile: every function, symbol, frame and
// stack stands in it once, in the order of first use.
type tables struct {
	profile   *Profile
	functions map[functionKey]FunctionIndex
	symbols   map[Symbol]SymbolIndex
	frames    map[Frame]FrameIndex
	stacks    map[Stack]StackIndex
	places    []uint32 // by function: address of the first body seen
}

// functionKey says which functions are one: the name and place of definition,
// whatever path spells the file. Without a place, the address.
type functionKey struct {
	name, file string
	line       int
	low        uint32
	label      bool
}

func newTables(p *Profile) tables {
	return tables{profile: p, functions: map[functionKey]FunctionIndex{}, symbols: map[Symbol]SymbolIndex{},
		frames: map[Frame]FrameIndex{}, stacks: map[Stack]StackIndex{}}
}

// function interns f, whose code is at low.
func (t *tables) function(f Function, low uint32) FunctionIndex {
	if f.Name == "" {
		f.Name = fmt.Sprintf("0x%08x", low)
	}
	key := functionKey{name: f.Name, line: f.Line, label: f.Label}
	if f.File != "" {
		key.file = path.Clean(strings.ReplaceAll(f.File, `\`, "/"))
	} else if !f.Label {
		key.low = low
	}
	i, ok := t.functions[key]
	if !ok {
		i = FunctionIndex(len(t.profile.Functions))
		t.functions[key] = i
		t.profile.Functions = append(t.profile.Functions, f)
		t.places = append(t.places, low)
	}
	return i
}

func (t *tables) symbol(s Symbol) SymbolIndex { return intern(t.symbols, &t.profile.Symbols, s) }

func (t *tables) frame(f Frame) FrameIndex { return intern(t.frames, &t.profile.Frames, f) }

func (t *tables) stack(prefix StackIndex, frame FrameIndex) StackIndex {
	return intern(t.stacks, &t.profile.Stacks, Stack{prefix, frame})
}

// intern returns the index of row, which it appends where it is new.
func intern[Row comparable, Index ~int32](known map[Row]Index, rows *[]Row, row Row) Index {
	i, ok := known[row]
	if !ok {
		i = Index(len(*rows))
		known[row] = i
		*rows = append(*rows, row)
	}
	return i
}

// uniqueNames tells functions of one name apart in the name itself: static
// functions of several files become "init (uart.c)" and "init (spi.c)".
// pprof and folded stacks know a function by its name only, and merge where
// the Firefox Profiler does not; so no two may share one.
func (t *tables) uniqueNames() {
	functions := t.profile.Functions
	same := map[string][]int{}
	taken := map[string]bool{}
	for i, f := range functions {
		same[f.Name] = append(same[f.Name], i)
		taken[f.Name] = true
	}
	for i := range functions {
		name := functions[i].Name
		group := same[name]
		if len(group) < 2 {
			continue
		}
		delete(same, name)
		delete(taken, name)
		for n, qualified := range t.qualify(name, group) {
			for taken[qualified] {
				qualified += "'"
			}
			taken[qualified] = true
			functions[group[n]].Name = qualified
		}
	}
}

// qualify names each function of the group differently: by the shortest tail
// of its file that is its own, its line, or its address.
func (t *tables) qualify(name string, group []int) []string {
	functions := t.profile.Functions
	for depth := 1; depth <= 8; depth++ {
		names := t.names(name, group, func(i int) string { return pathTail(functions[i].File, depth) })
		if distinct(names) {
			return names
		}
	}
	names := t.names(name, group, func(i int) string {
		return fmt.Sprintf("%s:%d", pathTail(functions[i].File, 1), functions[i].Line)
	})
	if distinct(names) {
		return names
	}
	return t.names(name, group, func(i int) string { return fmt.Sprintf("0x%08x", t.places[i]) })
}

// names appends what tell says to name; labels keep theirs where they can.
func (t *tables) names(name string, group []int, tell func(i int) string) []string {
	out := make([]string, len(group))
	for n, i := range group {
		switch where := tell(i); {
		case t.profile.Functions[i].Label:
			out[n] = name
		case where == "" || strings.HasPrefix(where, ":"):
			out[n] = fmt.Sprintf("%s (0x%08x)", name, t.places[i])
		default:
			out[n] = fmt.Sprintf("%s (%s)", name, where)
		}
	}
	return out
}

// pathTail is the last depth elements of a path of any host.
func pathTail(file string, depth int) string {
	elements := strings.FieldsFunc(file, func(r rune) bool { return r == '/' || r == '\\' })
	return strings.Join(elements[max(0, len(elements)-depth):], "/")
}

func distinct(names []string) bool {
	sorted := slices.Sorted(slices.Values(names))
	return len(slices.Compact(sorted)) == len(names)
}
