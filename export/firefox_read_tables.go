package export

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mprof/mprof/profile"
)

// stackMap is where the rows of a table of stacks have gone.
type stackMap struct {
	stacks []profile.StackIndex
	idle   []bool // by stack: the innermost frame is one of sleep
}

// firefoxRows reads the tables of a file, or of one thread, into f.rows.
type firefoxRows struct {
	*firefoxReader
	t         *firefoxTables
	functions []profile.FunctionIndex
	function  []profile.Function
	frames    []profile.FrameIndex
	idle      []bool // by frame
}

func (f *firefoxReader) tables(t *firefoxTables) (*stackMap, error) {
	r := &firefoxRows{firefoxReader: f, t: t}
	err := errors.Join(checkRows(len(t.FuncTable.Name), "functions"), checkRows(len(t.FrameTable.Func), "frames"), checkRows(len(t.StackTable.Frame)+f.rows.Stacks(), "stacks"))
	if err != nil {
		return nil, err
	}
	if err := r.readFunctions(); err != nil {
		return nil, err
	}
	if err := r.readFrames(); err != nil {
		return nil, err
	}
	return r.readStacks()
}

// text is a string of the table.
func (r *firefoxRows) text(table string, row int, at int64) (string, error) {
	if at < 0 || at >= int64(len(r.t.StringArray)) {
		return "", fmt.Errorf("%s %d: string %s of %d", table, row, index(at), len(r.t.StringArray))
	}
	return r.t.StringArray[at], nil
}

// index prints an index of a column.
func index(v int64) string {
	if v == none {
		return "null"
	}
	return fmt.Sprint(v)
}

func (r *firefoxRows) readFunctions() error {
	labels := map[string]bool{}
	if r.record != nil {
		for _, name := range r.record.Labels {
			labels[name] = true
		}
	}
	for i, name := range r.t.FuncTable.Name {
		text, err := r.text("function", i, name)
		if err != nil {
			return err
		}
		f := profile.Function{Name: text, Line: line(r.t.FuncTable.LineNumber.at(i))}
		if f.File, err = r.fileOf(i); err != nil {
			return err
		}
		f.Label = labels[text] || r.record == nil && f.File == "" && isLabel(text)
		if f.Name == "" {
			f.Name, f.Label = "<no name>", true
		}
		r.function = append(r.function, f)
	}
	return r.linkages()
}

// linkages are the names in the symbol table of functions that are not inlined.
func (r *firefoxRows) linkages() error {
	for i, native := range r.t.FrameTable.NativeSymbol {
		f := r.t.FrameTable.Func.at(i)
		if native == none || f < 0 || f >= int64(len(r.function)) || r.t.FrameTable.InlineDepth.at(i) > 0 {
			continue
		}
		name, err := r.text("native symbol", int(native), r.t.NativeSymbols.Name.at(int(native)))
		if err != nil {
			return err
		}
		r.function[f].Linkage = name
	}
	for _, f := range r.function {
		r.functions = append(r.functions, r.rows.Function(f, 0))
	}
	return nil
}

// fileOf is the source file of a function, by either way of writing it.
func (r *firefoxRows) fileOf(function int) (string, error) {
	if at := r.t.FuncTable.FileName.at(function); at != none {
		return r.text("file of function", function, at)
	}
	source := r.t.FuncTable.Source.at(function)
	if source == none {
		return "", nil
	}
	name, err := r.text("source", int(source), r.t.Sources.Filename.at(int(source)))
	if err != nil {
		return "", err
	}
	if int(source) < len(r.t.Sources.Content) && r.t.Sources.Content[source] != "" {
		r.sources[name] = r.t.Sources.Content[source]
	}
	return name, nil
}

func (r *firefoxRows) readFrames() error {
	categories := r.categories()
	t := &r.t.FrameTable
	for i, fn := range t.Func {
		if fn < 0 || fn >= int64(len(r.functions)) {
			return fmt.Errorf("frame %d: function %s of %d", i, index(fn), len(r.functions))
		}
		frame := profile.Frame{
			Function: r.functions[fn], Symbol: profile.None, File: r.function[fn].File, Line: line(t.Line.at(i)), Col: line(t.Column.at(i)),
			Depth: line(t.InlineDepth.at(i)), Guessed: t.Subcategory.at(i) == subcategoryGuessed && r.guesses(t.Category.at(i)),
		}
		if c := t.Category.at(i); c >= 0 && c < int64(len(categories)) {
			frame.Category = categories[c]
		}
		if err := r.place(&frame, i); err != nil {
			return err
		}
		r.frames = append(r.frames, r.rows.Frame(frame))
		r.idle = append(r.idle, frame.Category == profile.Idle)
	}
	return nil
}

// line is a line, a column or a depth: 0 where it is none.
func line(v int64) int {
	if v < 0 || v > 1<<31-1 {
		return 0
	}
	return int(v)
}

// place finds the address and the symbol of a frame.
func (r *firefoxRows) place(frame *profile.Frame, i int) error {
	address, native := r.t.FrameTable.Address.at(i), r.t.FrameTable.NativeSymbol.at(i)
	if native != none && (native < 0 || native >= int64(len(r.t.NativeSymbols.Name))) {
		return fmt.Errorf("frame %d: native symbol %d of %d", i, native, len(r.t.NativeSymbols.Name))
	}
	if native != none {
		lib := r.t.NativeSymbols.LibIndex.at(int(native))
		if lib < 0 || lib >= int64(len(r.bases)) {
			return fmt.Errorf("native symbol %d: library %s of %d", native, index(lib), len(r.bases))
		}
		name, err := r.text("native symbol", int(native), r.t.NativeSymbols.Name.at(int(native)))
		if err != nil {
			return err
		}
		if base := r.bases[lib]; base.known {
			low := base.base + uint32(max(0, r.t.NativeSymbols.Address.at(int(native))))
			size := uint32(line(r.t.NativeSymbols.FunctionSize.at(int(native))))
			frame.Symbol = r.rows.Symbol(profile.Symbol{Name: strings.ToValidUTF8(name, "\uFFFD"), Low: low, High: max(low, low+size)})
			if address >= 0 && address <= 1<<32-1 {
				frame.Addr = base.base + uint32(address)
			}
		} else {
			r.dropped["addresses are relative to libraries of which nobody says where they lie (--elf): they are left out"] = true
		}
	}
	if r.record != nil && r.record.Frames != nil {
		if addrs := r.record.Frames.Addrs; len(addrs) == len(r.t.FrameTable.Func) {
			frame.Addr = addrs[i]
		}
		if l, ok := r.record.Frames.line(i); ok {
			frame.File, frame.Line, frame.Col = l.File, max(0, l.Line), max(0, l.Col)
		}
	}
	return nil
}

// categories are ours of those that the file lists.
func (r *firefoxRows) categories() (all []profile.Category) {
	for _, c := range r.file.Meta.Categories {
		category := profile.Thread
		for known := range profile.NumCategories {
			if c.Name == known.String() {
				category = known
			}
		}
		all = append(all, category)
	}
	return all
}

// guesses tells whether the second subcategory is that of guessed frames.
func (r *firefoxRows) guesses(category int64) bool {
	if category < 0 || category >= int64(len(r.file.Meta.Categories)) {
		return false
	}
	sub := r.file.Meta.Categories[category].Subcategories
	return len(sub) > subcategoryGuessed && sub[subcategoryGuessed] == "Guessed"
}

func (r *firefoxRows) readStacks() (*stackMap, error) {
	m := &stackMap{}
	depths := make([]int32, 0, len(r.t.StackTable.Frame))
	for i, frame := range r.t.StackTable.Frame {
		if frame < 0 || frame >= int64(len(r.frames)) {
			return nil, fmt.Errorf("stack %d: frame %s of %d", i, index(frame), len(r.frames))
		}
		caller, depth := profile.StackIndex(profile.None), int32(1)
		if prefix := r.t.StackTable.Prefix.at(i); prefix != none {
			if prefix < 0 || prefix >= int64(i) {
				return nil, fmt.Errorf("stack %d: its caller, stack %d, does not stand before it", i, prefix)
			}
			caller, depth = m.stacks[prefix], depths[prefix]+1
		}
		if depth > maxReadDepth {
			return nil, fmt.Errorf("stack %d has more than %d frames", i, maxReadDepth)
		}
		depths = append(depths, depth)
		m.stacks = append(m.stacks, r.rows.Stack(caller, r.frames[frame]))
		m.idle = append(m.idle, r.idle[frame])
	}
	return m, nil
}
