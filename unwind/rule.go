package unwind

import (
	"fmt"
	"strings"
)

// Rule says how to find the caller of a frame: phase one of unwinding, the
// same whatever the registers hold. The zero value is no rule.
type Rule struct {
	cfa    how // fromRegister, valExpression; unspecified: no rule
	reg    uint8
	ra     uint8 // column whose value in the caller is the return address
	method Method
	exact  bool // the caller was interrupted there (augmentation S)
	trap   bool // the same, by the trap that this code handles
	off    int32
	spare  int32  // CFA - SP, if the CFA is of another register and the instructions know both; noSpare
	saves  []save // sorted by column; a column that is not here keeps to the ABI
	exprs  [][]byte
}

// noSpare says that the CFA is known from one register only.
const noSpare = 0

// save is the rule of one column. n is an offset from the CFA, a column, or
// an index into Rule.exprs.
type save struct {
	column uint8
	how    how
	n      int32
}

// lower keeps of a row what matters to the machine. ok is false where the CFA
// is not defined or needs a register that the machine does not have.
func lower(r row, ra uint32, m *machine) (rule Rule, ok bool) {
	rule = Rule{cfa: r.cfa.how, ra: uint8(ra), off: r.cfa.n, method: FromCFI}
	switch r.cfa.how {
	case fromRegister:
		if r.cfa.reg >= m.columns {
			return Rule{}, false
		}
		rule.reg = uint8(r.cfa.reg)
	case valExpression:
		rule.off = rule.expression(r.cfa.expr)
	default:
		return Rule{}, false
	}
	if ra >= m.columns {
		return Rule{}, false
	}
	for _, x := range r.regs {
		if x.column >= m.columns || x.how == unspecified {
			continue
		}
		s := save{column: uint8(x.column), how: x.how, n: x.n}
		switch x.how {
		case atExpression, valExpression:
			s.n = rule.expression(x.expr)
		case inRegister:
			if uint32(x.n) >= m.columns {
				s.how = undefined
			}
		}
		rule.saves = append(rule.saves, s)
	}
	return rule, true
}

func (r *Rule) expression(p []byte) int32 {
	r.exprs = append(r.exprs, p)
	return int32(len(r.exprs) - 1)
}

// where finds the rule of a column.
func (r *Rule) where(column uint8) save {
	for _, s := range r.saves {
		if s.column == column {
			return s
		}
	}
	return save{column: column}
}

// add adds the rule of a column, unless it is that of the ABI.
func (r *Rule) add(s save) {
	if s.how != unspecified {
		r.saves = append(r.saves, s)
	}
}

// leafRule is that of a function that has stored nothing yet: CFA = SP,
// RA = LR.
func (m *machine) leafRule() Rule {
	return Rule{cfa: fromRegister, reg: uint8(m.sp), ra: uint8(m.link), method: FromLR}
}

// String gives the rule as readelf prints it: the CFA, then a column and where
// it is.
func (r Rule) String() string {
	var b strings.Builder
	switch r.cfa {
	case fromRegister:
		fmt.Fprintf(&b, "r%d%+d", r.reg, r.off)
	case fromMain:
		fmt.Fprintf(&b, "msp%+d", r.off)
	case valExpression:
		b.WriteString("exp")
	case noCaller:
		return Reason(r.off).String()
	default:
		return "none"
	}
	for _, s := range r.saves {
		if s.column == r.ra {
			b.WriteString(" ra:")
		} else {
			fmt.Fprintf(&b, " r%d:", s.column)
		}
		b.WriteString(s.text())
	}
	return b.String()
}

func (s save) text() string {
	switch s.how {
	case undefined:
		return "u"
	case sameValue:
		return "s"
	case atOffset:
		return fmt.Sprintf("c%+d", s.n)
	case valOffset:
		return fmt.Sprintf("v%+d", s.n)
	case inRegister:
		return fmt.Sprintf("r%d", s.n)
	case atExpression:
		return "exp"
	case valExpression:
		return "vexp"
	case onProcess:
		return fmt.Sprintf("psp%+d", s.n)
	case asMark:
		return "mark"
	}
	return "?"
}
