package symbol

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
)

// Image is one linked program. Its methods may be called from several
// goroutines.
type Image struct {
	path       string
	file       *elf.File
	size       uint64       // of the file
	unchanged  func() error // nil: the file is what it was when it was opened
	buildID    []byte
	attributes buildAttributes
	segments   []Segment
	code       []Range // sorted, disjoint
	symbols    symbolTable
	vectors    vectorTable
	source     func(file string) (string, bool) // nil: reads the disk

	mu        sync.Mutex // guards what follows
	debug     *debugInfo
	debugErr  error
	debugOpen bool
	located   map[uint32][]Location
}

// Open reads the ELF at path: headers, segments and symbols at once, debug
// information when it is asked for. The error names the file and says what is
// wrong with it.
func Open(path string) (*Image, error) { return open(path, elf.EM_ARM) }

// OpenAny is Open for programs that can be unwound but not sampled, too: those of
// RISC-V with 32 bits.
func OpenAny(path string) (*Image, error) { return open(path, elf.EM_ARM, elf.EM_RISCV) }

func open(path string, machines ...elf.Machine) (*Image, error) {
	f, err := os.Open(path)
	if err != nil {
		var perr *fs.PathError
		if errors.As(err, &perr) {
			err = perr.Err // without the path, which stands before it
		}
		return nil, fmt.Errorf("symbol: open %s: %w", path, err)
	}
	im, err := openFile(f, path, machines)
	if err != nil {
		f.Close()
	}
	return im, err
}

func openFile(f *os.File, path string, machines []elf.Machine) (*Image, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("symbol: open %s: %w", path, err)
	}
	if st.IsDir() {
		return nil, fmt.Errorf("symbol: open %s: is a directory, not an ELF", path)
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("symbol: open %s: is not a regular file", path)
	}
	im, err := newImage(f, st.Size(), path, machines)
	if err != nil {
		return nil, err
	}
	im.unchanged = func() error { return unchanged(f, st) }
	return im, nil
}

// unchanged tells whether an open file is what it was: what is read later must
// fit what was read first.
func unchanged(f *os.File, was os.FileInfo) error {
	is, err := f.Stat()
	if err == nil && (is.Size() != was.Size() || !is.ModTime().Equal(was.ModTime())) {
		err = errors.New("the file was written over since it was opened")
	}
	return err
}

// New reads an ELF of size bytes from r, which it keeps: debug information is
// read later. path is only its name.
func New(r io.ReaderAt, size int64, path string) (*Image, error) {
	return newImage(r, size, path, []elf.Machine{elf.EM_ARM})
}

func newImage(r io.ReaderAt, size int64, path string, machines []elf.Machine) (*Image, error) {
	if err := checkHeader(r, size, machines...); err != nil {
		return nil, fmt.Errorf("symbol: open %s: %w", path, err)
	}
	f, err := elf.NewFile(r)
	if err != nil {
		return nil, fmt.Errorf("symbol: open %s: is damaged: %w", path, err)
	}
	im := &Image{path: path, file: f, size: uint64(size), unchanged: func() error { return nil }, located: map[uint32][]Location{}}
	if err := im.load(); err != nil {
		return nil, fmt.Errorf("symbol: open %s: %w", path, err)
	}
	return im, nil
}

// load fills everything that does not need DWARF.
func (im *Image) load() error {
	if data, _, ok := im.Section(".ARM.attributes"); ok {
		im.attributes = parseAttributes(data)
	}
	if p := im.attributes.Profile; p == 'A' || p == 'R' {
		return fmt.Errorf("is built for an ARM %c-profile core (%s); mprof profiles Cortex-M programs", p, cmp.Or(im.attributes.CPU, "unnamed CPU"))
	}
	var loaded uint64
	for _, p := range im.file.Progs {
		if p.Type != elf.PT_LOAD {
			continue
		}
		if loaded += p.Filesz; loaded > 2*im.size {
			return errors.New("is damaged: its segments overlap in the file")
		}
		data := make([]byte, p.Filesz)
		if n, err := p.ReadAt(data, 0); n < len(data) {
			return fmt.Errorf("is damaged: segment for 0x%08x: %w", uint32(p.Vaddr), err)
		}
		im.segments = append(im.segments, Segment{
			Vaddr: uint32(p.Vaddr), Paddr: uint32(p.Paddr), MemSize: uint32(p.Memsz), Data: data,
			Exec: p.Flags&elf.PF_X != 0, Write: p.Flags&elf.PF_W != 0,
		})
	}
	im.buildID = im.findBuildID()
	im.code = im.findCode()
	im.symbols = newSymbolTable(im.file, im.code)
	im.code = mergeRanges(append(im.code, im.symbols.outside...))
	if im.Machine() == elf.EM_ARM {
		im.vectors = im.findVectors()
	}
	return nil
}

// Path is the path that the image was opened by.
func (im *Image) Path() string { return im.path }

// BuildID is the GNU build id (NT_GNU_BUILD_ID), nil where the image has none.
func (im *Image) BuildID() []byte { return im.buildID }

// Segments are the PT_LOAD segments in header order. Not to be modified.
func (im *Image) Segments() []Segment { return im.segments }

// Machine is what the program is for: elf.EM_ARM, or elf.EM_RISCV.
func (im *Image) Machine() elf.Machine { return im.file.Machine }

// Entry is e_entry without the Thumb bit.
func (im *Image) Entry() uint32 { return uint32(im.file.Entry) &^ 1 }

// CPU is the processor that the compiler was told (Tag_CPU_name), "" where
// unknown.
func (im *Image) CPU() string { return im.attributes.CPU }

// CPUArch is the architecture that the program was built for (Tag_CPU_arch:
// 11 to 13 ARMv6-M and ARMv7-M, 16 and above ARMv8-M), 0 where unknown.
func (im *Image) CPUArch() uint32 { return im.attributes.Arch }

// CodeRanges are the executable sections, and functions that the linker put
// elsewhere, sorted and merged. Not to be modified.
func (im *Image) CodeRanges() []Range { return im.code }

// ReadCode copies len(p) bytes at addr as the file has them. It is false
// where segments do not hold them all.
func (im *Image) ReadCode(addr uint32, p []byte) bool {
	for len(p) > 0 {
		n := 0
		for i := range im.segments {
			s := &im.segments[i]
			if off := addr - s.Vaddr; addr >= s.Vaddr && uint64(off) < uint64(len(s.Data)) {
				n = copy(p, s.Data[off:])
				break
			}
		}
		if n == 0 {
			return false
		}
		p, addr = p[n:], addr+uint32(n)
	}
	return true
}

// inCode tells whether all of r lies in one code range.
func (im *Image) inCode(r Range) bool {
	around, ok := rangeAround(im.code, r.Low)
	return ok && r.High > r.Low && r.High <= around.High
}

// rangeAround finds the one of sorted, disjoint ranges that holds addr.
func rangeAround(ranges []Range, addr uint32) (Range, bool) {
	i := sort.Search(len(ranges), func(i int) bool { return ranges[i].High > addr })
	if i == len(ranges) || !ranges[i].Contains(addr) {
		return Range{}, false
	}
	return ranges[i], true
}

// holdsCode tells whether addr is in code.
func (im *Image) holdsCode(addr uint32) bool {
	_, ok := rangeAround(im.code, addr)
	return ok
}

// findCode lists the executable sections; without section headers, the
// executable segments.
func (im *Image) findCode() []Range {
	var code []Range
	for _, s := range im.file.Sections {
		if s.Flags&elf.SHF_ALLOC != 0 && s.Flags&elf.SHF_EXECINSTR != 0 {
			code = append(code, clampedRange(s.Addr, s.Size))
		}
	}
	if code == nil {
		for _, s := range im.segments {
			if s.Exec {
				code = append(code, clampedRange(uint64(s.Vaddr), uint64(s.MemSize)))
			}
		}
	}
	return mergeRanges(code)
}

// clampedRange keeps [addr, addr+size) inside 32 bits.
func clampedRange(addr, size uint64) Range {
	return Range{uint32(min(addr, 1<<32-1)), uint32(min(addr+size, 1<<32-1))}
}

// mergeRanges sorts, drops empty ones and joins what overlaps or touches.
func mergeRanges(in []Range) []Range {
	in = slices.DeleteFunc(in, func(r Range) bool { return r.size() == 0 })
	slices.SortFunc(in, func(a, b Range) int {
		if a.Low != b.Low {
			return cmp.Compare(a.Low, b.Low)
		}
		return cmp.Compare(a.High, b.High)
	})
	var out []Range
	for _, r := range in {
		if n := len(out); n > 0 && r.Low <= out[n-1].High {
			out[n-1].High = max(out[n-1].High, r.High)
			continue
		}
		out = append(out, r)
	}
	return out
}

// maxNotes bounds the notes that are looked at, of 64 KiB at most each.
const maxNotes = 64

// findBuildID looks through the notes of the segments and sections for
// NT_GNU_BUILD_ID (3, owner "GNU").
func (im *Image) findBuildID() []byte {
	tried := 0
	for _, s := range im.file.Sections {
		if s.Type != elf.SHT_NOTE && !strings.HasPrefix(s.Name, ".note.gnu.build-id") || s.FileSize > 1<<16 {
			continue
		}
		if tried++; tried > maxNotes {
			return nil
		}
		if data, err := im.content(s); err == nil {
			if id := buildIDIn(data); id != nil {
				return id
			}
		}
	}
	for _, p := range im.file.Progs {
		if p.Type != elf.PT_NOTE || p.Filesz > 1<<16 {
			continue
		}
		if tried++; tried > maxNotes {
			return nil
		}
		data := make([]byte, p.Filesz)
		if n, _ := p.ReadAt(data, 0); n == len(data) {
			if id := buildIDIn(data); id != nil {
				return id
			}
		}
	}
	return nil
}

func buildIDIn(notes []byte) []byte {
	const gnuBuildID = 3
	c := cursor{data: notes}
	for len(c.data) > 0 && c.err == nil {
		nameSize, descSize, typ := c.u32(), c.u32(), c.u32()
		name := c.bytes(uint64(nameSize))
		c.bytes(uint64(-nameSize & 3))
		desc := c.bytes(uint64(descSize))
		if c.err == nil && typ == gnuBuildID && string(name) == "GNU\x00" && len(desc) > 0 {
			return slices.Clone(desc)
		}
		c.bytes(min(uint64(-descSize&3), uint64(len(c.data))))
	}
	return nil
}
