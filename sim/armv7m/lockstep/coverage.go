package lockstep

import (
	"fmt"
	"strings"
)

// Coverage counts, for one architecture, how often an instruction of each
// pattern was executed: reached, and its condition passed.
type Coverage struct {
	Arch       Level
	Executed   []int // by pattern
	Undefined  int
	Exceptions int // taken from Thread mode
	LeftOut    map[RuleID]int
}

// NewCoverage is empty.
func NewCoverage(a Level) *Coverage {
	return &Coverage{Arch: a, Executed: make([]int, len(Patterns)), LeftOut: map[RuleID]int{}}
}

// Add counts one step of a stream. The error is an instruction that did what
// its pattern rules out: an UNDEFINED one that took no fault, or a computation
// that took one.
func (c *Coverage) Add(s *Stream, before, after *State) error {
	pc := before.R[15]
	if int(pc/2) >= len(s.marks) {
		return nil
	}
	exception := after.XPSR & 0x1ff
	excepted := before.XPSR&0x1ff == 0 && exception != 0
	if excepted {
		c.Exceptions++
	}
	if excepted && (exception == 2 || exception >= 14) {
		return nil // asynchronous: the instruction may still be to come
	}
	switch m := s.marks[pc/2].pattern; {
	case m == undefinedMark:
		c.Undefined++
		if !excepted {
			return fmt.Errorf("lockstep: an UNDEFINED encoding was executed\n%s", disassemble(s.Flash, pc))
		}
	case m > 0 && passes(before.XPSR):
		p := Patterns[m-1]
		if excepted && p.Need == FPv4 {
			return nil // access is closed, or an address has no memory
		}
		c.Executed[p.index]++
		if excepted && p.Kind == plain && !strings.HasPrefix(p.Name, "SDIV") && !strings.HasPrefix(p.Name, "UDIV") {
			return fmt.Errorf("lockstep: %s took exception %d\n%s", p.Name, exception, disassemble(s.Flash, pc))
		}
	}
	return nil
}

// passes tells whether an instruction at this state executes (A7.3).
func passes(xpsr uint32) bool {
	it := xpsr>>25&3 | xpsr>>10&0x3f<<2
	if it&15 == 0 {
		return true
	}
	n, z, c, v := xpsr>>31 == 1, xpsr>>30&1 == 1, xpsr>>29&1 == 1, xpsr>>28&1 == 1
	pass := [...]bool{z, c, n, v, c && !z, n == v, !z && n == v, true}[it>>5]
	return pass != (it>>4&1 == 1 && it>>4 != 15)
}

// Missing names the patterns of the architecture that were never executed.
func (c *Coverage) Missing() []string {
	var names []string
	for _, p := range Patterns {
		if c.Arch.Has(p.Need) && !p.Barred && c.Executed[p.index] == 0 {
			names = append(names, p.Name)
		}
	}
	return names
}

// String is the report: one line for each pattern, and for each rule how many
// draws it left out.
func (c *Coverage) String() string {
	var b strings.Builder
	for _, p := range Patterns {
		if c.Arch.Has(p.Need) {
			note := ""
			if p.Barred {
				note = "  UNPREDICTABLE"
			}
			fmt.Fprintf(&b, "%9d  %s%s\n", c.Executed[p.index], p.Name, note)
		}
	}
	fmt.Fprintf(&b, "%9d  UNDEFINED\n", c.Undefined)
	for _, r := range Rules {
		fmt.Fprintf(&b, "%9d  left out by %s (%s): %s\n", c.LeftOut[r.ID], r.ID, r.Section, r.Text)
	}
	return b.String()
}
