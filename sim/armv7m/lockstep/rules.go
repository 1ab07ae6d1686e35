package lockstep

// RuleID names the reason for which an encoding is left out.
type RuleID string

// Rule is a reason for which an encoding is not drawn: the manual gives it no
// defined behaviour, so that two correct processors may differ.
type Rule struct {
	ID      RuleID
	Section string // of DDI 0403E
	Text    string
}

// undefined is what a check answers where the manual says UNDEFINED: not left
// out, but expected to fault.
const undefined RuleID = "undefined"

// Rules lists every encoding that is left out as UNPREDICTABLE.
var Rules = []Rule{
	{"should-be", "A5.1.1", "a bit shown as (0) or (1) has the other value"},
	{"r15", "A5.1.2", "R15 where the encoding does not allow it"},
	{"r13", "A5.1.3", "R13 where the encoding does not allow it"},
	{"expand", "A5.3.2", "ThumbExpandImm of 00XY00XY, XY00XY00 or XYXYXYXY with XY zero"},
	{"high", "A7.7, ADD (register), CMP (register)", "ADD (register) T2 of PC to PC; CMP (register) T2 of two low registers"},
	{"move", "A7.7, MOV (register)", "MOV (register) T3 that copies SP to SP or sets flags with SP"},
	{"sp-shift", "A7.7, ADD (SP plus register), SUB (SP minus register)", "ADD or SUB to SP with a shift other than LSL #0 to #3"},
	{"list", "A7.7, LDM, STM, PUSH, POP", "a register list that is empty or, in 32 bits, of one; both LR and PC; write-back to a register of the list"},
	{"write-back", "A7.7, LDR, STR, LDRD, STRD", "write-back to a register that is loaded or stored, or to PC; LDRD of one register twice"},
	{"exclusive", "A7.7, STREX, STREXB, STREXH", "STREX whose status register is the address or the data"},
	{"table", "A7.7, TBB, TBH", "TBB, TBH with SP as base"},
	{"twice", "A7.7, CLZ, RBIT, REV, REV16, REVSH", "the two copies of Rm differ in CLZ, RBIT, REV, REV16, REVSH"},
	{"long", "A7.7, SMULL, SMLAL, UMULL, UMLAL, UMAAL", "a long multiply with both halves in one register"},
	{"field", "A7.7, BFC, BFI, SBFX, UBFX", "a bit field that ends before it begins or beyond bit 31"},
	{"cps", "B5.2, CPS", "it affects nothing; in ARMv6-M, FAULTMASK"},
	{"it", "A7.7, IT", "IT with condition 1111, or with 1110 and an else"},
	{"special-register", "B5.1, B5.2, MRS, MSR", "MRS, MSR of a reserved number, with a mask that it has not, or with the GE bits and no DSP extension"},
	{"fixed", "A7.7, VCVT (between floating-point and fixed-point)", "a fixed-point number with more bits behind the point than it has"},
	{"fp-list", "A7.7, VLDM, VSTM, VMOV", "no extension register, or one beyond the last"},
	{"fp-twice", "A7.7, VMOV", "two extension registers into one core register"},
	{"branch-register", "DDI 0419 A6.7, BX", "BX of PC in ARMv6-M"},
}

// Check tells which rule leaves an instruction out, or that it is UNDEFINED, or
// "" for an instruction with defined behaviour.
func Check(a Level, w Word) RuleID {
	p := w.P
	if p.Check != nil {
		if r := p.Check(a, w); r == undefined {
			return r
		}
	}
	if w.W&p.soft != p.softValue {
		return "should-be"
	}
	for i := range len(p.Not1315) {
		switch w.Get(p.Not1315[i]) {
		case 13:
			return "r13"
		case 15:
			return "r15"
		}
	}
	for i := range len(p.Not15) {
		if w.Get(p.Not15[i]) == 15 {
			return "r15"
		}
	}
	if p.Check != nil {
		return p.Check(a, w)
	}
	return ""
}
