package cortexm

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/mprof/mprof/snapshot"
)

// need is a set of stack words, by address and sorted. Equal sets are one need,
// so that they compare by pointer.
type need struct {
	words []uint32
	at    int // order of first use
}

// want is what unwinding one sample took: the words of the stack at sp and,
// of a handler that interrupted a thread with a stack of its own, those of the
// stack at psp (0: not known).
type want struct {
	sp, psp     uint32
	words, more *need
	chained     bool
	regs        uint32 // registers beyond those of every sample, as a set
}

// wants remembers what recent samples took. The slots of outer frames stay where
// they are from sample to sample, so programs want few distinct sets of words.
type wants struct {
	weight map[want]float64
	after  []stackWants // by the stack of the sample before
	total  float64
	sets   map[string]*need
	text   []byte
	ram    []Range

	handling Extent // from the lowest stack pointer of such handlers to the end of the highest stack
}

// stackWants are those of the samples that followed one of the stack that ends
// with the word at top: programs stay on a stack for a while.
type stackWants struct {
	top    uint32
	weight map[want]float64
	total  float64
}

const (
	wantStacks = 6    // that are told apart
	wantKeys   = 1024 // distinct wants kept
	wantFade   = 8192 // samples after which older ones count half
)

// set is the need that holds exactly words, which are sorted.
func (h *wants) set(words []uint32) *need {
	h.text = h.text[:0]
	for _, w := range words {
		h.text = binary.LittleEndian.AppendUint32(h.text, w)
	}
	if n, ok := h.sets[string(h.text)]; ok {
		return n
	}
	if h.sets == nil {
		h.sets = make(map[string]*need)
	}
	n := &need{words: slices.Clone(words), at: len(h.sets)}
	h.sets[string(h.text)] = n
	return n
}

// add notes a sample; before is the stack of the one before, as stackOf tells it.
func (h *wants) add(w want, before int) {
	if h.weight == nil {
		h.weight = make(map[want]float64)
	}
	if w.chained && w.psp != 0 {
		if h.handling.High == 0 {
			h.handling = Extent{w.sp, w.sp}
		}
		h.handling.Low = min(h.handling.Low, w.sp)
		h.handling.High = max(h.handling.High, w.sp)
		if n := len(w.words.words); n > 0 {
			h.handling.High = max(h.handling.High, w.words.words[n-1]+4)
		}
	}
	h.weight[w]++
	h.total++
	if before > 0 {
		h.after[before-1].weight[w]++
		h.after[before-1].total++
	}
	if h.total >= wantFade || len(h.weight) > wantKeys {
		h.fade()
	}
}

// stackOf numbers the stack that a sample was on, from 1; 0: it is not known.
func (h *wants) stackOf(w want, complete bool) int {
	words := w.words.words
	if w.chained && w.more != nil && len(w.more.words) > 0 {
		words = w.more.words
	}
	if len(words) == 0 {
		return 0
	}
	top := words[len(words)-1]
	i := slices.IndexFunc(h.after, func(s stackWants) bool { return s.top == top })
	if i < 0 && complete && len(h.after) < wantStacks {
		i = len(h.after)
		h.after = append(h.after, stackWants{top: top, weight: make(map[want]float64)})
	}
	return i + 1
}

// fade halves all weights and forgets the lightest wants.
func (h *wants) fade() {
	all := h.sorted()
	h.total = 0
	slices.SortStableFunc(all, func(a, b want) int { return cmp.Compare(h.weight[b], h.weight[a]) })
	for i, w := range all {
		if h.weight[w] /= 2; i >= wantKeys/2 || h.weight[w] < lightWeight {
			delete(h.weight, w)
			continue
		}
		h.total += h.weight[w]
	}
	for i := range h.after {
		s := &h.after[i]
		s.total = 0
		for w := range s.weight {
			if s.weight[w] /= 2; h.weight[w] == 0 || s.weight[w] < lightWeight {
				delete(s.weight, w)
				continue
			}
			s.total += s.weight[w]
		}
	}
	for text, n := range h.sets {
		if !slices.ContainsFunc(all[:min(len(all), wantKeys/2)], func(w want) bool { return w.words == n || w.more == n }) {
			delete(h.sets, text)
		}
	}
}

// sorted are all wants in an order that does not depend on the map.
func (h *wants) sorted() []want {
	all := make([]want, 0, len(h.weight))
	for w := range h.weight {
		all = append(all, w)
	}
	order := func(n *need) int {
		if n == nil {
			return -1
		}
		return n.at
	}
	slices.SortFunc(all, func(a, b want) int {
		return cmp.Or(cmp.Compare(a.sp, b.sp), cmp.Compare(a.psp, b.psp), cmp.Compare(order(a.words), order(b.words)),
			cmp.Compare(order(a.more), order(b.more)), cmp.Compare(a.regs, b.regs), compareBool(a.chained, b.chained))
	})
	return all
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// handles tells whether sp lies in the part of a stack where handlers were seen
// that interrupt threads with stacks of their own.
func (h *wants) handles(sp uint32) bool { return sp >= h.handling.Low && sp <= h.handling.High }

// demand is what one kind of stack pointer wants of a plan.
type demand struct {
	sp     uint32
	words  []uint32
	regs   uint32
	weight float64
	single float64 // part of it that was met once
}

// threads are the samples that need one stack, handlers the first stack of those
// that need two, interrupted their second. All are sorted by stack pointer. What
// ran on the handlers' stack before there were threads is long over.
func (h *wants) threads(before int) []demand {
	return h.demands(before, func(w want) (demand, bool) {
		return demand{sp: w.sp, words: w.words.words, regs: w.regs}, !w.chained && !h.handles(w.sp)
	})
}

func (h *wants) handlers(before int) []demand {
	return h.demands(before, func(w want) (demand, bool) { return demand{sp: w.sp, words: w.words.words, regs: w.regs}, w.chained })
}

func (h *wants) interrupted(before int) []demand {
	return h.demands(before, func(w want) (demand, bool) {
		if !w.chained || w.psp == 0 {
			return demand{}, false
		}
		return demand{sp: w.psp, words: w.more.words}, true
	})
}

func (h *wants) demands(before int, pick func(want) (demand, bool)) (all []demand) {
	for _, w := range h.sorted() {
		d, ok := pick(w)
		if !ok {
			continue
		}
		d.weight = h.likely(w, before)
		if h.weight[w] <= 1 {
			d.single = d.weight
		}
		all = append(all, d)
	}
	slices.SortStableFunc(all, compareDemands)
	return mergedDemands(all)
}

// likely is how often w followed a sample of the given stack, and a few samples'
// worth of how often it came at all.
func (h *wants) likely(w want, before int) float64 {
	if before == 0 {
		return h.weight[w]
	}
	return h.after[before-1].weight[w] + likelyAnywhere*h.weight[w]/max(h.total, 1)
}

const likelyAnywhere = 24 // samples

func compareDemands(a, b demand) int {
	return cmp.Or(cmp.Compare(a.sp, b.sp), cmp.Compare(a.regs, b.regs), slices.Compare(a.words, b.words))
}

func mergedDemands(all []demand) []demand {
	out := all[:0]
	for _, d := range all {
		if n := len(out); n > 0 && compareDemands(out[n-1], d) == 0 {
			out[n-1].weight += d.weight
			out[n-1].single += d.single
			continue
		}
		out = append(out, d)
	}
	return out
}

// wantOf brings the words that were used together with the stack pointers.
func (h *wants) wantOf(sp *snapshot.Snapshot, v visit, used []Extent, buffer *[2][]uint32) want {
	w := want{sp: v.sp, chained: v.chained, psp: v.psp}
	b := buffer
	b[0], b[1] = b[0][:0], b[1][:0]
	for _, u := range used {
		i := 0
		if v.chained && v.psp != 0 && nearer(u, v.psp, v.sp) {
			i = 1
		}
		for a := u.Low &^ 3; a < u.High && inside(a, h.ram); a += 4 {
			b[i] = append(b[i], a)
		}
	}
	w.words = h.set(b[0])
	if v.chained {
		w.more = h.set(b[1])
	}
	return w
}

// inside tells whether a word lies in RAM, where that is known.
func inside(addr uint32, ram []Range) bool {
	return len(ram) == 0 || slices.ContainsFunc(ram, func(r Range) bool { return r.contains(addr) })
}

// beyond is w of a stack that was cut for want of the word at addr: the frames
// outside of it are believed to be those of the most frequent sample that had one
// there too, or at least of one with words beyond on the same stack, which ends
// at top.
func (h *wants) beyond(w want, addr, top uint32) want {
	words := w.words
	other := w.chained && w.more != nil && slices.Contains(w.more.words, addr)
	if other {
		words = w.more
	}
	var best []uint32
	most := 0.0
	for _, x := range h.sorted() {
		for _, n := range [...]*need{x.words, x.more} {
			if n == nil {
				continue
			}
			i, ok := slices.BinarySearch(n.words, addr)
			weight := h.weight[x]
			if !ok {
				weight /= 1 << 20
			}
			if i < len(n.words) && n.words[len(n.words)-1] < top && weight > most {
				best, most = n.words[i:], weight
			}
		}
	}
	if most == 0 {
		return w
	}
	i, _ := slices.BinarySearch(words.words, addr+4)
	all := append(slices.Clone(words.words[:i]), best...)
	slices.Sort(all)
	n := h.set(slices.Compact(all))
	if other {
		w.more = n
	} else {
		w.words = n
	}
	return w
}

// deeper is w with all words of its stacks up to the given depth: how far they
// reach is not known.
func (h *wants) deeper(w want, depth int) want {
	fill := func(n *need, sp uint32) *need {
		words := slices.Clone(n.words)
		for a := sp &^ 3; a < sp+4*uint32(depth) && inside(a, h.ram); a += 4 {
			words = append(words, a)
		}
		slices.Sort(words)
		return h.set(slices.Compact(words))
	}
	w.words = fill(w.words, w.sp)
	if w.more != nil && w.psp != 0 {
		w.more = fill(w.more, w.psp)
	}
	return w
}
