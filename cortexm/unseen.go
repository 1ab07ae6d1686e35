package cortexm

import (
	"cmp"
	"slices"
)

// What is believed of stack pointers that were not seen yet, against those that
// were: this share of the samples, spread evenly over each known stack and a
// margin below the lowest stack pointer seen in it.
const (
	unseenShare  = 0.01
	unseenMargin = 128 // bytes at least, and half the depth of the stack
	unseenStep   = 16  // bytes
	unseenMost   = 2048
)

// withUnseen adds light keys for the stack pointers between those seen, so that
// the plan has an answer for a new depth of a known stack. floor is added as a
// stack of its own if nothing was seen in it: the main stack before the first
// handler ran.
func withUnseen(keys []key, floor []Extent) []key {
	all := slices.Clone(keys)
	total := 1.0
	for _, k := range keys {
		total += k.weight
	}
	stacks := stacksOf(keys)
	for _, f := range floor {
		if !slices.ContainsFunc(stacks, func(s stack) bool { return s.contains(f.High-4) || s.High == f.High }) {
			stacks = append(stacks, stack{f, 0})
		}
	}
	for _, s := range stacks {
		low := (s.Low - min(s.Low, max(unseenMargin, (s.High-s.Low)/2))) &^ (smallestBlock - 1)
		step := uint32(unseenStep)
		for (s.High-low)/step > unseenMost/unseenStep {
			step *= 2
		}
		n := float64((s.High-low)/step + 1)
		share := (s.weight/total*0.8 + 0.2/float64(len(stacks))) * unseenShare * total / n
		for sp := low; sp <= s.High; sp += step {
			all = append(all, key{sp: sp, high: s.High, weight: share})
		}
	}
	slices.SortFunc(all, func(a, b key) int { return cmp.Or(cmp.Compare(a.sp, b.sp), cmp.Compare(a.high, b.high)) })
	return all
}

// stack is a stack as the samples show it: from the lowest stack pointer seen
// to the highest word needed.
type stack struct {
	Extent
	weight float64
}

// stacksOf gathers keys into stacks. Keys of one task end at the same word, the
// frame of its outermost function; a stack that ends inside another one is part
// of it (an unwind that stopped early).
func stacksOf(keys []key) (stacks []stack) {
	byTop := make(map[uint32]stack)
	for _, k := range keys {
		s, ok := byTop[k.high]
		if !ok {
			s.Extent = Extent{k.sp, k.high}
		}
		s.Low, s.weight = min(s.Low, k.sp), s.weight+k.weight
		byTop[k.high] = s
	}
	for _, s := range byTop {
		stacks = append(stacks, s)
	}
	slices.SortFunc(stacks, func(a, b stack) int { return cmp.Compare(b.High, a.High) })
	merged := stacks[:0]
	for _, s := range stacks {
		if n := len(merged); n > 0 && s.High > merged[n-1].Low {
			merged[n-1].Low = min(merged[n-1].Low, s.Low)
			merged[n-1].weight += s.weight
			continue
		}
		merged = append(merged, s)
	}
	return merged
}
