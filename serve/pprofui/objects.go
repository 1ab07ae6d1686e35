package pprofui

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/google/pprof/driver"

	"github.com/mprof/mprof/disasm"
	"github.com/mprof/mprof/disasm/listing"
	"github.com/mprof/mprof/symbol"
)

// objects are the images of the program, for pprof's listings of machine code.
type objects struct {
	program *symbol.Program
	files   sources
}

// errNoObject is a file that is not the program's: no other one is opened.
var errNoObject = errors.New("the ELF file is not at hand")

// Open finds an image by its path. Addresses are those of the target: nothing is relocated.
func (o objects) Open(file string, _, _, _ uint64, _ string) (driver.ObjFile, error) {
	if o.program != nil {
		mappings := o.program.Mappings()
		for i, im := range o.program.Images() {
			if mappings[i].Path == file {
				return object{im, &mappings[i], o.files}, nil
			}
		}
	}
	return nil, fmt.Errorf("%s: %w", file, errNoObject)
}

// Disasm lists [start, end] of an image.
func (o objects) Disasm(file string, start, end uint64, _ bool) ([]driver.Inst, error) {
	f, err := o.Open(file, 0, 0, 0, "")
	if err != nil {
		return nil, err
	}
	if end < start || end >= 1<<32-1 {
		return nil, fmt.Errorf("0x%x-0x%x: no addresses of a program", start, end)
	}
	im := f.(object).image
	all, err := listing.New(im).List(symbol.Range{Low: uint32(start), High: uint32(end) + 1})
	if err != nil {
		return nil, err
	}
	var out []driver.Inst
	for _, i := range all {
		inst := driver.Inst{Addr: uint64(i.Addr), Text: strings.ReplaceAll(disasm.Text(i), "\t", " ")}
		if at := im.Lookup(i.Addr); len(at) > 0 {
			inst.Function, inst.File, inst.Line = at[0].Name, o.files.name(at[0].CallFile), at[0].CallLine
		}
		out = append(out, inst)
	}
	return out, nil
}

// object is an image.
type object struct {
	image   *symbol.Image
	mapping *symbol.Mapping
	files   sources
}

func (o object) Name() string { return o.mapping.Path }

func (o object) ObjAddr(addr uint64) (uint64, error) { return addr, nil }

func (o object) BuildID() string { return fmt.Sprintf("%x", o.mapping.BuildID) }

func (o object) Close() error { return nil }

// SourceLine lists the functions at addr, the innermost inlined one first.
func (o object) SourceLine(addr uint64) (frames []driver.Frame, err error) {
	if addr >= 1<<32 {
		return nil, fmt.Errorf("0x%x is no address of a program", addr)
	}
	for _, l := range o.image.Lookup(uint32(addr)) {
		frames = append(frames, driver.Frame{Func: l.Name, File: o.files.name(l.CallFile), Line: l.CallLine, Column: l.CallColumn, StartLine: l.Line})
	}
	return frames, nil
}

// Symbols lists the functions with a name that r matches, or around addr. Ends are the addresses of last bytes.
func (o object) Symbols(r *regexp.Regexp, addr uint64) (all []*driver.Sym, err error) {
	for _, f := range o.image.FunctionSymbols() {
		if f.High <= f.Low || addr != 0 && !(addr < 1<<32 && f.Contains(uint32(addr))) {
			continue
		}
		for _, name := range f.Names {
			if r == nil || r.MatchString(name) {
				all = append(all, &driver.Sym{Name: f.Names, File: o.mapping.Path, Start: uint64(f.Low), End: uint64(f.High) - 1})
				break
			}
		}
	}
	return all, nil
}
