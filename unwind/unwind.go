package unwind

import (
	"errors"
	"fmt"

	"github.com/mprof/mprof/snapshot"
)

// MaxDepth is the largest number of frames of a stack.
const MaxDepth = 256

// Unwinder rebuilds stacks of one program. It caches what it learns of the
// program, without bound only in the number of functions; it is not for use by
// several goroutines at once.
type Unwinder struct {
	machine *machine
	code    code
	cfi     *cfi
	checked *checked
	exidx   *exidx
	finders []finder
	sites   *siteCache
	blind   Rule // of a leaf about which nothing is known
	walk    walk
	trial   walk // see farthest
	ranges  []Range
}

// finder is one method of phase one: it finds the rule at pc, or tells at
// least the bounds of the function around it, if it knows them.
type finder interface {
	find(c *code, pc uint32) (rule Rule, around Range, ok bool)
}

// explainer is a finder that can fail to read what it knows.
type explainer interface {
	// failure says why there is no rule at pc, nil where nothing is known of it.
	failure(c *code, pc uint32) error
	// remark says what could not be read so far, "" where nothing was damaged.
	remark() string
}

var errNoCode = errors.New("unwind: program has no executable section")

// New makes an unwinder for a program. It reads nothing yet: sections are
// decoded when an address in them is first needed, and what cannot be decoded
// then is told by Remarks.
func New(p Program) (*Unwinder, error) {
	if int(p.Arch) >= len(machines) {
		return nil, fmt.Errorf("unwind: %v (%d)", p.Arch, p.Arch)
	}
	return newFor(machines[p.Arch], p)
}

func newFor(m *machine, p Program) (*Unwinder, error) {
	if len(p.Code) == 0 {
		return nil, errNoCode
	}
	for i, r := range p.Code {
		if r.Low >= r.High || i > 0 && r.Low < p.Code[i-1].High {
			return nil, fmt.Errorf("unwind: executable section 0x%08x-0x%08x: empty or not sorted", r.Low, r.High)
		}
	}
	u := &Unwinder{machine: m, sites: new(siteCache)}
	u.code = code{p: &p, m: m}
	u.cfi = &cfi{machine: m}
	for _, t := range append([]Tables{{p.DebugFrame, p.EHFrame, p.EHFrameAt, p.Exidx}}, p.Others...) {
		if len(t.DebugFrame) > 0 {
			u.cfi.sections = append(u.cfi.sections, section{name: ".debug_frame", data: t.DebugFrame})
		}
		if len(t.EHFrame) > 0 {
			u.cfi.sections = append(u.cfi.sections, section{name: ".eh_frame", data: t.EHFrame, addr: t.EHFrameAt, eh: true})
		}
	}
	u.checked = &checked{cfi: u.cfi, code: analysis{m}}
	u.exidx = &exidx{m: m, spans: p.indexes()}
	u.finders = u.open(p.Methods)
	u.blind = m.leafRule()
	u.walk.u, u.walk.m = u, m
	return u, nil
}

// Unwind appends the frames of s to dst, innermost first, and says why they
// end. The frames are valid whatever the reason. It allocates nothing but
// room in dst once the addresses of the stack are known.
func (u *Unwinder) Unwind(dst []Frame, s *snapshot.Snapshot) ([]Frame, Stop) {
	frames, stop := u.walk.run(dst, s)
	if (stop.Reason == NotCaptured || stop.Reason == NoRegister) && s.State&snapshot.Shortened != 0 {
		stop.Reason = Shortened
	}
	return frames, stop
}

// Touched gives the stack words that the last Unwind read or wanted to read,
// adjacent ones as one range, by address. A register that a function saved is read
// where its value is needed, so most saved ones are not among them. The slice is
// valid until the next Unwind.
func (u *Unwinder) Touched() []Range {
	u.ranges = u.walk.mem.runs(u.ranges[:0])
	return u.ranges
}

// Consulted tells whether the last Unwind needed register r of the snapshot,
// captured or not. PC and SP it always needs.
func (u *Unwinder) Consulted(r snapshot.Reg) bool { return u.walk.consulted.Has(r) }

// Remarks tells in sentences what limits the stacks of this program.
func (u *Unwinder) Remarks() []string {
	var out []string
	switch {
	case len(u.cfi.sections) > 0 || u.code.p.Methods == FramePointers:
	case openExidx(u) != nil:
		out = append(out, "no .debug_frame: stacks are found by .ARM.exidx and by analysing instructions; compile with -g to get call frame information")
	default:
		out = append(out, "no .debug_frame: stacks are found by analysing instructions; compile with -g to get call frame information")
	}
	if u.code.p.ReadCode == nil {
		out = append(out, "no code bytes: functions without call frame information cannot be unwound")
	}
	for _, f := range u.finders {
		if e, ok := f.(explainer); ok && e.remark() != "" {
			out = append(out, e.remark())
		}
	}
	return out
}

// RuleAt is phase one alone: the rule at an address, as Frame.LookupPC gives
// it. The error is a *DecodeError where unwind information exists but
// cannot be read; the zero Rule says that no method knows the address.
func (u *Unwinder) RuleAt(pc uint32) (Rule, error) {
	s := u.site(pc)
	if s.rule.cfa != unspecified {
		return s.rule, nil
	}
	for _, f := range u.finders {
		if e, ok := f.(explainer); ok {
			if err := e.failure(&u.code, pc); err != nil {
				return Rule{}, err
			}
		}
	}
	return Rule{}, nil
}
