package unwind

import "fmt"

// exidx is the method for code without call frame information that carries the
// exception-handling tables of the ARM ABI. They describe a function between its
// prologue and its epilogue, where calls are and exceptions are thrown: at a call
// they count as they are, unless the instructions refute them. Anywhere else the
// instructions must confirm them.
type exidx struct {
	m       *machine
	spans   []Range // of the sections
	table   exidxTable
	built   bool
	damaged int // entries that were needed and could not be decoded
	err     error
}

// indexes lists where the index tables of all images lie.
func (p *Program) indexes() (all []Range) {
	if p.Exidx.High > p.Exidx.Low {
		all = append(all, p.Exidx)
	}
	for _, o := range p.Others {
		if o.Exidx.High > o.Exidx.Low {
			all = append(all, o.Exidx)
		}
	}
	return all
}

func openExidx(u *Unwinder) finder {
	if len(u.exidx.spans) == 0 {
		return nil
	}
	return u.exidx
}

func (x *exidx) find(c *code, pc uint32) (Rule, Range, bool) {
	i, fn, ok := x.covering(c, pc)
	if !ok || x.table.entries[i].word == cantUnwind {
		return Rule{}, Range{}, false
	}
	rule, err := x.rule(c, i)
	if err != nil {
		x.note(err)
		return Rule{}, Range{}, false
	}
	better, ok := x.check(c, rule, fn, pc)
	return better, fn, ok
}

// covering finds the entry of pc and the function that it describes. An entry
// reaches to where the next begins, whatever the linker placed between: a
// function symbol that starts behind the entry is another's, and linkers that
// join entries with the same instructions leave no more to tell by.
func (x *exidx) covering(c *code, pc uint32) (int, Range, bool) {
	if !x.built {
		x.built = true
		for _, span := range x.spans {
			x.table.read(c, span)
		}
		x.err = x.table.err
	}
	i, covers, ok := x.table.lookup(pc, c.at(pc).High)
	if !ok || !c.holds(covers.Low, covers.High) {
		return 0, Range{}, false
	}
	if f, ok := c.function(pc); ok && f.Contains(pc) {
		if f.Low > covers.Low {
			return 0, Range{}, false
		}
		covers.High = min(covers.High, f.High)
	}
	return i, covers, true
}

// rule lowers entry i.
func (x *exidx) rule(c *code, i int) (Rule, error) {
	ops, err := x.table.ops(c, i)
	if err != nil {
		return Rule{}, err
	}
	var v virtualStack
	if _, err = v.run(ops, x.m.sp); err != nil {
		return Rule{}, x.table.located(x.table.entries[i].off, 0, err)
	}
	return v.rule(x.m), nil
}

// check holds the rule against the instructions from the function's entry to
// pc. Code that no symbol confirms must at least be reached from there.
func (x *exidx) check(c *code, rule Rule, fn Range, pc uint32) (Rule, bool) {
	f := c.frames(fn, fn.Low)
	s, ok := f.at(pc)
	if pc&1 == 0 { // not at a call
		if !ok {
			return Rule{}, false
		}
		if s.confirms(&rule, x.m) {
			return rule, true
		}
		return s.rule(x.m)
	}
	if !ok {
		_, named := c.function(pc)
		return rule, named
	}
	if s.refutes(&rule, x.m) {
		if better, ok := s.rule(x.m); ok && !f.differ {
			return better, true
		}
	}
	return rule, true
}

// confirms tells whether CFA and return address are where the rule says.
func (f *frameState) confirms(r *Rule, m *machine) bool {
	if r.cfa != fromRegister || f.reg[r.reg].add(uint32(r.off)) != (content{kind: frameAt}) {
		return false
	}
	var scratch Rule
	return r.where(r.ra) == f.find(&scratch, m, uint32(r.ra))
}

func (x *exidx) note(err error) {
	x.damaged++
	if x.err == nil {
		x.err = err
	}
}

// failure says why there is no rule at pc, nil where the tables have nothing
// about it.
func (x *exidx) failure(c *code, pc uint32) error {
	i, _, ok := x.covering(c, pc)
	if !ok || x.table.entries[i].word == cantUnwind {
		return x.table.err
	}
	_, err := x.rule(c, i)
	return err
}

func (x *exidx) remark() string {
	if x.err == nil {
		return ""
	}
	return fmt.Sprintf("damaged exception-handling tables (%d functions met so far): %v", x.damaged, x.err)
}

// exidxEnd is the method for code that is marked as not to be unwound and that
// no other method knows: start-up code, or code that was compiled without
// tables and lies between code with them.
type exidxEnd struct{ x *exidx }

func openExidxEnd(u *Unwinder) finder {
	if openExidx(u) == nil {
		return nil
	}
	return exidxEnd{u.exidx}
}

func (e exidxEnd) find(c *code, pc uint32) (Rule, Range, bool) {
	i, fn, ok := e.x.covering(c, pc)
	if !ok || e.x.table.entries[i].word != cantUnwind {
		return Rule{}, Range{}, false
	}
	rule := Rule{cfa: noCaller, off: int32(CantUnwind), method: FromEXIDX}
	if !c.called(fn.Low) { // a thread begins here, or a handler
		rule.off = int32(Complete)
	}
	return rule, fn, true
}
