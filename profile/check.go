package profile

import (
	"errors"
	"fmt"
)

// Check tests the invariants that exporters rely on: indexes are in range,
// callers stand before callees, names are unique and not empty, samples are in
// order, and times of a trace add up. A profile from a Builder passes; the error says what does not.
func (p *Profile) Check() error {
	if p.Duration < 0 || p.Period < 0 {
		return fmt.Errorf("profile: duration %v, period %v", p.Duration, p.Period)
	}
	if err := errors.Join(p.checkFunctions(), p.checkFrames(), p.checkThreads()); err != nil {
		return err
	}
	return p.checkTrace()
}

func (p *Profile) checkFunctions() error {
	byName := map[string]int{}
	for i, f := range p.Functions {
		if f.Name == "" {
			return fmt.Errorf("profile: function %d has no name", i)
		}
		if j, taken := byName[f.Name]; taken {
			return fmt.Errorf("profile: functions %d and %d are both named %q", j, i, f.Name)
		}
		byName[f.Name] = i
	}
	for i, s := range p.Symbols {
		if s.High < s.Low {
			return fmt.Errorf("profile: symbol %d (%s) ends before it starts", i, s.Name)
		}
	}
	return nil
}

func (p *Profile) checkFrames() error {
	for i, f := range p.Frames {
		switch {
		case f.Function < 0 || int(f.Function) >= len(p.Functions):
			return fmt.Errorf("profile: frame %d: function %d of %d", i, f.Function, len(p.Functions))
		case f.Symbol < None || int(f.Symbol) >= len(p.Symbols):
			return fmt.Errorf("profile: frame %d: symbol %d of %d", i, f.Symbol, len(p.Symbols))
		case f.Category >= NumCategories:
			return fmt.Errorf("profile: frame %d: category %d", i, f.Category)
		case f.Depth < 0 || f.Line < 0 || f.Col < 0:
			return fmt.Errorf("profile: frame %d: depth %d, line %d, column %d", i, f.Depth, f.Line, f.Col)
		}
	}
	for i, s := range p.Stacks {
		if s.Prefix < None || int(s.Prefix) >= i {
			return fmt.Errorf("profile: stack %d: caller %d does not stand before it", i, s.Prefix)
		}
		if s.Frame < 0 || int(s.Frame) >= len(p.Frames) {
			return fmt.Errorf("profile: stack %d: frame %d of %d", i, s.Frame, len(p.Frames))
		}
	}
	return nil
}

func (p *Profile) checkThreads() error {
	if len(p.Threads) == 0 {
		return errors.New("profile: no thread")
	}
	for _, t := range p.Threads {
		if t.Name == "" {
			return errors.New("profile: a thread without name")
		}
		for i, s := range t.Samples {
			switch {
			case s.Stack < 0 || int(s.Stack) >= len(p.Stacks):
				return fmt.Errorf("profile: thread %s, sample %d: stack %d of %d", t.Name, i, s.Stack, len(p.Stacks))
			case i > 0 && s.Time < t.Samples[i-1].Time:
				return fmt.Errorf("profile: thread %s, sample %d is earlier than the one before", t.Name, i)
			case s.Count < 0, s.Count == 0 && p.Trace == nil:
				return fmt.Errorf("profile: thread %s, sample %d counts %d", t.Name, i, s.Count)
			case s.Weight < 0 || s.Halted < 0:
				return fmt.Errorf("profile: thread %s, sample %d: weight %v, halted %v", t.Name, i, s.Weight, s.Halted)
			}
		}
	}
	return nil
}
