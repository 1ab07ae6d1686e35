package lockstep

import "encoding/binary"

// code is a program image under construction, written from low addresses to
// high ones, with a note on every instruction that was drawn (and not put there
// to prepare one).
type code struct {
	flash []byte
	marks []mark // by halfword
	wide  bool   // 32-bit encodings are there (ARMv7-M)
}

// mark says which pattern an instruction came from.
type mark struct {
	pattern int16 // index + 1; 0 is no drawn instruction
}

// undefinedMark is the pattern of a drawn instruction that is UNDEFINED.
const undefinedMark = -1

func (c *code) pos() uint32 { return uint32(len(c.flash)) }

func (c *code) half(v uint32) {
	c.flash = binary.LittleEndian.AppendUint16(c.flash, uint16(v))
	c.marks = append(c.marks, mark{})
}

// instruction appends 16 or 32 bits; a wide one has its first halfword on top.
func (c *code) instruction(w uint32, wide bool) {
	if wide {
		c.half(w >> 16)
	}
	c.half(w & 0xffff)
}

func (c *code) word(v uint32) {
	c.half(v & 0xffff)
	c.half(v >> 16)
}

func (c *code) putWord(at, v uint32) { binary.LittleEndian.PutUint32(c.flash[at:], v) }

// jump appends B T2 over n halfwords.
func (c *code) jump(n uint32) { c.half(0xe000 | (n-1)&0x7ff) }

const nop = 0xbf00

// literal appends LDR rt, [PC] with its word behind, jumped over, and returns
// the address of the word.
func (c *code) literal(rt uint32) uint32 {
	if !c.wide || rt < 8 {
		if c.pos()&2 != 0 {
			c.half(nop)
		}
		c.half(0x4800 | rt<<8) // LDR rt, [PC, #0]: the word at +4
		c.jump(2)
	} else {
		if c.pos()&2 == 0 {
			c.half(nop)
		}
		c.instruction(0xf8df0000|rt<<12|4, true) // LDR.W rt, [PC, #4]: at +6
		c.jump(2)
	}
	at := c.pos()
	c.word(0)
	return at
}

// constant appends MOVW and MOVT.
func (c *code) constant(rd, v uint32) {
	c.instruction(0xf2400000|moveImmediate(rd, v&0xffff), true)
	c.instruction(0xf2c00000|moveImmediate(rd, v>>16), true)
}

func moveImmediate(rd, v uint32) uint32 {
	return v>>12<<16 | v>>11&1<<26 | v>>8&7<<12 | rd<<8 | v&0xff
}

// putConstant changes the value of what constant appended at an address.
func (c *code) putConstant(at, rd, v uint32) {
	saved, marks := c.flash[at+8:], c.marks
	c.flash = c.flash[:at]
	c.constant(rd, v)
	c.flash = append(c.flash, saved...)
	c.marks = marks
}
