package cortexm

import (
	"cmp"
	"slices"
)

// visit is what one sample needed: the stack words in [sp, high). In a handler
// that interrupted a thread with a stack of its own also [psp, pspHigh).
type visit struct {
	sp, high     uint32
	chained      bool
	psp, pspHigh uint32 // 0: not known
	guessed      bool   // the ends are no more than a belief
	cut          bool   // they are where the sample was cut to keep the halt short
}

// history remembers what recent samples needed. Programs visit few distinct
// stack pointers: one per depth of the call tree at which time is spent.
type history struct {
	weight map[visit]float64
	total  float64
}

const (
	historyKeys = 512  // distinct visits kept
	historyFade = 4096 // samples after which older ones count half
)

func (h *history) add(v visit) {
	if h.weight == nil {
		h.weight = make(map[visit]float64)
	}
	if !v.guessed {
		h.correct(v.sp, v.high)
		h.correct(v.psp, v.pspHigh)
	}
	h.weight[v]++
	h.total++
	if h.total >= historyFade || len(h.weight) > historyKeys {
		h.fade()
	}
}

// correct ends the beliefs about a stack when a sample has shown where it ends.
func (h *history) correct(sp, high uint32) {
	if sp >= high {
		return
	}
	for v, w := range h.weight {
		if !v.guessed {
			continue
		}
		u := v
		if v.sp < high && v.high > high {
			u.high = high
		}
		if v.psp < high && v.pspHigh > high && v.psp != 0 {
			u.pspHigh = high
		}
		if u != v {
			delete(h.weight, v)
			u.guessed = false
			h.weight[u] += w
		}
	}
}

// fade halves all weights and forgets the lightest visits, in an order that the
// visits themselves decide: equal runs remember the same.
func (h *history) fade() {
	light := make([]visit, 0, len(h.weight))
	h.total = 0
	for v, w := range h.weight {
		h.weight[v] = w / 2
		h.total += w / 2
		if w/2 < lightWeight {
			light = append(light, v)
		}
	}
	slices.SortFunc(light, func(a, b visit) int {
		return cmp.Or(cmp.Compare(h.weight[a], h.weight[b]), cmp.Compare(a.sp, b.sp), cmp.Compare(a.high, b.high),
			cmp.Compare(a.psp, b.psp), cmp.Compare(a.pspHigh, b.pspHigh))
	})
	for _, v := range light[:min(len(light), max(0, len(h.weight)-historyKeys/2))] {
		h.total -= h.weight[v]
		delete(h.weight, v)
	}
}

// lightWeight is what a visit seen once weighs after it has faded twice.
const lightWeight = 0.3

// key is a visit of one stack: the stack pointer that a value match can tell,
// and how far up the window must reach.
type key struct {
	sp, high uint32
	weight   float64
}

// threads are the visits that need one window, sorted by stack pointer.
func (h *history) threads() (keys []key) {
	return h.keys(func(v visit) (uint32, uint32, bool) { return v.sp, v.high, !v.chained })
}

func (h *history) keys(pick func(visit) (sp, high uint32, ok bool)) (keys []key) {
	for v, w := range h.weight {
		if sp, high, ok := pick(v); ok {
			keys = append(keys, key{sp, max(sp, high), w})
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.sp, b.sp), cmp.Compare(a.high, b.high), cmp.Compare(a.weight, b.weight))
	})
	merged := keys[:0]
	for _, k := range keys {
		if n := len(merged); n > 0 && merged[n-1].sp == k.sp && merged[n-1].high == k.high {
			merged[n-1].weight += k.weight
			continue
		}
		merged = append(merged, k)
	}
	return merged
}

// top guesses how far the stack reaches that holds sp: to the end of the lowest
// stack that ends above it, if it was seen near sp.
func (h *history) top(sp uint32) (top uint32, ok bool) {
	stacks := stacksOf(h.keys(func(v visit) (uint32, uint32, bool) { return v.sp, v.high, !v.cut }))
	lower := h.keys(func(v visit) (uint32, uint32, bool) { return v.psp, v.pspHigh, v.chained && v.psp != 0 && !v.cut })
	for _, s := range append(stacks, stacksOf(lower)...) {
		if sp < s.High && sp+stackNear >= s.Low && (!ok || s.High < top) {
			top, ok = s.High, true
		}
	}
	return top, ok
}

// forget drops the visits that say that a stack ends in (sp, high], which a
// sample has shown to be wrong.
func (h *history) forget(sp, high uint32) {
	for v, w := range h.weight {
		if v.high > sp && v.high <= high && v.high > v.sp || v.chained && v.pspHigh > sp && v.pspHigh <= high {
			delete(h.weight, v)
			h.total -= w
		}
	}
}

// stackNear is how far below the lowest stack pointer seen a new one still
// belongs to the same stack, in bytes.
const stackNear = 1024
