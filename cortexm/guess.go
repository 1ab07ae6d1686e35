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
	list  []alternative
	words int // of the block reads behind them, that selected ones share
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
// ones, whose words are read by themselves (inline) or by block reads that they
// share. With coarse the whole ones look at no more bits of the stack pointer than
// the first selected one, which saves the bytes of a mask.
type shape struct {
	wholes, selects int
	inline, blocks  int // words
	coarse          bool
}

const (
	mostGuessedWholes  = 2
	mostGuessedSelects = 3
)

// guess is the best one for what h remembers; nil where none is worth it.
func (pl *planner) guess(h *history) (best *guess) {
	keys := h.threads()
	short := pl.shortStacks(keys)
	most := 0.0
	for _, s := range pl.shapes() {
		if s.wholes >= len(short) {
			continue
		}
		g, worth := pl.tryGuess(keys, short[s.wholes], s)
		grow := &s.inline
		if s.blocks > 0 {
			grow = &s.blocks
		}
		for g != nil { // as many words as time and packets allow
			if worth > most {
				best, most = g, worth
			}
			if s.selects == 0 {
				break
			}
			*grow++
			g, worth = pl.tryGuess(keys, short[s.wholes], s)
		}
	}
	return best
}

// shapes are those that can make sense, with the fewest words.
func (pl *planner) shapes() (all []shape) {
	inline := (pl.l.bytes - 3) / 4 // words of a packet
	starts := [][2]int{{1, 0}, {0, 1}, {inline, 1}}
	if pl.early() { // beside registers
		starts = append(starts, [2]int{max(1, inline-registerResponse/4*len(pl.later())), 1})
	}
	for wholes := range mostGuessedWholes + 1 {
		for selects := range mostGuessedSelects + 1 {
			for _, words := range starts {
				for _, coarse := range []bool{false, true} {
					s := shape{wholes, selects, words[0], words[1], coarse}
					switch {
					case s.coarse && (wholes == 0 || selects == 0):
					case selects == 0 && s.blocks > 0, wholes+selects == 0:
					default:
						all = append(all, s)
					}
				}
			}
		}
	}
	return all
}

// tryGuess builds a guess of a shape and says what it saves, as time times
// weight; nil where it takes longer than the host's answer or does not fit.
func (pl *planner) tryGuess(all []key, short shortStacks, s shape) (*guess, float64) {
	g, worth := &guess{list: slices.Clone(short.list), words: s.blocks}, short.worth
	if len(short.others) < s.selects {
		return nil, 0
	}
	for _, k := range short.others[:s.selects] {
		a, ok := pl.selectTop(k, s)
		if !ok {
			return nil, 0
		}
		g.list = append(g.list, a)
		worth += k.weight * float64(min(s.inline+s.blocks, k.words())) * pl.wordPrice()
	}
	if s.coarse && !coarsen(g.list, s.wholes, all) {
		return nil, 0
	}
	if !pl.lay(g) {
		return nil, 0
	}
	return g, worth
}

// coarsen gives the whole alternatives the mask of the first selected one, if
// every key that they take then still finds its words.
func coarsen(list []alternative, wholes int, keys []key) bool {
	mask := list[wholes].mask
	for i := range list[:wholes] {
		a := &list[i]
		if mask&^a.mask != 0 {
			return false
		}
		a.mask, a.value = mask, a.value&mask
		for _, k := range keys {
			if a.matches(k.sp) && !a.covers(k) {
				return false
			}
		}
	}
	return true
}

// wordPrice is what a word costs when it is read later, in nanoseconds: its
// transfer, or its part of a packet.
func (pl *planner) wordPrice() float64 {
	return max(float64(pl.costs.Transfer), float64(pl.costs.Packet)/float64(pl.l.bytes/4))
}

// shadow is the time that the probe would wait for the host, after the registers.
// Where packets come at fixed times one more is under way.
func (pl *planner) shadow() time.Duration {
	if pl.slotted() {
		return pl.costs.RoundTrip - pl.costs.Packet + pl.spare
	}
	return pl.costs.RoundTrip
}

// shortStacks are whole alternatives for stacks that are short enough for one
// packet, what they save, and the other stacks, the most frequent first.
type shortStacks struct {
	list   []alternative
	worth  float64
	others []stack
}

// shortStacks picks the blocks that most samples fall into, one after the other:
// element n has n alternatives.
func (pl *planner) shortStacks(keys []key) (all []shortStacks) {
	r := room{request: pl.l.bytes - 2, response: pl.l.bytes - 2}
	var s shortStacks
	for {
		s.others = stacksOf(keys)
		slices.SortFunc(s.others, func(a, b stack) int { return cmp.Compare(b.weight, a.weight) })
		all = append(all, s)
		var best alternative
		most := 0.0
		r := r
		if pl.early() && len(s.list) == 0 {
			r.request -= registerRequest * len(pl.later())
			r.response -= registerResponse * len(pl.later())
		}
		for _, c := range candidates(keys, pl.finishWhole(r)) {
			a, held := c.alternative, 0.0
			a.low = min(a.low, a.value)
			for _, k := range keys[c.run[0]:c.run[1]] {
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
		if most == 0 || len(all) > mostGuessedWholes {
			return all
		}
		s.list = append(slices.Clip(s.list), best)
		s.worth += most * (float64(pl.shadow()) + float64(best.words())*pl.wordPrice())
		keys = slices.DeleteFunc(slices.Clone(keys), func(k key) bool { return best.matches(k.sp) })
	}
}

// selectTop is the alternative for all stack pointers of a stack. It reads the
// top words, or those below the place where TAR would have to be set anew.
func (pl *planner) selectTop(s stack, shape shape) (alternative, bool) {
	size := uint32(smallestBlock)
	for s.Low&^(size-1) != (s.High-1)&^(size-1) {
		size *= 2
	}
	a := block(s.Low, size)
	a.kind = selected
	words := uint32(4 * (shape.inline + shape.blocks))
	a.high = s.High
	if page := (s.High - 1) &^ (tarWrap - 1); s.High-page < words {
		a.high = page
		if s.Low >= page {
			a.high = page + words
		}
	}
	a.low = a.high - words
	a.tail, a.end = a.low+uint32(4*shape.inline), a.high
	return a, a.high == a.clampHigh(pl.ram)
}

// transfers are the work of a guess.
func (g *guess) transfers(pl *planner) (all []*transfer) {
	for i, a := range g.list {
		all = append(all, pl.steps.alternative(a, i))
	}
	return pl.layBlocks(all, g.words)
}

// lay tells whether a guess is done in time when no alternative is taken: then
// the probe only waits for the host.
func (pl *planner) lay(g *guess) bool {
	if len(g.list) == 0 {
		return false
	}
	o, err := pl.open(pl.regs, g)
	if err != nil || len(o.packets) > pl.inFlight {
		return false
	}
	var took time.Duration
	for i, p := range o.packets {
		transfers, commands := 0, 0
		for _, t := range p.transfers {
			if (t.role == roleRegisters || t.role == roleOther) && t.lead == 0 {
				continue
			}
			transfers += max(2, t.block+1) + t.lead
			commands++
		}
		if commands > 0 && i > 0 {
			took += max(time.Duration(transfers)*pl.costs.Transfer+time.Duration(commands)*pl.costs.Command, pl.costs.Packet)
		}
	}
	return took <= pl.shadow()
}

// layBlocks appends block reads of so many words: as many as the last packet of
// the alternatives still takes, then full ones.
func (pl *planner) layBlocks(all []*transfer, words int) []*transfer {
	for done := 0; done < words; {
		n := min(words-done, pl.blockRoom(all))
		t := &transfer{role: roleShared, block: n}
		for i := range n {
			t.reads = append(t.reads, mark{sharedWord, uint32(4 * (done + i))})
		}
		if pl.early() {
			t.single()
		}
		all = append(all, t)
		done += n
	}
	return all
}

// blockRoom is how many words a block read can have behind the given transfers.
func (pl *planner) blockRoom(all []*transfer) int {
	full := (pl.l.bytes - 4) / 4
	if pl.early() {
		full = (pl.l.bytes - 3) / 4
	}
	packets, err := pack(pl.l, all)
	if err != nil || len(packets) == 0 || !pl.l.execute {
		return full
	}
	last := packets[len(packets)-1]
	head := 2
	if last.wrapped() {
		head = 0
	}
	if n := (pl.l.bytes - head - longestResponse(last) - 4) / 4; n > 0 && len(last.raw)+head+5 <= pl.l.bytes {
		return n
	}
	return full
}

// finishWhole takes whole alternatives that fit.
func (pl *planner) finishWhole(r room) func(alternative) (candidate, bool) {
	return func(a alternative) (candidate, bool) { return pl.candidate(a, r) }
}

// candidate measures a and tells whether there is room for it.
func (pl *planner) candidate(a alternative, r room) (candidate, bool) {
	request, response := pl.steps.alternative(a, 0).bytes()
	return candidate{alternative: a, request: request, response: response}, request <= r.request && response <= r.response
}

func (a alternative) clampHigh(ram []Range) uint32 { return Extent{a.low, a.high}.clamp(ram).High }
