package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/mprof/mprof/disasm"
	"github.com/mprof/mprof/disasm/listing"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/symbol"
)

// Listing is the machine code of a function, with what fell to each instruction. A function has several where the
// compiler made several pieces of it.
type Listing struct {
	Function string `json:"function"`
	Symbol   string `json:"symbol"` // linkage name
	Low      uint32 `json:"low"`
	High     uint32 `json:"high"`
	Self     Amount `json:"self"` // of this code, with what is inlined into it
	Total    Amount `json:"total"`
	// Instructions are all of it, data in between too.
	Instructions []Instruction `json:"instructions"`
	Remark       string        `json:"remark,omitempty"` // what the numbers cannot say
}

// Instruction is a row. Self is what the PC was found at, Total that and what the instruction called, where it is a
// call whose return address was on the stack.
type Instruction struct {
	Addr uint32 `json:"addr"`
	Raw  string `json:"raw"` // bytes as objdump groups them
	Text string `json:"text"`
	Data bool   `json:"data,omitempty"`
	// File and Line are where the instruction comes from, Inlined the function that was inlined there.
	File    string  `json:"file,omitempty"`
	Line    int     `json:"line,omitempty"`
	Inlined string  `json:"inlined,omitempty"`
	Source  *string `json:"source,omitempty"` // text of that line
	Self    Amount  `json:"self"`
	Total   Amount  `json:"total"`
}

// ErrNoCode is a profile whose ELF file is not at hand.
var ErrNoCode = errors.New("report: the instructions are in the ELF file, and it is not at hand")

// InlinedError is a function that has no code of its own.
type InlinedError struct {
	Name string
	Into []string // functions that it is inlined into, the most samples first; none where its code is not known
}

func (e *InlinedError) Error() string {
	if len(e.Into) > 0 {
		return fmt.Sprintf("report: %s has no code of its own where samples were taken: it is inlined into %s", e.Name, some(e.Into))
	}
	return fmt.Sprintf("report: %s has no code of its own where samples were taken: it is inlined, or it is not in the ELF file", e.Name)
}

// AddCode adds the machine code of the functions that the pattern matches and that something fell to.
func (r *Report) AddCode(pattern string) error {
	if r.program == nil {
		return ErrNoCode
	}
	found, err := r.sampled(pattern)
	if err != nil {
		return err
	}
	before := len(r.Code)
	for _, f := range found {
		inlined := inliningOf(r.profile, f)
		for _, s := range symbolsOf(r.profile, f) {
			l, err := r.listing(f, s)
			if err != nil {
				return err
			}
			if l.Remark == "" {
				l.Remark = inlined.ofCode(l.Function, s)
			}
			r.Code = append(r.Code, l)
		}
	}
	if len(r.Code) == before {
		return &InlinedError{r.profile.Functions[found[0]].Name, inliningOf(r.profile, found[0]).hosts}
	}
	return nil
}

// symbolsOf are the symbols whose physical function is f, by address.
func symbolsOf(p *profile.Profile, f profile.FunctionIndex) (symbols []profile.SymbolIndex) {
	for i := range p.Frames {
		if frame := &p.Frames[i]; frame.Function == f && frame.Depth == 0 && frame.Symbol != profile.None && !slices.Contains(symbols, frame.Symbol) {
			symbols = append(symbols, frame.Symbol)
		}
	}
	slices.SortFunc(symbols, func(a, b profile.SymbolIndex) int { return cmp.Compare(p.Symbols[a].Low, p.Symbols[b].Low) })
	return symbols
}

// listing disassembles a symbol's code.
func (r *Report) listing(f profile.FunctionIndex, of profile.SymbolIndex) (Listing, error) {
	sym := r.profile.Symbols[of]
	im, ok := r.program.ImageAt(sym.Low)
	if !ok {
		return Listing{}, fmt.Errorf("%w: 0x%08x is in none that is", ErrNoCode, sym.Low)
	}
	lister := listing.New(im)
	code, err := lister.List(symbol.Range{Low: sym.Low, High: sym.High})
	if err != nil {
		return Listing{}, err
	}
	b := newCodeBuilder(r.profile, of, code)
	l := Listing{Function: r.profile.Functions[f].Name, Symbol: sym.Name, Low: sym.Low, High: sym.High, Self: b.amounts[0], Total: b.amounts[1], Instructions: []Instruction{}}
	if r.profile.Trace != nil {
		l.Remark = "a trace knows when a function begins and returns, not its instructions: everything is at its first one"
	}
	texts := sourceTexts{report: r, lines: map[string][]string{}}
	for i, c := range code {
		row := Instruction{Addr: c.Addr, Raw: raw(c, lister.Arch()), Text: disasm.Text(c), Data: c.Data, Self: b.amounts[2+2*i], Total: b.amounts[3+2*i]}
		if at := im.Lookup(c.Addr); len(at) > 0 && !c.Data {
			row.File, row.Line = at[0].CallFile, at[0].CallLine
			if len(at) > 1 {
				row.Inlined = at[0].Name
			}
			row.Source = texts.line(c.Addr, row.File, row.Line)
		}
		l.Instructions = append(l.Instructions, row)
	}
	return l, nil
}

// raw is the bytes of an instruction as objdump groups them: halfwords of Thumb, words of RISC-V and data.
func raw(i disasm.Instruction, arch disasm.Arch) string {
	if arch == disasm.Thumb && i.Size == 4 && !i.Data {
		return fmt.Sprintf("%04x %04x", i.Raw>>16, i.Raw&0xffff)
	}
	return fmt.Sprintf("%0*x", 2*i.Size, i.Raw)
}

// sourceTexts reads each source once.
type sourceTexts struct {
	report *Report
	lines  map[string][]string
}

// line is the text of a line that the instruction at addr comes from, nil where it is not at hand.
func (t *sourceTexts) line(addr uint32, file string, n int) *string {
	lines, read := t.lines[file]
	if !read {
		text, ok := t.report.profile.Sources[file]
		if !ok {
			text, ok = t.report.program.SourceAt(addr, file)
		}
		if ok {
			lines = splitLines(text)
		}
		t.lines[file] = lines
	}
	if n <= 0 || n > len(lines) {
		return nil
	}
	return &lines[n-1]
}

// codeBuilder counts what falls to the instructions of a symbol. Parts are numbered: two of the symbol, two of each
// instruction, see counter.
type codeBuilder struct {
	counter
	p       *profile.Profile
	symbol  profile.SymbolIndex
	code    []disasm.Instruction
	amounts []Amount
}

func newCodeBuilder(p *profile.Profile, s profile.SymbolIndex, code []disasm.Instruction) *codeBuilder {
	n := 2 + 2*len(code)
	b := &codeBuilder{counter: newCounter(n), p: p, symbol: s, code: code}
	b.amounts = amounts(p, n, b.in)
	return b
}

// in lists the parts that a stack belongs to. An address may be in the middle of an instruction: a
// caller's is the one before its return address.
func (b *codeBuilder) in(_ int, at profile.StackIndex) []int32 {
	b.begin()
	leaf := true
	for _, f := range b.p.Callers(at) {
		if f.Depth > 0 {
			continue // inlined: the physical function below has the same address
		}
		if f.Symbol == b.symbol {
			b.add(0, leaf)
			i, exact := slices.BinarySearchFunc(b.code, f.Addr, func(c disasm.Instruction, addr uint32) int { return cmp.Compare(c.Addr, addr) })
			if !exact {
				i--
			}
			if i >= 0 && f.Addr-b.code[i].Addr < uint32(b.code[i].Size) {
				b.add(2+2*i, leaf)
			}
		}
		leaf = false
	}
	return b.parts
}
