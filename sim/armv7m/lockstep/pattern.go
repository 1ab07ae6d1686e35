package lockstep

import (
	"fmt"
	"strings"

	"github.com/mprof/mprof/sim/armv7m"
)

// Level is an architecture with its extensions; each defines the encodings of
// those before it, and more.
type Level uint8

const (
	V6M  Level = iota // ARMv6-M
	V7M               // ARMv7-M
	V7EM              // the DSP extension
	FPv4              // the floating-point extension FPv4-SP
)

// Has tells whether a processor defines what needs n.
func (a Level) Has(n Level) bool { return n <= a }

// Core is the architecture for package armv7m.
func (a Level) Core() armv7m.Arch {
	switch a {
	case V6M:
		return armv7m.V6M
	case V7M:
		return armv7m.V7M
	}
	return armv7m.V7EM
}

// Pattern is one encoding of the manual. Bits are written as there, first
// halfword first: 0 and 1 are fixed, z and o are the manual's (0) and (1), a
// letter is a bit of a field, most significant first. A field may be in several
// pieces. N is the field n in encodings that are UNDEFINED with 15 there.
type Pattern struct {
	Name string
	Need Level // the least that defines it
	Bits string
	Kind Kind
	// Fields that may not be 13 or 15, and those that may not be 15.
	Not1315, Not15 string
	Size           uint32 // bytes of an access; scale of the immediate of dual and exclusive ones
	Width          uint32 // bytes in all, where that is more
	Scale          uint32 // of an immediate offset
	IT             Place
	Barred         bool // UNPREDICTABLE whatever the fields are
	Check          func(Level, Word) RuleID

	index       int
	wide        bool
	not15n      bool
	post        bool   // post-indexed: the address is the base alone
	down        bool   // list below the base
	mask, value uint32 // fixed bits
	soft        uint32 // (0) and (1)
	softValue   uint32
	fields      [128][]uint8 // bit numbers of each letter
}

// Place says where in an IT block an instruction may stand.
type Place uint8

const (
	anywhere Place = iota
	last           // or outside
	never
)

// Kind says what an instruction needs around it in a random program.
type Kind uint8

const (
	plain    Kind = iota // registers in, registers out
	memImm               // [n, #i], with p, u, w where the encoding has them
	memReg               // [n, m, LSL #i]
	memLit               // [PC, #i]
	memSP                // [SP, #i]
	memList              // n, list r
	memPush              // push list r, or pop with l
	memPop               //
	memDual              // t, v at [n, #i]
	memFP                // n, i words of extension registers
	memLoadX             // load exclusive
	memStorX             // store exclusive
	hintMem              // preload
	tableB               // TBB, TBH
	branch               // direct, field letters per encoding
	compareB             // CBZ, CBNZ
	branchR              // BX, BLX
	special              // ADD and MOV of any register; PC possible
	itBlock              //
	service              // SVC
	faulting             // always an exception
	mask                 // CPS
	hint                 //
	toSpec               // MSR
	fromSpec             // MRS
)

// Word is an instruction taken apart by a pattern.
type Word struct {
	P *Pattern
	W uint32 // 16 bits, or 32 with the first halfword on top
}

// Get reads a field; a field that the encoding has not reads as zero.
func (w Word) Get(letter byte) uint32 {
	v := uint32(0)
	for _, b := range w.P.fields[letter] {
		v = v<<1 | w.W>>b&1
	}
	return v
}

// Set returns the word with a field replaced.
func (w Word) Set(letter byte, v uint32) Word {
	bits := w.P.fields[letter]
	for i, b := range bits {
		bit := v >> (len(bits) - 1 - i) & 1
		w.W = w.W&^(1<<b) | bit<<b
	}
	return w
}

// Has tells whether the encoding has a field.
func (w Word) Has(letter byte) bool { return len(w.P.fields[letter]) > 0 }

// Len is the length in bytes.
func (w Word) Len() uint32 {
	if w.P.wide {
		return 4
	}
	return 2
}

// compile takes Bits apart.
func (p *Pattern) compile(index int) error {
	text := strings.ReplaceAll(p.Bits, " ", "")
	if len(text) != 16 && len(text) != 32 {
		return fmt.Errorf("lockstep: pattern %s: %d bits", p.Name, len(text))
	}
	p.index, p.wide = index, len(text) == 32
	p.post = strings.Contains(p.Name, "post-indexed")
	p.down = strings.Contains(p.Name, "DB")
	for i := range len(text) {
		b := uint8(len(text) - 1 - i)
		switch c := text[i]; c {
		case '0', '1':
			p.mask |= 1 << b
			p.value |= uint32(c-'0') << b
		case 'z':
			p.soft |= 1 << b
		case 'o':
			p.soft |= 1 << b
			p.softValue |= 1 << b
		case 'N': // register n, UNDEFINED where it is 15
			p.not15n = true
			p.fields['n'] = append(p.fields['n'], b)
		default:
			p.fields[c] = append(p.fields[c], b)
		}
	}
	return nil
}

// Patterns is the encoding space, in the order in which it is searched: where
// two patterns fit, the first is meant.
var Patterns = compileAll(narrowPatterns, wideMemory, wideData, needing(FPv4, wideFP), wideControl)

func compileAll(tables ...[]Pattern) []*Pattern {
	var all []*Pattern
	for _, t := range tables {
		for i := range t {
			if err := t[i].compile(len(all)); err != nil {
				panic(err)
			}
			all = append(all, &t[i])
		}
	}
	return all
}

// needing is a table of encodings that one extension has.
func needing(level Level, table []Pattern) []Pattern {
	for i := range table {
		table[i].Need = level
	}
	return table
}

// Classify finds the pattern of an instruction, or nil: it is UNDEFINED.
func Classify(a Level, w uint32, wide bool) *Pattern {
	for _, p := range Patterns {
		if p.wide != wide || !a.Has(p.Need) || w&p.mask != p.value {
			continue
		}
		if p.not15n && (Word{p, w}).Get('n') == 15 {
			continue
		}
		if a.Has(FPv4) && wide && p.Need != FPv4 && inFP(w) {
			continue // not for the coprocessors that are not there
		}
		return p
	}
	return nil
}
