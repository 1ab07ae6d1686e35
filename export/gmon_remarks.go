package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mprof/mprof/profile"
)

// Remarks says what a gmon.out of p does not hold, and what gprof takes for something else.
func (g Gmon) Remarks(p *profile.Profile) (out []string) {
	_, dropped := g.data(p)
	total := gmonTotal(p)
	part := func(n int64) string { return percent(float64(n)/float64(max(total, 1))) + " of the " + gmonUnit(p) }
	add := func(format string, args ...any) { out = append(out, "gmon.out: "+fmt.Sprintf(format, args...)) }
	if lost := gmonLost(p); lost != "" {
		add("%s", lost)
	}
	if dropped.nowhere > 0 {
		add("%s has no address (asleep, or no frame is known) and is left out", part(dropped.nowhere))
	}
	if dropped.outside > 0 {
		add("%s is outside of the limits and is left out", part(dropped.outside))
	}
	if names, n := gmonMisread(p); n > 0 {
		add("gprof may show %s at other functions, or nowhere (%s): its table of symbols lacks clones, code in RAM and code without symbols. A table that has them: -o gmon.syms, then gprof -S gmon.syms", part(n), names)
	}
	return out
}

func gmonUnit(p *profile.Profile) string {
	if p.Trace != nil {
		return "time"
	}
	return "samples"
}

// gmonLost names what the format has no place for and the profile has.
func gmonLost(p *profile.Profile) string {
	var lost []string
	deep, inlined, asleep := false, false, false
	for _, s := range p.ByStack() {
		f := &p.Frames[p.Stacks[s.Stack].Frame]
		deep = deep || p.Stacks[s.Stack].Prefix != profile.None && f.Depth == 0
		inlined = inlined || f.Depth > 0
		asleep = asleep || f.Category == profile.Idle
	}
	if deep && p.Trace == nil {
		lost = append(lost, "callers are left out: samples do not count calls")
	}
	if len(p.Threads) > 1 {
		lost = append(lost, "tasks and interrupts are added up")
	}
	if inlined {
		lost = append(lost, "the time of inlined functions is that of the function around them")
	}
	if asleep {
		lost = append(lost, "time asleep is that of the function that sleeps")
	}
	return strings.Join(lost, "; ")
}

// maxMisread bounds the functions that are named.
const maxMisread = 3

// gmonMisread adds up what gprof's own table of symbols is wrong for: local names with a dot, code
// in RAM, which is in .data as a rule, and code without symbol. It names the largest.
func gmonMisread(p *profile.Profile) (names string, n int64) {
	byName := map[string]int64{}
	ram := gmonInRAM(p)
	for _, s := range p.ByStack() {
		f := &p.Frames[p.Stacks[s.Stack].Frame]
		name := p.Functions[f.Function].Name
		if f.Symbol != profile.None {
			name = p.Symbols[f.Symbol].Name
		}
		if _, known := physicalAddr(p, s.Stack); known && (p.Functions[f.Function].Label || ram(f.Addr) || strings.Contains(name, ".")) {
			byName[name] += gmonAmount(p, s)
		}
	}
	var all []string
	for name, amount := range byName {
		n += amount
		all = append(all, name)
	}
	slices.SortFunc(all, func(a, b string) int {
		if byName[a] != byName[b] {
			return int(min(max(byName[b]-byName[a], -1), 1))
		}
		return strings.Compare(a, b)
	})
	if len(all) > maxMisread {
		all = append(all[:maxMisread], fmt.Sprintf("%d more", len(all)-maxMisread))
	}
	return strings.Join(all, ", "), n
}

// gmonInRAM tells which addresses are in RAM: the region that the architecture has it in (ARMv7-M ARM, table B3-1),
// unless most functions are there, as on chips whose flash is.
func gmonInRAM(p *profile.Profile) func(addr uint32) bool {
	region := func(addr uint32) bool { return addr >= 0x20000000 && addr < 0x40000000 }
	inside := 0
	for _, s := range p.Symbols {
		if region(s.Low) {
			inside++
		}
	}
	if 2*inside > len(p.Symbols) {
		return func(uint32) bool { return false }
	}
	return region
}
