package disasm

// riscvField makes the printer of a field of a text:
//
//	{x7}  the integer register in the five bits from bit 7 on, {f7} the one of the FPU
//	{y7}  the integer register in the three bits from bit 7 on (x8 to x15), {g7} that of the FPU
//
// All others are in riscvFields.
func riscvField(name string) func(*riscv) {
	if put := riscvFields[name]; put != nil {
		return put
	}
	var names *[32]string
	width, first := uint(5), uint32(0)
	switch name[0] {
	case 'x':
		names = &integers
	case 'f':
		names = &floats
	case 'y':
		names, width, first = &integers, 3, 8
	case 'g':
		names, width, first = &floats, 3, 8
	default:
		return nil
	}
	at := number(name[1:])
	return func(r *riscv) { r.put(names[first+r.field(at, width)]) }
}

// Immediates of the base instruction formats, 2.3 of the unprivileged manual.
func (r *riscv) immI() uint32 { return signed(r.word>>20, 12) }
func (r *riscv) immS() uint32 { return signed(r.word>>25<<5|r.word>>7&31, 12) }
func (r *riscv) immB() uint32 {
	return signed(r.word>>31<<12|r.word>>7&1<<11|r.word>>25&0x3f<<5|r.word>>8&15<<1, 13)
}
func (r *riscv) immJ() uint32 {
	return signed(r.word>>31<<20|r.word&0xff000|r.word>>20&1<<11|r.word>>21&0x3ff<<1, 21)
}

var riscvFields = map[string]func(*riscv){
	"i":  func(r *riscv) { r.number(r.immI()) },
	"b":  func(r *riscv) { r.branch(r.immB()) },
	"j":  func(r *riscv) { r.branch(r.immJ()) },
	"sh": func(r *riscv) { r.hex(r.field(20, 5)) },
	"z":  func(r *riscv) { r.number(r.field(15, 5)) },
	// What an instruction does to a known upper part, and the comment of it.
	"add":  func(r *riscv) { r.names(r.field(15, 5), r.immI()) },
	"load": func(r *riscv) { r.number(r.immI()); r.base(r.immI()) },
	"call": func(r *riscv) { r.follow(r.field(15, 5), r.immI()) },
	"jump": func(r *riscv) {
		base := r.field(15, 5)
		r.number(r.immI())
		r.put("(" + integers[base] + ")")
		r.follow(base, r.immI())
		if base == 3 || base == 4 { // objdump forgets what LUI and AUIPC put there
			r.names(base, r.immI())
		}
	},
	"store": func(r *riscv) { r.number(r.immS()); r.base(r.immS()) },
	"lui": func(r *riscv) {
		r.hex(r.word >> 12)
		r.upper[r.field(7, 5)] = upperPart{true, r.word &^ 0xfff, r.addr + 4}
	},
	"auipc": func(r *riscv) {
		r.hex(r.word >> 12)
		r.upper[r.field(7, 5)] = upperPart{true, r.addr + r.word&^0xfff, r.addr + 4}
	},
	"pred":  func(r *riscv) { r.put(fenceSets[r.field(24, 4)]) },
	"succ":  func(r *riscv) { r.put(fenceSets[r.field(20, 4)]) },
	"csr":   func(r *riscv) { r.csr() },
	"order": func(r *riscv) { r.put([]string{"", ".rl", ".aq", ".aqrl"}[r.field(25, 2)]) },
	"rm": func(r *riscv) { // 7 takes the mode of fcsr
		if mode := r.field(12, 3); mode != 7 {
			r.put("," + []string{"rne", "rtz", "rdn", "rup", "rmm", "unknown", "unknown"}[mode])
		}
	},
	"sign": func(r *riscv) { // of a register and itself it is a move
		names := []string{"fsgnj", "fsgnjn", "fsgnjx"}
		if r.field(15, 5) == r.field(20, 5) {
			names = []string{"fmv", "fneg", "fabs"}
		}
		r.put(names[r.field(12, 3)])
	},
	"other": func(r *riscv) {
		if r.field(15, 5) != r.field(20, 5) {
			r.put("," + floats[r.field(20, 5)])
		}
	},

	// Compressed ones, 16.2 to 16.6.
	"undefined": func(r *riscv) { r.bad = true },
	"cj":        func(r *riscv) { r.branch(r.immCJ()) },
	"cb":        func(r *riscv) { r.branch(r.immCB()) },
	"ci":        func(r *riscv) { r.number(r.immCI()) },
	"cadd":      func(r *riscv) { r.names(r.field(7, 5), r.immCI()) },
	"clui":      func(r *riscv) { r.clui() },
	"csh":       func(r *riscv) { r.hex(r.field(12, 1)<<5 | r.field(2, 5)) },
	"c4spn":     func(r *riscv) { r.number(r.word>>7&15<<6 | r.word>>11&3<<4 | r.word>>5&1<<3 | r.word>>6&1<<2) },
	"c16sp":     func(r *riscv) { r.number(r.immC16SP()) },
	"clw":       func(r *riscv) { r.number(r.word>>5&1<<6 | r.word>>10&7<<3 | r.word>>6&1<<2) },
	"cld":       func(r *riscv) { r.number(r.word>>5&3<<6 | r.word>>10&7<<3) },
	"clwsp":     func(r *riscv) { r.number(r.word>>2&3<<6 | r.word>>12&1<<5 | r.word>>4&7<<2) },
	"cldsp":     func(r *riscv) { r.number(r.word>>2&7<<6 | r.word>>12&1<<5 | r.word>>5&3<<3) },
	"cswsp":     func(r *riscv) { r.number(r.word>>7&3<<6 | r.word>>9&15<<2) },
	"csdsp":     func(r *riscv) { r.number(r.word>>7&7<<6 | r.word>>10&7<<3) },
}

// base prints the register of an address.
func (r *riscv) base(distance uint32) {
	base := r.field(15, 5)
	r.put("(" + integers[base] + ")")
	r.names(base, distance)
}

func (r *riscv) immCI() uint32 { return signed(r.word>>12&1<<5|r.word>>2&31, 6) }

func (r *riscv) immC16SP() uint32 {
	return signed(r.word>>12&1<<9|r.word>>3&3<<7|r.word>>5&1<<6|r.word>>2&1<<5|r.word>>6&1<<4, 10)
}

func (r *riscv) immCJ() uint32 {
	return signed(r.word>>12&1<<11|r.word>>8&1<<10|r.word>>9&3<<8|r.word>>6&1<<7|r.word>>7&1<<6|r.word>>2&1<<5|r.word>>11&1<<4|r.word>>3&7<<1, 12)
}

func (r *riscv) immCB() uint32 {
	return signed(r.word>>12&1<<8|r.word>>5&3<<6|r.word>>2&1<<5|r.word>>10&3<<3|r.word>>3&3<<1, 9)
}

func (r *riscv) clui() {
	imm := r.immCI()
	r.hex(imm & 0xfffff)
	r.bad = r.bad || imm == 0
	r.upper[r.field(7, 5)] = upperPart{true, imm << 12, r.addr + 2}
}

// fenceSets are the sets of accesses that a FENCE orders.
var fenceSets = [16]string{"unknown", "w", "r", "rw", "o", "ow", "or", "orw", "i", "iw", "ir", "irw", "io", "iow", "ior", "iorw"}
