package symbol

import "fmt"

// form says how the value of an attribute is encoded (DWARF 5, 7.5.6 and table
// 7.6; those of GNU from binutils' documentation of DebugFission).
type form uint16

const (
	formAddr          form = 0x01
	formBlock2        form = 0x03
	formBlock4        form = 0x04
	formData2         form = 0x05
	formData4         form = 0x06
	formData8         form = 0x07
	formString        form = 0x08
	formBlock         form = 0x09
	formBlock1        form = 0x0a
	formData1         form = 0x0b
	formFlag          form = 0x0c
	formSdata         form = 0x0d
	formStrp          form = 0x0e
	formUdata         form = 0x0f
	formRefAddr       form = 0x10
	formRef1          form = 0x11
	formRef2          form = 0x12
	formRef4          form = 0x13
	formRef8          form = 0x14
	formRefUdata      form = 0x15
	formIndirect      form = 0x16
	formSecOffset     form = 0x17
	formExprloc       form = 0x18
	formFlagPresent   form = 0x19
	formStrx          form = 0x1a
	formAddrx         form = 0x1b
	formRefSup4       form = 0x1c
	formStrpSup       form = 0x1d
	formData16        form = 0x1e
	formLineStrp      form = 0x1f
	formRefSig8       form = 0x20
	formImplicitConst form = 0x21
	formLoclistx      form = 0x22
	formRnglistx      form = 0x23
	formRefSup8       form = 0x24
	formStrx1         form = 0x25
	formStrx2         form = 0x26
	formStrx3         form = 0x27
	formStrx4         form = 0x28
	formAddrx1        form = 0x29
	formAddrx2        form = 0x2a
	formAddrx3        form = 0x2b
	formAddrx4        form = 0x2c
	formGNUAddrIndex  form = 0x1f01
	formGNUStrIndex   form = 0x1f02
	formGNURefAlt     form = 0x1f20
	formGNUStrpAlt    form = 0x1f21
)

// encoding is what the size of a value depends on besides its form.
type encoding struct {
	version    uint16
	addrSize   uint8
	offsetSize uint8 // 4 or 8: the DWARF format
}

// variable is the size of forms that say it themselves.
const variable = -1

// size of a value in bytes; variable where it depends on the value. ok is
// false for a form that is unknown.
func (e encoding) size(f form) (n int, ok bool) {
	switch f {
	case formFlagPresent, formImplicitConst:
		return 0, true
	case formData1, formFlag, formRef1, formStrx1, formAddrx1:
		return 1, true
	case formData2, formRef2, formStrx2, formAddrx2:
		return 2, true
	case formStrx3, formAddrx3:
		return 3, true
	case formData4, formRef4, formRefSup4, formStrx4, formAddrx4:
		return 4, true
	case formData8, formRef8, formRefSig8, formRefSup8:
		return 8, true
	case formData16:
		return 16, true
	case formAddr:
		return int(e.addrSize), true
	case formStrp, formSecOffset, formLineStrp, formStrpSup, formGNURefAlt, formGNUStrpAlt:
		return int(e.offsetSize), true
	case formRefAddr:
		if e.version < 3 {
			return int(e.addrSize), true
		}
		return int(e.offsetSize), true
	case formString, formBlock, formBlock1, formBlock2, formBlock4, formExprloc, formSdata, formUdata, formRefUdata,
		formIndirect, formStrx, formAddrx, formLoclistx, formRnglistx, formGNUAddrIndex, formGNUStrIndex:
		return variable, true
	}
	return 0, false
}

// value is one attribute as it stands in an entry: an integer, an address, an
// offset or an index, by its form; of a string form, the offset of the string.
// The zero value is an absent attribute.
type value struct {
	form form
	n    uint64
}

func (v value) present() bool { return v.form != 0 }

// read reads a value; at is the offset of c.data in .debug_info. Blocks are
// passed over.
func (e encoding) read(c *cursor, f form, implicit int64, at uint64) value {
	left := len(c.data)
	for range 4 { // an indirect form that leads to another is allowed, but nobody writes one
		if f != formIndirect {
			break
		}
		f = form(c.uleb())
	}
	v := value{form: f}
	if n, ok := e.size(f); !ok {
		if c.err == nil {
			c.err = fmt.Errorf("form 0x%x is unknown", uint16(f))
		}
		return value{}
	} else if n != variable {
		if f == formImplicitConst {
			v.n = uint64(implicit)
			return v
		}
		v.n = c.number(n)
		return v
	}
	switch f {
	case formString:
		v.n = at + uint64(left-len(c.data))
		c.skipString()
	case formBlock1:
		c.bytes(uint64(c.u8()))
	case formBlock2:
		c.bytes(uint64(c.u16()))
	case formBlock4:
		c.bytes(uint64(c.u32()))
	case formBlock, formExprloc:
		c.bytes(c.uleb())
	case formSdata:
		v.n = uint64(c.sleb())
	case formUdata, formRefUdata, formStrx, formAddrx, formLoclistx, formRnglistx, formGNUAddrIndex, formGNUStrIndex:
		v.n = c.uleb()
	default:
		if c.err == nil {
			c.err = fmt.Errorf("form 0x%x stands for no form", uint16(f))
		}
	}
	return v
}
