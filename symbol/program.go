package symbol

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Program is all that a target runs: the application, and the images that are
// on the chip beside it, such as a boot loader, a second stage, a ROM. Its
// methods may be called from several goroutines.
type Program struct {
	images  []*Image // the application first
	owners  []owned  // sorted, disjoint
	code    []Range  // sorted, merged
	remarks []string
	chip    string
}

// owned is code and the image that names it.
type owned struct {
	Range
	image *Image
}

// NewProgram joins an application and other images. Where they overlap, the
// application counts, then the images in their order, which Remarks says. An
// image of which nothing is left is an error: it is the same program, or one of
// the two is not on the chip.
func NewProgram(app *Image, others ...*Image) (*Program, error) {
	p := &Program{}
	for _, im := range append([]*Image{app}, others...) {
		if err := p.add(im); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *Program) add(im *Image) error {
	var left []Range
	for _, r := range im.code {
		left = append(left, p.free(im, r)...)
	}
	if len(left) == 0 && len(im.code) > 0 {
		return fmt.Errorf("symbol: %s: all of its code lies where %s has its own: one of them is not what runs there", im.path, p.owner(im.code[0].Low).path)
	}
	for _, r := range left {
		p.owners = append(p.owners, owned{r, im})
	}
	slices.SortFunc(p.owners, func(a, b owned) int { return cmp.Compare(a.Low, b.Low) })
	p.images = append(p.images, im)
	p.code = mergeRanges(append(slices.Clone(p.code), im.code...))
	return nil
}

// free is what of r no image has yet.
func (p *Program) free(im *Image, r Range) (left []Range) {
	for _, o := range p.owners {
		if o.High <= r.Low || o.Low >= r.High {
			continue
		}
		p.remarks = append(p.remarks, fmt.Sprintf("%s and %s both have code at 0x%08x-0x%08x: names there are those of %s",
			o.image.path, im.path, max(o.Low, r.Low), min(o.High, r.High), o.image.path))
		if o.Low > r.Low {
			left = append(left, Range{r.Low, o.Low})
		}
		r.Low = o.High
	}
	if r.size() > 0 {
		left = append(left, r)
	}
	return left
}

// owner is the image that has code at addr, nil where none has.
func (p *Program) owner(addr uint32) *Image {
	i := sort.Search(len(p.owners), func(i int) bool { return p.owners[i].High > addr })
	if i < len(p.owners) && p.owners[i].Contains(addr) {
		return p.owners[i].image
	}
	return nil
}

// App is the application.
func (p *Program) App() *Image { return p.images[0] }

// Images lists all images, the application first. Not to be modified.
func (p *Program) Images() []*Image { return p.images }

// CodeRanges are the code of all images, sorted and merged. Not to be modified.
func (p *Program) CodeRanges() []Range { return p.code }

// Lookup lists the functions at pc as Image.Lookup does, by the image whose
// code it is.
func (p *Program) Lookup(pc uint32) []Location {
	if im := p.owner(pc); im != nil {
		return im.Lookup(pc)
	}
	for _, im := range p.images { // one may know functions elsewhere on the chip
		if at := im.Lookup(pc); at != nil {
			return at
		}
	}
	return nil
}

// Bounds is the range of the function symbol around pc, as far as it is the
// image's. It never reads DWARF.
func (p *Program) Bounds(pc uint32) (Range, bool) {
	if im := p.owner(pc); im != nil {
		return im.Bounds(pc)
	}
	return Range{}, false
}

// ReadCode copies len(p) bytes at addr as the files have them. It is false
// where none of them holds them all.
func (p *Program) ReadCode(addr uint32, b []byte) bool {
	if im := p.owner(addr); im != nil && im.ReadCode(addr, b) {
		return true
	}
	for _, im := range p.images {
		if im.ReadCode(addr, b) {
			return true
		}
	}
	return false
}

// Producer says who compiled the code at pc, see Image.Producer.
func (p *Program) Producer(pc uint32) string {
	if im := p.owner(pc); im != nil {
		return im.Producer(pc)
	}
	return ""
}

// Producers lists who compiled the images, each once.
func (p *Program) Producers() (all []string) {
	for _, im := range p.images {
		for _, producer := range im.Producers() {
			if !slices.Contains(all, producer) {
				all = append(all, producer)
			}
		}
	}
	return all
}

// ResetHandlers are the reset handlers of all images.
func (p *Program) ResetHandlers() (all []uint32) {
	for _, im := range p.images {
		if pc, ok := im.ResetHandler(); ok {
			all = append(all, pc)
		}
	}
	return all
}

// Mappings describes the images, the application first.
func (p *Program) Mappings() (all []Mapping) {
	for _, im := range p.images {
		m := im.Mapping()
		m.Code = nil // without what another image has there
		for _, o := range p.owners {
			if o.image == im {
				m.Code = append(m.Code, o.Range)
			}
		}
		all = append(all, m)
	}
	return all
}

// Handler names an exception by its number, by the vector table of the
// application, or of the first image that has a vector for it.
func (p *Program) Handler(exc uint16) string {
	for _, im := range p.images {
		if im.vectored(exc) != nil {
			return im.Handler(exc)
		}
	}
	return p.images[0].Handler(exc)
}

// HandlerAt names exception exc, whose handler has the code at pc, see
// Image.HandlerAt: by the image whose code it is.
func (p *Program) HandlerAt(exc uint16, pc uint32) (exception, alias string) {
	if im := p.owner(pc); im != nil {
		return im.HandlerAt(exc, pc)
	}
	return p.Handler(exc), ""
}

// SetChip tells which chip the program runs on, by the name that
// romtable.Chip gives it: its ROM then has a name.
func (p *Program) SetChip(chip string) { p.chip = chip }

// Region names the memory around an address that no image has a function at.
func (p *Program) Region(addr uint32) string { return region(p.chip, p.code, addr) }

// Source reads a source file by the name that a Location gives it, as
// Image.Source does.
func (p *Program) Source(file string) (string, bool) {
	for _, im := range p.images {
		if s, ok := im.Source(file); ok {
			return s, true
		}
	}
	return "", false
}

// SourceAt reads a source file that the debug information names at pc, see Image.SourceAt.
func (p *Program) SourceAt(pc uint32, file string) (string, bool) {
	if im := p.owner(pc); im != nil {
		return im.SourceAt(pc, file)
	}
	return "", false
}

// Remarks says what the images lack, and where they overlap.
func (p *Program) Remarks() []string {
	out := slices.Clone(p.remarks)
	for i, im := range p.images {
		for _, remark := range im.Remarks() {
			if i > 0 && !strings.Contains(remark, im.path) {
				remark = im.path + ": " + remark
			}
			out = append(out, remark)
		}
	}
	return out
}
