package export

import (
	"path"
	"strings"

	"github.com/mprof/mprof/profile"
)

// firefoxShared holds the tables that all threads refer to. A table is a set
// of columns of the same length; null is a nil pointer.
type firefoxShared struct {
	StringArray    []string             `json:"stringArray"`
	StackTable     firefoxStacks        `json:"stackTable"`
	FrameTable     firefoxFrames        `json:"frameTable"`
	FuncTable      firefoxFuncs         `json:"funcTable"`
	ResourceTable  firefoxResources     `json:"resourceTable"`
	NativeSymbols  firefoxNativeSymbols `json:"nativeSymbols"`
	Sources        firefoxSources       `json:"sources"`
	SourceLocation firefoxSourcePlaces  `json:"sourceLocationTable"`
}

type firefoxStacks struct {
	Length int    `json:"length"`
	Frame  []int  `json:"frame"`
	Prefix []*int `json:"prefix"`
}

type firefoxFrames struct {
	Length           int         `json:"length"`
	Address          []int64     `json:"address"`
	InlineDepth      []int       `json:"inlineDepth"`
	Category         []int       `json:"category"`
	Subcategory      []int       `json:"subcategory"`
	Func             []int       `json:"func"`
	NativeSymbol     []*int      `json:"nativeSymbol"`
	InnerWindowID    []int       `json:"innerWindowID"`
	Line             []*int      `json:"line"`
	Column           []*int      `json:"column"`
	OriginalLocation []*struct{} `json:"originalLocation"`
}

type firefoxFuncs struct {
	Length           int         `json:"length"`
	Name             []int       `json:"name"`
	IsJS             []bool      `json:"isJS"`
	RelevantForJS    []bool      `json:"relevantForJS"`
	Resource         []int       `json:"resource"`
	Source           []*int      `json:"source"`
	LineNumber       []*int      `json:"lineNumber"`
	ColumnNumber     []*int      `json:"columnNumber"`
	OriginalLocation []*struct{} `json:"originalLocation"`
}

type firefoxResources struct {
	Length int    `json:"length"`
	Lib    []int  `json:"lib"`
	Name   []int  `json:"name"`
	Host   []*int `json:"host"`
	Type   []int  `json:"type"`
}

type firefoxNativeSymbols struct {
	Length       int      `json:"length"`
	LibIndex     []int    `json:"libIndex"`
	Address      []uint32 `json:"address"`
	Name         []int    `json:"name"`
	FunctionSize []uint32 `json:"functionSize"`
}

type firefoxSources struct {
	Length       int       `json:"length"`
	ID           []*string `json:"id"`
	Filename     []int     `json:"filename"`
	StartLine    []int     `json:"startLine"`
	StartColumn  []int     `json:"startColumn"`
	SourceMapURL []*int    `json:"sourceMapURL"`
	Content      []*string `json:"content"`
}

type firefoxSourcePlaces struct {
	Length int   `json:"length"`
	Source []int `json:"source"`
	Line   []int `json:"line"`
	Column []int `json:"column"`
}

// sharedTables fills firefoxShared from the tables of a profile, row by row.
type sharedTables struct {
	firefoxShared
	libs    []firefoxLib
	profile *profile.Profile
	strings stringTable
	sources map[string]int
	natives []*int // by profile.SymbolIndex
}

func newFirefoxShared(p *profile.Profile) *sharedTables {
	t := &sharedTables{profile: p, libs: firefoxLibs(p.Mappings()), sources: map[string]int{}}
	t.ResourceTable = firefoxResources{Lib: []int{}, Name: []int{}, Host: []*int{}, Type: []int{}}
	t.SourceLocation = firefoxSourcePlaces{Source: []int{}, Line: []int{}, Column: []int{}}
	const resourceTypeLibrary = 1
	for i, lib := range t.libs {
		r := &t.ResourceTable
		r.Length++
		r.Lib, r.Name = append(r.Lib, i), append(r.Name, t.strings.add(lib.Name))
		r.Host, r.Type = append(r.Host, nil), append(r.Type, resourceTypeLibrary)
	}
	t.addNativeSymbols()
	t.addFuncs()
	t.addFrames()
	t.addStacks()
	return t
}

// finish hands the strings over; nothing may be added afterwards.
func (t *sharedTables) finish() { t.StringArray = append([]string{}, t.strings.list...) }

func (t *sharedTables) addNativeSymbols() {
	n := &t.NativeSymbols
	*n = firefoxNativeSymbols{LibIndex: []int{}, Address: []uint32{}, Name: []int{}, FunctionSize: []uint32{}}
	t.natives = make([]*int, len(t.profile.Symbols))
	for i, s := range t.profile.Symbols {
		addr, lib, ok := t.relative(s.Low)
		if !ok {
			continue
		}
		t.natives[i] = ptr(n.Length)
		n.Length++
		n.LibIndex = append(n.LibIndex, lib)
		n.Address = append(n.Address, addr)
		n.Name = append(n.Name, t.strings.add(s.Name))
		n.FunctionSize = append(n.FunctionSize, s.High-s.Low)
	}
}

func (t *sharedTables) addFuncs() {
	n := len(t.profile.Functions)
	t.FuncTable = firefoxFuncs{
		Name: make([]int, 0, n), IsJS: make([]bool, n), RelevantForJS: make([]bool, n), Resource: make([]int, 0, n),
		Source: make([]*int, 0, n), LineNumber: make([]*int, 0, n), ColumnNumber: make([]*int, n), OriginalLocation: make([]*struct{}, n),
	}
	t.Sources = firefoxSources{ID: []*string{}, Filename: []int{}, StartLine: []int{}, StartColumn: []int{}, SourceMapURL: []*int{}, Content: []*string{}}
	resources := t.resources()
	for i, f := range t.profile.Functions {
		resource := resources[i]
		if f.Label {
			resource = -1
		}
		c := &t.FuncTable
		c.Length++
		c.Name = append(c.Name, t.strings.add(f.Name))
		c.Resource = append(c.Resource, resource)
		c.Source = append(c.Source, t.source(f.File))
		c.LineNumber = append(c.LineNumber, positive(f.Line))
	}
}

// source interns a file; its content is in the profile where it was readable.
func (t *sharedTables) source(file string) *int {
	if file == "" {
		return nil
	}
	if i, ok := t.sources[file]; ok {
		return &i
	}
	c := &t.Sources
	i := c.Length
	t.sources[file] = i
	c.Length++
	c.ID = append(c.ID, nil)
	c.Filename = append(c.Filename, t.strings.add(file))
	c.StartLine = append(c.StartLine, 1)
	c.StartColumn = append(c.StartColumn, 1)
	c.SourceMapURL = append(c.SourceMapURL, nil)
	var content *string
	if text, ok := t.profile.Sources[file]; ok {
		content = &text
	}
	c.Content = append(c.Content, content)
	return &i
}

// addFrames writes frames one to one. A line is of the function's file in
// this format, so that of a frame which executes another file's line (code
// that #include brings into a function) is left out.
func (t *sharedTables) addFrames() {
	n := len(t.profile.Frames)
	t.FrameTable = firefoxFrames{
		Address: make([]int64, 0, n), InlineDepth: make([]int, 0, n), Category: make([]int, 0, n), Subcategory: make([]int, 0, n),
		Func: make([]int, 0, n), NativeSymbol: make([]*int, 0, n), InnerWindowID: make([]int, n), Line: make([]*int, 0, n),
		Column: make([]*int, 0, n), OriginalLocation: make([]*struct{}, n),
	}
	for _, f := range t.profile.Frames {
		address, native := int64(-1), (*int)(nil)
		if f.Addr != 0 {
			if addr, _, ok := t.relative(f.Addr); ok {
				address = int64(addr)
			}
		}
		if f.Symbol != profile.None && address >= 0 {
			native = t.natives[f.Symbol]
		}
		subcategory := 0
		if f.Guessed {
			subcategory = subcategoryGuessed
		}
		line, column := positive(f.Line), positive(f.Col)
		if !sameFile(f.File, t.profile.Functions[f.Function].File) {
			line, column = nil, nil
		}
		c := &t.FrameTable
		c.Length++
		c.Address = append(c.Address, address)
		c.InlineDepth = append(c.InlineDepth, f.Depth)
		c.Category = append(c.Category, int(f.Category))
		c.Subcategory = append(c.Subcategory, subcategory)
		c.Func = append(c.Func, int(f.Function))
		c.NativeSymbol = append(c.NativeSymbol, native)
		c.Line = append(c.Line, line)
		c.Column = append(c.Column, column)
	}
}

func sameFile(a, b string) bool {
	clean := func(s string) string { return path.Clean(strings.ReplaceAll(s, `\`, "/")) }
	return a == b || clean(a) == clean(b)
}

func (t *sharedTables) addStacks() {
	n := len(t.profile.Stacks)
	t.StackTable = firefoxStacks{Frame: make([]int, 0, n), Prefix: make([]*int, 0, n)}
	for _, s := range t.profile.Stacks {
		c := &t.StackTable
		c.Length++
		c.Frame = append(c.Frame, int(s.Frame))
		var prefix *int
		if s.Prefix != profile.None {
			prefix = ptr(int(s.Prefix))
		}
		c.Prefix = append(c.Prefix, prefix)
	}
}

func ptr[T any](v T) *T { return &v }

// positive is null for 0, which is no line.
func positive(v int) *int {
	if v <= 0 {
		return nil
	}
	return &v
}
