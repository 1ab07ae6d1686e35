package diff

import (
	"strings"
	"testing"
)

func TestParseRule(t *testing.T) {
	for text, want := range map[string]Rule{
		"isr_adc > +3%":                     {subject: "isr_adc", above: true, amount: 0.03, relative: true},
		"isr_adc>3%":                        {subject: "isr_adc", above: true, amount: 0.03, relative: true},
		"isr_adc self >= +0.5pp":            {subject: "isr_adc", quantity: ofSelf, above: true, equal: true, amount: 0.005},
		"isr_adc > +1 pp":                   {subject: "isr_adc", quantity: ofTotal, above: true, amount: 0.01},
		"filter_* call > +2us":              {subject: "filter_*", quantity: ofCall, above: true, amount: 2000},
		"filter > +2µs":                     {subject: "filter", quantity: ofCall, above: true, amount: 2000},
		"filter calls < -10/s":              {subject: "filter", quantity: ofCalls, amount: -10},
		"filter calls > +10%":               {subject: "filter", quantity: ofCalls, above: true, amount: 0.1, relative: true},
		"any > +1pp":                        {subject: "any", quantity: ofTotal, above: true, amount: 0.01},
		"context:IRQ 5 > +1pp":              {subject: "IRQ 5", context: true, quantity: ofTotal, above: true, amount: 0.01},
		"Ring<int>::push(int) const > +0pp": {subject: "Ring<int>::push(int) const", quantity: ofTotal, above: true},
		"'std::less<>::operator()' > +.5%":  {subject: "std::less<>::operator()", above: true, amount: 0.005, relative: true},
		"operator>> self > +1pp":            {subject: "operator>>", quantity: ofSelf, above: true, amount: 0.01},
		"self > +1pp":                       {subject: "self", quantity: ofTotal, above: true, amount: 0.01},
	} {
		want.Text = text
		if r, err := ParseRule(text); err != nil || *r != want {
			t.Errorf("%s: %+v, %v; want %+v", text, r, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                     "no comparison",
		"isr_adc":              "no comparison",
		"isr_adc > ":           "no amount",
		"isr_adc > 3":          "no amount",
		"isr_adc > 3 apples":   "no amount",
		"isr_adc > -3%":        "an increase is written > +3",
		"isr_adc < 3%":         "a decrease < -3",
		"> 3%":                 "of which function?",
		"isr_adc self > +3us":  "not measured in us",
		"isr_adc calls > +3pp": "not measured in pp",
		"isr_adc > 1e400%":     "no amount",
	} {
		if r, err := ParseRule(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v; want %q", text, r, err, want)
		}
	}
}

func TestWildcard(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		fits          bool
	}{
		{"isr_*", "isr_adc", true}, {"isr_*", "xisr_adc", false}, {"*", "", true}, {"*adc", "isr_adc", true}, {"isr_?dc", "isr_adc", true},
		{"*::push(*", "Ring<int>::push(int)", true}, {"a*b*c", "aXbXbYc", true}, {"a*b*c", "aXbXbY", false}, {"[a]", "a", false}, {"?", "é", true},
	} {
		if wildcard(c.pattern, c.name) != c.fits {
			t.Errorf("%s, %s: want %v", c.pattern, c.name, c.fits)
		}
	}
}

// A rule that is taken says the same when it is written again.
func FuzzParseRule(f *testing.F) {
	for _, seed := range []string{"isr_adc > +3%", "any self>=+0.5pp", "context:'IRQ 5' < -1pp", "a<b> call > 2.5us", "x calls < -1/s", ">>>1%"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRule(text)
		if err != nil {
			return
		}
		if r.subject == "" || r.amount < 0 == r.above && r.amount != 0 {
			t.Fatalf("%q: %+v", text, r)
		}
		wildcard(r.subject, text)
	})
}
