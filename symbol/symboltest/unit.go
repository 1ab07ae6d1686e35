package symboltest

import "fmt"

// Abbreviation codes of a unit. That of the unit's own entry is the last, as
// GCC orders them by use.
const (
	codeMember = iota + 1
	codeParameter
	codeVariable
	codeInlined
	codeCallSite
	codeStruct
	codePointer
	codeBase
	codeFunction
	codeAbstract
	codeBlock
	codeDeclaration
	codeTypedef
	codeUnit
)

type attribute struct{ name, form uint32 }

const (
	fAddr, fData2, fData4, fString = 0x01, 0x05, 0x06, 0x08
	fData1, fStrp, fRef4           = 0x0b, 0x0e, 0x13
	fSecOffset, fExprloc, fPresent = 0x17, 0x18, 0x19
	fImplicit                      = 0x21
)

var abbreviations = []struct {
	code, tag  uint32
	children   bool
	attributes []attribute
}{
	{codeMember, 0x0d, false, []attribute{{3, fStrp}, {0x3a, fImplicit}, {0x3b, fData1}, {0x39, fData1}, {0x49, fRef4}, {0x38, fData1}}},
	{codeParameter, 0x05, false, []attribute{{3, fStrp}, {0x3a, fImplicit}, {0x3b, fData1}, {0x39, fData1}, {0x49, fRef4}, {2, fSecOffset}}},
	{codeVariable, 0x34, false, []attribute{{3, fStrp}, {0x3a, fImplicit}, {0x3b, fData1}, {0x49, fRef4}, {2, fExprloc}}},
	{codeInlined, 0x1d, true, []attribute{{0x31, fRef4}, {0x11, fAddr}, {0x12, fData4}, {0x58, fData1}, {0x59, fData1}, {0x57, fData1}}},
	{codeCallSite, 0x48, false, []attribute{{0x7d, fAddr}, {0x7f, fRef4}}},
	{codeStruct, 0x13, true, []attribute{{3, fStrp}, {0x0b, fData1}, {0x3a, fImplicit}, {0x3b, fData1}}},
	{codePointer, 0x0f, false, []attribute{{0x0b, fImplicit}, {0x49, fRef4}}},
	{codeBase, 0x24, false, []attribute{{0x0b, fData1}, {0x3e, fData1}, {3, fStrp}}},
	{codeFunction, 0x2e, true, []attribute{{0x3f, fPresent}, {3, fStrp}, {0x3a, fImplicit}, {0x3b, fData2}, {0x27, fPresent}, {0x49, fRef4}, {0x11, fAddr}, {0x12, fData4}, {0x40, fExprloc}}},
	{codeAbstract, 0x2e, true, []attribute{{3, fStrp}, {0x3a, fImplicit}, {0x3b, fData2}, {0x27, fPresent}, {0x49, fRef4}, {0x20, fData1}}},
	{codeBlock, 0x0b, true, []attribute{{0x11, fAddr}, {0x12, fData4}}},
	{codeDeclaration, 0x2e, true, []attribute{{0x3f, fPresent}, {3, fStrp}, {0x3a, fImplicit}, {0x3b, fData2}, {0x3c, fPresent}}},
	{codeTypedef, 0x16, false, []attribute{{3, fStrp}, {0x3a, fImplicit}, {0x3b, fData1}, {0x49, fRef4}}},
	{codeUnit, 0x11, true, []attribute{{0x25, fStrp}, {0x13, fData1}, {3, fString}, {0x1b, fStrp}, {0x55, fSecOffset}, {0x11, fAddr}, {0x10, fSecOffset}}},
}

func (l *large) abbreviations() {
	a := &l.abbrev
	for _, d := range abbreviations {
		a.uleb(d.code)
		a.uleb(d.tag)
		a.u8(0)
		if d.children {
			a.data[a.len()-1] = 1
		}
		for _, at := range d.attributes {
			a.uleb(at.name)
			a.uleb(at.form)
			if at.form == fImplicit {
				a.u8(1)
			}
		}
		a.u8(0, 0)
	}
	a.u8(0)
}

// unit writes one compile unit into all sections.
func (l *large) unit(u int) {
	i := &l.info
	header := i.begin()
	i.u16(5)
	i.u8(1, 4)
	i.u32(l.abbrev.len())
	l.abbreviations()
	i.u8(codeUnit)
	i.u32(l.string("GNU C17 12.2.1 20221205 -mcpu=cortex-m4 -mthumb -g -O2 -ffunction-sections -fdata-sections"))
	i.u8(0x1d)
	i.cstring(fmt.Sprintf("src/module_%d.c", u))
	i.u32(l.string("/project/firmware"))
	i.u32(l.rangeList(u))
	i.u32(0)
	i.u32(l.lines(u))
	base := l.types(u, header)
	var abstract [inlines]uint32
	for n, name := range [inlines]string{"outer", "inner", "calls", "unused"} {
		abstract[n] = i.len() - header
		i.u8(codeAbstract)
		i.u32(l.string(fmt.Sprintf("module_%d_%s", u, name)))
		i.u16(uint16(20 + 10*n))
		i.u32(base)
		i.u8(3, 0)
	}
	for n := range 12 {
		i.u8(codeDeclaration)
		i.u32(l.string(fmt.Sprintf("library_function_of_module_%d_%d", u%97, n)))
		i.u16(uint16(100 + n))
		for p := range 3 {
			l.parameter(fmt.Sprintf("argument_%d", p), base)
		}
		i.u8(0)
	}
	for n := range perUnit {
		l.function(u*perUnit+n, base, abstract)
	}
	i.u8(0)
	i.end(header)
	l.arange(u, header)
}

// types writes base types and structures; the result is the first one's place
// in the unit.
func (l *large) types(u int, header uint32) uint32 {
	i := &l.info
	base := i.len() - header
	for n, name := range []string{"int", "unsigned int", "char", "short int", "long long int", "_Bool"} {
		i.u8(codeBase, byte(1+n%4), 5)
		i.u32(l.string(name))
	}
	for s := range 14 {
		at := i.len() - header
		i.u8(codeStruct)
		i.u32(l.string(fmt.Sprintf("state_%d_of_module_%d", s, u)))
		i.u8(32, byte(10+s))
		for m := range 8 {
			i.u8(codeMember)
			i.u32(l.string(fmt.Sprintf("member_%d_of_state_%d_%d", m, s, u%211)))
			i.u8(byte(11+m), 9)
			i.u32(base)
			i.u8(byte(4 * m))
		}
		i.u8(0, codePointer)
		i.u32(at)
		i.u8(codeTypedef)
		i.u32(l.string(fmt.Sprintf("state_%d_of_module_%d_t", s, u)))
		i.u8(byte(40 + s))
		i.u32(at)
	}
	return base
}

func (l *large) parameter(name string, typ uint32) {
	l.info.u8(codeParameter)
	l.info.u32(l.string(name))
	l.info.u8(7, 12)
	l.info.u32(typ)
	l.info.u32(l.locs.len())
	for n := range 2 {
		l.locs.u8(4, byte(4*n), byte(4*n+4), 1, 0x50) // offset_pair, one register
	}
	l.locs.u8(0)
}

// function writes a subprogram whose body is outer, which has inner inlined;
// the call instruction and what follows it is calls.
func (l *large) function(f int, base uint32, abstract [inlines]uint32) {
	i := &l.info
	low := l.low(f)
	i.u8(codeFunction)
	i.u32(l.string(l.name(f)))
	i.u16(uint16(200 + f%perUnit))
	i.u32(base)
	i.u32(low)
	i.u32(functionSize)
	i.u8(1, 0x9c) // DW_OP_call_frame_cfa
	for p := range 3 {
		l.parameter(fmt.Sprintf("parameter_%d_%d", p, f%503), base)
	}
	i.u8(codeBlock)
	i.u32(low + 4)
	i.u32(functionSize - 8)
	for v := range 6 {
		i.u8(codeVariable)
		i.u32(l.string(fmt.Sprintf("variable_%d_%d", v, f%509)))
		i.u8(byte(60 + v))
		i.u32(base)
		i.u8(2, 0x91, byte(v))
	}
	inlined := func(n int, from, to uint32, line byte) {
		i.u8(codeInlined)
		i.u32(abstract[n])
		i.u32(low + from)
		i.u32(to - from)
		i.u8(1, line, 5)
	}
	inlined(0, 4, callAt, 51)
	inlined(1, 6, callAt-2, 52)
	i.u8(0, 0)
	inlined(2, callAt, callAt+8, 53)
	i.u8(codeCallSite)
	i.u32(low + callAt + 4)
	i.u32(abstract[3])
	i.u8(0) // of calls
	i.u8(0) // of the block
	i.u8(0) // of the function
}
