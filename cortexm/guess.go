package cortexm

import (
	"cmp"
	"slices"
	"time"
)

// guess is what the probe does while the registers travel to the host: whole
// alternatives for stacks that are short and frequent, and selected ones that
// read the top of a stack, which every sample of that stack needs.
type guess struct {
	list    []alternative
	packets []*packet
}

// taken is the alternative that the probe takes for a stack pointer.
func (g *guess) taken(sp uint32) *alternative {
	for i := range g.list {
		if g.list[i].matches(sp) {
			return &g.list[i]
		}
	}
	return nil
}

// shape is a way to spend the time: so many whole alternatives and selected
// ones, which read words each by themselves or share block reads.
type shape struct {
	wholes, selects int
	words           int
	shared          bool
}

const (
	mostGuessedWholes  = 3
	mostGuessedSelects = 5
)

// guess is the best one for what h remembers; nil where none is worth it.
func (pl *planner) guess(h *history) (best *guess) {
	keys := h.threads()
	most := 0.0
	try := func(s shape) bool {
		g, worth := pl.tryGuess(keys, s)
		if g == nil {
			return false
		}
		if worth > most {
			best, most = g, worth
		}
		return true
	}
	for w := 0; w <= mostGuessedWholes; w++ {
		for s := 0; s <= mostGuessedSelects; s++ {
			for _, shared := range []bool{false, true} {
				// As many words as time and packets allow.
				for words := 1; try(shape{w, s, words, shared}) && s > 0; words++ {
				}
			}
		}
	}
	return best
}

// tryGuess builds a guess of a shape and says what it saves, as time times
// weight; nil where it takes longer than the host's answer or does not fit.
func (pl *planner) tryGuess(keys []key, s shape) (*guess, float64) {
	g := &guess{}
	worth := pl.addWholes(g, &keys, s.wholes)
	if len(g.list) < s.wholes {
		return nil, 0
	}
	stacks := stacksOf(keys)
	slices.SortFunc(stacks, func(a, b stack) int { return cmp.Compare(b.weight, a.weight) })
	if len(stacks) < s.selects || s.shared && s.selects == 0 {
		return nil, 0
	}
	for _, k := range stacks[:s.selects] {
		a, ok := pl.selectTop(k, s)
		if !ok {
			return nil, 0
		}
		g.list = append(g.list, a)
		worth += k.weight * float64(min(s.words, k.words())) * pl.wordPrice()
	}
	if !pl.lay(g, s) {
		return nil, 0
	}
	return g, worth
}

// wordPrice is what a word costs when it is read later, in nanoseconds: its
// transfer, or its part of a packet.
func (pl *planner) wordPrice() float64 {
	return max(float64(pl.costs.Transfer), float64(pl.costs.Packet)/float64(pl.l.bytes/4))
}

// shadow is the time from the end of a packet until what the host decides by
// its response is there.
func (pl *planner) shadow() time.Duration { return pl.costs.RoundTrip - pl.costs.Packet }

// addWholes picks the blocks that most samples fall into whose stack is short
// enough for one packet, and takes their keys away.
func (pl *planner) addWholes(g *guess, keys *[]key, n int) (worth float64) {
	r := room{request: pl.l.bytes - 2, response: pl.l.bytes - 2}
	for len(g.list) < n {
		var best alternative
		most := 0.0
		for _, c := range candidates(*keys, pl.finishWhole(r)) {
			a, held := c.alternative, 0.0
			a.low = min(a.low, a.value)
			for _, k := range (*keys)[c.run[0]:c.run[1]] {
				if !a.covers(k) {
					held = 0
					break
				}
				held += k.weight
			}
			if q, _ := pl.steps.alternative(a, 0).bytes(); held > most && a.low < a.high && q <= r.request {
				best, most = a, held
			}
		}
		if most == 0 {
			return worth
		}
		g.list = append(g.list, best)
		worth += most * (float64(pl.shadow()) + float64(best.words())*pl.wordPrice())
		*keys = slices.DeleteFunc(slices.Clone(*keys), func(k key) bool { return best.matches(k.sp) })
	}
	return worth
}

// selectTop is the alternative for all stack pointers of a stack. It reads the
// top words, no further down than TAR counts without help.
func (pl *planner) selectTop(s stack, shape shape) (alternative, bool) {
	size := uint32(smallestBlock)
	for s.Low&^(size-1) != (s.High-1)&^(size-1) {
		size *= 2
	}
	a := block(s.Low, size)
	a.kind = selected
	a.low = max(s.High-min(s.High, uint32(4*shape.words)), (s.High-1)&^(tarWrap-1))
	a.high = a.low + uint32(4*shape.words)
	a.tail = a.high
	if shape.shared {
		a.tail = a.low
	}
	return a, a.high == a.clampHigh(pl.ram)
}

// lay makes the packets and tells whether they are done in time when no
// alternative is taken: then they only wait for the host.
func (pl *planner) lay(g *guess, s shape) bool {
	var all []*transfer
	for i, a := range g.list {
		all = append(all, pl.steps.alternative(a, i))
	}
	if s.shared {
		all = pl.layBlocks(all, s.words)
	}
	var err error
	if g.packets, err = pack(pl.l, all); err != nil || len(g.packets) == 0 {
		return false
	}
	var took time.Duration
	for _, p := range g.packets {
		transfers := 0
		for _, t := range p.transfers {
			transfers += max(2, t.block+1)
		}
		work := time.Duration(transfers)*pl.costs.Transfer + time.Duration(len(p.transfers))*pl.costs.Command
		took += max(work, pl.costs.Packet)
	}
	return took <= pl.shadow()
}

// layBlocks appends block reads of so many words: as many as the last packet
// still takes, then full ones.
func (pl *planner) layBlocks(all []*transfer, words int) []*transfer {
	for done := 0; done < words; {
		n := min(words-done, pl.blockRoom(all))
		t := &transfer{role: roleShared, block: n}
		for i := range n {
			t.reads = append(t.reads, mark{sharedWord, uint32(4 * (done + i))})
		}
		all = append(all, t)
		done += n
	}
	return all
}

// blockRoom is how many words a block read can have behind the given transfers.
func (pl *planner) blockRoom(all []*transfer) int {
	full := (pl.l.bytes - 2 - 4) / 4
	if !pl.l.execute {
		return (pl.l.bytes - 4) / 4
	}
	packets, err := pack(pl.l, all)
	if err != nil || len(packets) == 0 {
		return full
	}
	last := packets[len(packets)-1]
	if n := (pl.l.bytes - longestResponse(last) - 4) / 4; n > 0 && len(last.raw)+5 <= pl.l.bytes {
		return n
	}
	return full
}
