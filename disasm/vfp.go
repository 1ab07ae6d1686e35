package disasm

import (
	"math"
	"strconv"
)

// vfpRows are the floating-point instructions, A5.3.18 and A6 of the ARMv7-M manual, C2.3 of the
// ARMv8-M one: coprocessor 11 is double precision, 10 single, 9 half.
var vfpRows = []row{
	// Transfers of two registers.
	{0xfff00fd0, 0xec400b10, "vmov{c}\t{dm}, {r12}, {r16}"},
	{0xfff00fd0, 0xec500b10, "vmov{c}\t{r12}, {r16}, {dm}"},
	{0xfff00fd0, 0xec400a10, "vmov{c}\t{sm}, {sm+1}, {r12}, {r16}"},
	{0xfff00fd0, 0xec500a10, "vmov{c}\t{r12}, {r16}, {sm}, {sm+1}"},

	// Load and store.
	{0xfff0ffff, 0xec200a00, "vlstm{c}\t{r16}"},
	{0xfff0ffff, 0xec300a00, "vlldm{c}\t{r16}"},
	{0xffbf0f01, 0xed2d0b00, "vpush{c}\t{doubles}"},
	{0xffbf0f01, 0xecbd0b00, "vpop{c}\t{doubles}"},
	{0xffbf0f00, 0xed2d0a00, "vpush{c}\t{singles}"},
	{0xffbf0f00, 0xecbd0a00, "vpop{c}\t{singles}"},
	{0xffb00f01, 0xed200b01, "fstmdbx{c}\t{r16}{b21=!}, {doubles}{deprecated}"},
	{0xffb00f01, 0xed300b01, "fldmdbx{c}\t{r16}{b21=!}, {doubles}{deprecated}"},
	{0xff900f01, 0xec800b01, "fstmiax{c}\t{r16}{b21=!}, {doubles}{deprecated}"},
	{0xff900f01, 0xec900b01, "fldmiax{c}\t{r16}{b21=!}, {doubles}{deprecated}"},
	{0xffb00f00, 0xed200b00, "vstmdb{c}\t{r16}!, {doubles}"},
	{0xffb00f00, 0xed300b00, "vldmdb{c}\t{r16}!, {doubles}"},
	{0xff900f00, 0xec800b00, "vstmia{c}\t{r16}{b21=!}, {doubles}"},
	{0xff900f00, 0xec900b00, "vldmia{c}\t{r16}{b21=!}, {doubles}"},
	{0xffb00f00, 0xed200a00, "vstmdb{c}\t{r16}!, {singles}"},
	{0xffb00f00, 0xed300a00, "vldmdb{c}\t{r16}!, {singles}"},
	{0xff900f00, 0xec800a00, "vstmia{c}\t{r16}{b21=!}, {singles}"},
	{0xff900f00, 0xec900a00, "vldmia{c}\t{r16}{b21=!}, {singles}"},
	{0xff300f00, 0xed000b00, "vstr{c}\t{dd}, {words}"},
	{0xff300f00, 0xed100b00, "vldr{c}\t{dd}, {words}"},
	{0xff300f00, 0xed000a00, "vstr{c}\t{sd}, {words}"},
	{0xff300f00, 0xed100a00, "vldr{c}\t{sd}, {words}"},
	{0xff300f00, 0xed000900, "vstr{c}.16\t{sd}, {halves}"},
	{0xff300f00, 0xed100900, "vldr{c}.16\t{sd}, {halves}"},

	// Transfers of one register.
	{0xffd00f70, 0xee000b10, "vmov{c}.32\t{dn}[{u21.1}], {r12}"},
	{0xffd00f70, 0xee100b10, "vmov{c}.32\t{r12}, {dn}[{u21.1}]"},
	{0xfff00f7f, 0xee000a10, "vmov{c}\t{sn}, {r12}"},
	{0xfff00f7f, 0xee100a10, "vmov{c}\t{r12}, {sn}"},
	{0xfff00f7f, 0xee000910, "vmov{c}.f16\t{sn}, {r12}"},
	{0xfff00f7f, 0xee100910, "vmov{c}.f16\t{r12}, {sn}"},
	{0xfffffff0, 0xeef1fa10, "vmrs{c}\tAPSR_nzcv, fpscr"},
	{0xfff00fff, 0xeef00a10, "vmrs{c}\t{r12}, {fpspecial}"},
	{0xfff00fff, 0xeee00a10, "vmsr{c}\t{fpspecial}, {r12}"},

	// Data processing. {f} is the precision, and {vd}, {vn} and {vm} are registers of it.
	{0xffb00c50, 0xee000800, "vmla{c}.{f}\t{vd}, {vn}, {vm}"},
	{0xffb00c50, 0xee000840, "vmls{c}.{f}\t{vd}, {vn}, {vm}"},
	{0xffb00c50, 0xee100840, "vnmla{c}.{f}\t{vd}, {vn}, {vm}"},
	{0xffb00c50, 0xee100800, "vnmls{c}.{f}\t{vd}, {vn}, {vm}"},
	{0xffb00c50, 0xee200800, "vmul{c}.{f}\t{vd}, {vn}, {vm}"},
	{0xffb00c50, 0xee200840, "vnmul{c}.{f}\t{vd}, {vn}, {vm}"},
	{0xffb00c50, 0xee300800, "vadd{c}.{f}\t{vd}, {vn}, {vm}"},
	{0xffb00c50, 0xee300840, "vsub{c}.{f}\t{vd}, {vn}, {vm}"},
	{0xffb00c50, 0xee800800, "vdiv{c}.{f}\t{vd}, {vn}, {vm}"},
	{0xffb00c50, 0xeea00800, "vfma{c}.{f}\t{vd}, {vn}, {vm}"},
	{0xffb00c50, 0xeea00840, "vfms{c}.{f}\t{vd}, {vn}, {vm}"},
	{0xffb00c50, 0xee900840, "vfnma{c}.{f}\t{vd}, {vn}, {vm}"},
	{0xffb00c50, 0xee900800, "vfnms{c}.{f}\t{vd}, {vn}, {vm}"},
	{0xffb00cf0, 0xeeb00800, "vmov{c}.{f}\t{vd}, #{vfpimm}"},
	{0xffbf0ed0, 0xeeb00a40, "vmov{c}.{f}\t{vd}, {vm}"},
	{0xffbf0cd0, 0xeeb008c0, "vabs{c}.{f}\t{vd}, {vm}"},
	{0xffbf0cd0, 0xeeb10840, "vneg{c}.{f}\t{vd}, {vm}"},
	{0xffbf0cd0, 0xeeb108c0, "vsqrt{c}.{f}\t{vd}, {vm}"},
	{0xffbf0fd0, 0xeeb20a40, "vcvtb{c}.f32.f16\t{sd}, {sm}"},
	{0xffbf0fd0, 0xeeb20ac0, "vcvtt{c}.f32.f16\t{sd}, {sm}"},
	{0xffbf0fd0, 0xeeb20b40, "vcvtb{c}.f64.f16\t{dd}, {sm}"},
	{0xffbf0fd0, 0xeeb20bc0, "vcvtt{c}.f64.f16\t{dd}, {sm}"},
	{0xffbf0fd0, 0xeeb30a40, "vcvtb{c}.f16.f32\t{sd}, {sm}"},
	{0xffbf0fd0, 0xeeb30ac0, "vcvtt{c}.f16.f32\t{sd}, {sm}"},
	{0xffbf0fd0, 0xeeb30b40, "vcvtb{c}.f16.f64\t{sd}, {dm}"},
	{0xffbf0fd0, 0xeeb30bc0, "vcvtt{c}.f16.f64\t{sd}, {dm}"},
	{0xffbf0c50, 0xeeb40840, "vcmp{b7=e}{c}.{f}\t{vd}, {vm}"},
	{0xffbf0c70, 0xeeb50840, "vcmp{b7=e}{c}.{f}\t{vd}, #0.0"},
	{0xffbf0cd0, 0xeeb60840, "vrintr{c}.{f}\t{vd}, {vm}"},
	{0xffbf0cd0, 0xeeb608c0, "vrintz{c}.{f}\t{vd}, {vm}"},
	{0xffbf0cd0, 0xeeb70840, "vrintx{c}.{f}\t{vd}, {vm}"},
	{0xffbf0fd0, 0xeeb70ac0, "vcvt{c}.f64.f32\t{dd}, {sm}"},
	{0xffbf0fd0, 0xeeb70bc0, "vcvt{c}.f32.f64\t{sd}, {dm}"},
	{0xffbf0cd0, 0xeeb80840, "vcvt{c}.{f}.u32\t{vd}, {sm}"},
	{0xffbf0cd0, 0xeeb808c0, "vcvt{c}.{f}.s32\t{vd}, {sm}"},
	{0xffbe0c50, 0xeeba0840, "vcvt{c}.{f}.{fixed}\t{vd}, {vd}, #{fraction}"},
	{0xffbe0c50, 0xeebe0840, "vcvt{c}.{fixed}.{f}\t{vd}, {vd}, #{fraction}"},
	{0xffbf0cd0, 0xeebc0840, "vcvtr{c}.u32.{f}\t{sd}, {vm}"},
	{0xffbf0cd0, 0xeebc08c0, "vcvt{c}.u32.{f}\t{sd}, {vm}"},
	{0xffbf0cd0, 0xeebd0840, "vcvtr{c}.s32.{f}\t{sd}, {vm}"},
	{0xffbf0cd0, 0xeebd08c0, "vcvt{c}.s32.{f}\t{sd}, {vm}"},

	// ARMv8-M: never in an IT block.
	{0xffb00c50, 0xfe000800, "vseleq.{f}\t{vd}, {vn}, {vm}{IT}"},
	{0xffb00c50, 0xfe100800, "vselvs.{f}\t{vd}, {vn}, {vm}{IT}"},
	{0xffb00c50, 0xfe200800, "vselge.{f}\t{vd}, {vn}, {vm}{IT}"},
	{0xffb00c50, 0xfe300800, "vselgt.{f}\t{vd}, {vn}, {vm}{IT}"},
	{0xffb00c50, 0xfe800800, "vmaxnm.{f}\t{vd}, {vn}, {vm}{IT}"},
	{0xffb00c50, 0xfe800840, "vminnm.{f}\t{vd}, {vn}, {vm}{IT}"},
	{0xffbf0fd0, 0xfeb00a40, "vmovx.f16\t{sd}, {sm}{IT}"},
	{0xffbf0fd0, 0xfeb00ac0, "vins.f16\t{sd}, {sm}{IT}"},
	{0xffbc0cd0, 0xfeb80840, "vrint{mode}.{f}\t{vd}, {vm}{IT}"},
	{0xffbc0cd0, 0xfebc0840, "vcvt{mode}.u32.{f}\t{sd}, {vm}{IT}"},
	{0xffbc0cd0, 0xfebc08c0, "vcvt{mode}.s32.{f}\t{sd}, {vm}{IT}"},
}

// single and double are the numbers of a register: Vx:X or X:Vx, A6.2.
func (t *thumb) single(at, bit uint) uint32 { return t.word>>at&15<<1 | t.word>>bit&1 }
func (t *thumb) double(at, bit uint) uint32 { return t.word>>bit&1<<4 | t.word>>at&15 }

func (t *thumb) register(letter byte, n uint32) {
	t.text = strconv.AppendUint(append(t.text, letter), uint64(n), 10)
}

// precision is 3 for doubles, 2 for singles, 1 for halves; 0 is none.
func (t *thumb) precision() uint32 { return t.word >> 8 & 3 }

// float prints a register of the instruction's precision.
func (t *thumb) float(at, bit uint) {
	if t.precision() == 3 {
		t.register('d', t.double(at, bit))
	} else {
		t.register('s', t.single(at, bit))
	}
}

// span prints the registers of a load or store of several.
func (t *thumb) span(letter byte, first, count uint32) {
	t.put("{")
	t.register(letter, first)
	if count != 1 {
		t.put("-")
		t.register(letter, first+count-1)
	}
	t.put("}")
	t.bad = t.bad || count == 0 || first+count > 32
}

var _ = fields(map[string]func(*thumb){
	"dd":   func(t *thumb) { t.register('d', t.double(12, 22)) },
	"dn":   func(t *thumb) { t.register('d', t.double(16, 7)) },
	"dm":   func(t *thumb) { t.register('d', t.double(0, 5)) },
	"sd":   func(t *thumb) { t.register('s', t.single(12, 22)) },
	"sn":   func(t *thumb) { t.register('s', t.single(16, 7)) },
	"sm":   func(t *thumb) { t.register('s', t.single(0, 5)) },
	"sm+1": func(t *thumb) { t.register('s', t.single(0, 5)+1); t.bad = t.bad || t.single(0, 5) == 31 },
	"vd":   func(t *thumb) { t.float(12, 22) },
	"vn":   func(t *thumb) { t.float(16, 7) },
	"vm":   func(t *thumb) { t.float(0, 5) },
	"f": func(t *thumb) {
		t.put([]string{"", "f16", "f32", "f64"}[t.precision()])
		t.bad = t.bad || t.precision() == 0
	},
	"doubles":    func(t *thumb) { t.span('d', t.double(12, 22), t.word&0xff/2) },
	"singles":    func(t *thumb) { t.span('s', t.single(12, 22), t.word&0xff) },
	"deprecated": func(t *thumb) { t.remark("Deprecated") },
	"words":      func(t *thumb) { t.transfer(t.word & 0xff * 4) },
	"halves":     func(t *thumb) { t.transfer(t.word & 0xff * 2) },
	"fpspecial": func(t *thumb) {
		n := t.word >> 16 & 15
		switch name := fpRegisters[n]; {
		case name != "":
			t.put(name)
			if n == 9 || n == 10 {
				t.remark("Impl def")
			}
		default:
			t.text = append(appendHex(append(t.text, "<impl def 0x"...), n, 0), '>')
		}
	},
	"vfpimm": putFloatConstant,
	"fixed": func(t *thumb) {
		t.put([]string{"s", "u"}[t.word>>16&1])
		t.put([]string{"16", "32"}[t.word>>7&1])
	},
	"fraction": func(t *thumb) {
		size := []int64{16, 32}[t.word>>7&1]
		n := size - int64(t.word&15<<1|t.word>>5&1)
		t.bad = t.bad || t.precision() == 1 && size == 16
		t.number(n)
		t.value = 0
	},
	"mode": func(t *thumb) { t.put([]string{"a", "n", "p", "m"}[t.word>>16&3]) },
})

// fpRegisters are the system registers that VMRS and VMSR name.
var fpRegisters = [16]string{0: "fpsid", 1: "fpscr", 2: "fpscr_nzcvqc", 5: "mvfr2", 6: "mvfr1", 7: "mvfr0", 8: "fpexc", 9: "fpinst", 10: "fpinst2", 14: "fpcxt_ns", 15: "fpcxt_s"}

// putFloatConstant prints the 8 bits of a constant, and in the comment what number they stand
// for: A6.4.1, VFPExpandImm, as single precision.
func putFloatConstant(t *thumb) {
	imm8 := t.word>>12&0xf0 | t.word&15
	t.put(strconv.Itoa(int(imm8)))
	exponent := uint32(0x80) // NOT(b):bbbbb
	if imm8>>6&1 != 0 {
		exponent = 0x7c
	}
	word := imm8>>7<<31 | (exponent+imm8>>4&3)<<23 | imm8&15<<19
	value := float64(math.Float32frombits(word))
	sign := " "
	if value < 0 {
		sign, value = "-", -value
	}
	t.remark(string(appendHex([]byte("0x"), word, 8)) + " " + sign + decimals(value))
}

// decimals prints a number with as many digits as objdump: one, three or seven.
func decimals(v float64) string {
	for _, digits := range []int{1, 3} {
		scale := math.Pow10(digits)
		if v*scale == math.Trunc(v*scale) {
			return strconv.FormatFloat(v, 'f', digits, 64)
		}
	}
	return strconv.FormatFloat(v, 'f', 7, 64)
}
