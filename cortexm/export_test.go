package cortexm

import "fmt"

// PlanText lists the alternatives of the plan in use.
func (s *Sampler) PlanText() (text string) {
	if s.plan == nil {
		return "none"
	}
	for i, a := range s.plan.list {
		text += fmt.Sprintf("%d: %08x/%08x [%08x,%08x) %d words kind %d tail %08x\n", i, a.value, a.mask, a.low, a.high, a.words(), a.kind, a.tail)
	}
	for _, q := range s.plan.seq.packets {
		text += fmt.Sprintf("packet of %d bytes, response %d\n", len(q.raw), longestResponse(q))
	}
	return text + fmt.Sprintf("shared %d, expected %.1f transfers\n", s.plan.shared, s.plan.expected)
}

// GuessText lists what is guessed.
func (s *Sampler) GuessText() (text string) {
	if s.opening == nil || s.opening.guess == nil {
		return "none"
	}
	for i, a := range s.opening.guess.list {
		text += fmt.Sprintf("%d: %08x/%08x [%08x,%08x) %d words kind %d tail %08x\n", i, a.value, a.mask, a.low, a.high, a.words(), a.kind, a.tail)
	}
	for _, q := range s.opening.packets {
		text += fmt.Sprintf("packet of %d bytes in %d transfers, response %d\n", len(q.raw), len(q.transfers), longestResponse(q))
	}
	return text
}
