package diff

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Rule is a change that is too much: SUBJECT [QUANTITY] OPERATOR AMOUNT.
type Rule struct {
	Text     string
	subject  string // a name, a pattern with * and ?, or any
	context  bool   // it was written context:NAME
	quantity quantity
	above    bool    // the change must not be above amount, else not below
	equal    bool    // nor equal to it
	amount   float64 // of the quantity, or a part of the old value
	relative bool
}

var (
	ruleOperator = regexp.MustCompile(`^(.*?)\s*(>=|<=|>|<)\s*([^<>=]*)$`)
	ruleAmount   = regexp.MustCompile(`^([+-]?\d+(?:\.\d+)?|[+-]?\.\d+)\s*(%|pp|ns|us|µs|μs|ms|s|/s)$`)
)

// units are those of an amount: what it is of, and its size.
var units = map[string]struct {
	of   quantity
	size float64
}{
	"pp": {ofTotal, 0.01}, "/s": {ofCalls, 1},
	"ns": {ofCall, 1}, "us": {ofCall, 1e3}, "µs": {ofCall, 1e3}, "μs": {ofCall, 1e3}, "ms": {ofCall, 1e6}, "s": {ofCall, 1e9},
}

// ParseRule reads a rule. What it says of profiles is looked at by Diff.Judge.
//
//	isr_adc > +3%            its share (traces: its time per call) has grown by more than 3 % of what it was
//	isr_adc self > +0.5pp    its share without callees, by more than half a percent point
//	filter_* call > +2us     of traces: time per call
//	isr_adc calls < -10/s    of traces: calls per second
//	any > +1pp               any function
//	context:SysTick > +1pp   an interrupt or a task
func ParseRule(rule string) (*Rule, error) {
	fail := func(format string, args ...any) (*Rule, error) {
		return nil, fmt.Errorf("diff: rule %q: %s", rule, fmt.Sprintf(format, args...))
	}
	m := ruleOperator.FindStringSubmatch(rule)
	if m == nil {
		return fail("it has no comparison; write it as 'isr_adc > +3%%'")
	}
	r := &Rule{Text: rule, above: m[2][0] == '>', equal: len(m[2]) == 2}
	amount := ruleAmount.FindStringSubmatch(strings.TrimSpace(m[3]))
	if amount == nil {
		return fail("%q is no amount; write a number with %% (of the old value), pp (percent points), ns, us, ms, s (per call) or /s (calls)", m[3])
	}
	v, err := strconv.ParseFloat(amount[1], 64)
	if err != nil {
		return fail("%q is no number", amount[1])
	}
	if r.above && v < 0 || !r.above && v > 0 {
		return fail("an increase is written > +%s, a decrease < -%s", strings.TrimLeft(amount[1], "+-"), strings.TrimLeft(amount[1], "+-"))
	}
	r.split(strings.TrimSpace(m[1]))
	if r.subject == "" {
		return fail("of which function? name one, or a pattern with *, or any")
	}
	unit := amount[2]
	if r.relative = unit == "%"; r.relative {
		r.amount = v / 100
		return r, nil
	}
	r.amount = v * units[unit].size
	of := units[unit].of
	switch {
	case r.quantity == "":
		r.quantity = of
	case r.quantity != of && !(of == ofTotal && r.quantity == ofSelf):
		return fail("%s is not measured in %s", r.quantity, unit)
	}
	return r, nil
}

// split takes the quantity and quotes off the subject.
func (r *Rule) split(subject string) {
	if i := strings.LastIndexAny(subject, " \t"); i >= 0 && slices.Contains([]quantity{ofSelf, ofTotal, ofCall, ofCalls}, quantity(subject[i+1:])) {
		r.quantity, subject = quantity(subject[i+1:]), strings.TrimSpace(subject[:i])
	}
	if name, ok := strings.CutPrefix(subject, "context:"); ok {
		r.context, subject = true, name
	}
	if n := len(subject); n >= 2 && (subject[0] == '"' || subject[0] == '\'') && subject[n-1] == subject[0] {
		subject = subject[1 : n-1]
	}
	r.subject = subject
}

// wildcard tells whether a name fits a pattern, in which * stands for anything and ? for one
// character. Names of C++ hold all that other patterns give a meaning.
func wildcard(pattern, name string) bool {
	p, n := []rune(pattern), []rune(name)
	i, j, star, back := 0, 0, -1, 0
	for j < len(n) {
		switch {
		case i < len(p) && p[i] == '*':
			star, back = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == n[j]):
			i, j = i+1, j+1
		case star >= 0:
			back++
			i, j = star+1, back
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}
