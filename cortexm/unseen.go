package cortexm

import (
	"cmp"
	"slices"
)

// What is believed of stack pointers that were not seen yet: as many samples as
// wanted something that no other did (Good and Turing's estimate of what is to
// come), spread evenly over each known stack and a margin below the lowest stack
// pointer seen in it, want the words that are next and then those that others of
// the same stack want.
const (
	unseenLeast  = 0.0003 // of the samples
	unseenShare  = 0.2    // at most
	unseenMargin = 128    // bytes at least, and half the depth of the stack,
	unseenLowest = 512    // at most
	unseenStep   = 16     // bytes
	unseenMost   = 1024
	unseenNear   = 96  // bytes
	unseenDense  = 0.3 // of them want everything
)

// withUnseen adds light demands for the stack pointers between those seen, so that
// the plan has an answer for a new depth of a known stack. floor is added as a stack of its own if
// nothing was seen in it: the main stack before the first handler ran.
func withUnseen(seen []demand, floor []Extent, ram []Range) []demand {
	all := slices.Clone(seen)
	total := 1.0
	var keys []key
	var known []uint32
	for _, d := range seen {
		total += d.weight
		k := key{sp: d.sp, high: d.sp, weight: d.weight}
		if n := len(d.words); n > 0 {
			k.high = max(k.high, d.words[n-1]+4)
		}
		keys = append(keys, k)
		known = append(known, d.words...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	stacks := stacksOf(keys)
	for _, f := range floor {
		if !slices.ContainsFunc(stacks, func(s stack) bool { return s.contains(f.High-4) || s.High == f.High }) {
			stacks = append(stacks, stack{f, 0})
		}
	}
	for _, s := range stacks {
		all = append(all, s.unseen(seen, known, total, ram)...)
	}
	slices.SortStableFunc(all, compareDemands)
	return all
}

// unseen are the demands of one stack: half of them at the stack pointers that
// were seen, on other ways to there. Some have a frame at a place where none was.
func (s stack) unseen(seen []demand, known []uint32, total float64, ram []Range) (all []demand) {
	var regs uint32
	for _, d := range seen {
		if s.contains(d.sp) {
			regs |= d.regs
		}
	}
	add := func(sp uint32, weight float64) {
		if weight == 0 || sp >= s.High {
			return
		}
		near := demand{sp: sp, regs: regs, weight: weight * (1 - unseenDense)}
		dense := demand{sp: sp, regs: regs, weight: weight * unseenDense}
		for a := sp &^ 3; a < s.High; a += 4 {
			dense.words = append(dense.words, a)
		}
		near.words = append(near.words, dense.words[:min(len(dense.words), unseenNear/4)]...)
		i, _ := slices.BinarySearch(known, sp+unseenNear)
		j, _ := slices.BinarySearch(known, s.High)
		near.words = append(near.words, known[min(i, j):j]...)
		all = append(all, near, dense)
	}
	low := (s.Low - min(s.Low, max(unseenMargin, min(unseenLowest, (s.High-s.Low)/2)))) &^ (smallestBlock - 1)
	low = max(low, Extent{low, s.High}.from(ram).Low)
	step := uint32(unseenStep)
	for (s.High-low)/step > unseenMost/unseenStep {
		step *= 2
	}
	elsewhere := unseenLeast * total
	for i := 0; i < len(seen); {
		sp, single := seen[i].sp, 0.0
		for ; i < len(seen) && seen[i].sp == sp; i++ {
			single += seen[i].single / 2
		}
		if s.contains(sp) {
			add(sp, single)
			elsewhere += single
		}
	}
	n := float64((s.High-low)/step + 1)
	for sp := low; sp < s.High; sp += step {
		add(sp, min(elsewhere, unseenShare*total)/n)
	}
	return all
}

// Words of the frame that an exception leaves (ARMv7-M ARM B1.5.6): 8 of them,
// LR, ReturnAddress and xPSR last.
const exceptionFrame, exceptionLR = 32, 20

// withInterrupted adds light demands for the threads that a handler was not seen
// to interrupt yet: the words that they want, with an exception frame below.
func withInterrupted(seen, threads []demand) []demand {
	if len(seen) == 0 {
		return nil
	}
	total, share := 1.0, 0.0
	for _, d := range threads {
		total += d.weight
	}
	for _, d := range seen {
		share += max(d.single, unseenLeast*d.weight)
	}
	all := slices.Clone(seen)
	for _, d := range threads {
		sp := (d.sp - exceptionFrame) &^ 7 // aligned as the processor does
		i := demand{sp: sp, weight: share * d.weight / total}
		for a := sp + exceptionLR; a < sp+exceptionFrame; a += 4 {
			i.words = append(i.words, a)
		}
		i.words = append(i.words, d.words...)
		all = append(all, i)
	}
	slices.SortStableFunc(all, compareDemands)
	return mergedDemands(all)
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
