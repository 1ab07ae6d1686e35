package cortexm

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// prices are what the parts of a sample cost while the core stands still, in
// SWD transfers.
type prices struct {
	fail float64 // an alternative whose match fails
	lost float64 // a stack that is not complete
	reg  float64 // a register that not all samples have
	sp   float64 // SP, where the match does not tell all of it
	byte float64 // of the request, where there is no room for all
}

// A stack that is cut is worth so much of the SWD transfers of an interval between
// samples, to this power: where samples are rare there is time for whole stacks, and
// each is missed more. At least, and at most.
const (
	lostPart, lostPower = 0.022, 1.8
	leastLost, mostLost = 320, 20000
)

// branch is an alternative with the words that it reads.
type branch struct {
	alternative
	first, end int     // the demands that it matches
	set        wordSet // of the page
	price      float64 // of those that take it, without the matches that fail before it
	weight     float64 // that takes it
}

// decisions is an ordered list of branches, and what it costs for the demands
// that it was made for. A demand takes the first branch that matches it.
type decisions struct {
	p       prices
	page    *page
	kind    kind
	demands []demand
	sets    []wordSet
	rank    []int     // of each demand by weight
	pos     []int     // which branch each takes; len(list): none
	cost    []float64 // of each
	list    []branch
	room    room
	weight  float64   // of all demands
	after   float64   // weight of others that pass over the list
	behind  []float64 // weight of those that take nothing before each place

	blocks  []branch // that can be tried
	members []int
	union   wordSet
	trial   wordSet
}

// newDecisions begins with an empty list; otherwise is the price of a demand
// that no branch takes.
func newDecisions(pg *page, k kind, all []demand, p prices, otherwise func(demand) float64) *decisions {
	d := &decisions{p: p, page: pg, kind: k, demands: all, union: pg.empty(), trial: pg.empty()}
	d.pos, d.cost, d.rank = make([]int, len(all)), make([]float64, len(all)), make([]int, len(all))
	heavy := make([]int, len(all))
	for i, x := range all {
		d.sets = append(d.sets, pg.set(x.words))
		d.cost[i] = otherwise(x)
		d.weight += x.weight
		heavy[i] = i
	}
	slices.SortStableFunc(heavy, func(a, b int) int { return cmp.Compare(all[b].weight, all[a].weight) })
	for r, i := range heavy {
		d.rank[i] = r
	}
	d.blocks = blocksOf(all)
	return d
}

// blocksOf are the blocks of stack pointers that differ in what they match.
func blocksOf(all []demand) (out []branch) {
	seen := make(map[[2]int]bool)
	for size := uint32(smallestBlock / 2); size <= largestBlock; size *= 2 {
		for i := 0; i < len(all); {
			b := branch{alternative: block(all[i].sp, size), first: i}
			for ; i < len(all) && b.matches(all[i].sp); i++ {
			}
			b.end = i
			if run := [2]int{b.first, b.end}; !seen[run] {
				seen[run] = true
				out = append(out, b)
			}
		}
	}
	return out
}

// improve inserts the branch that saves most, as long as one does and there is
// room, and then makes those that stay behind it read what is left to them.
func (d *decisions) improve() {
	for len(d.list) < d.room.most {
		var best branch
		at, most := -1, 1e-9
		d.weigh()
		for i := range d.blocks {
			b := d.blocks[i]
			p, ok := d.place(&b)
			if !ok || d.bound(&b, p) <= most || !d.choose(&b) {
				continue
			}
			if g := d.gain(&b, p) - d.p.byte*d.weight*float64(d.request(&b)); g > most {
				best, at, most = b, p, g
			}
		}
		if at < 0 {
			return
		}
		d.insert(best, at)
		d.tighten()
	}
}

// place is where a block goes: behind those inside it, before those around it,
// and the heavy ones first. It collects the demands that would take it.
func (d *decisions) place(b *branch) (p int, ok bool) {
	low, high := 0, len(d.list)
	for i := range d.list {
		l := &d.list[i]
		switch {
		case l.first == b.first && l.end == b.end:
			return 0, false
		case l.first >= b.first && l.end <= b.end && l.mask >= b.mask:
			low = i + 1
		case b.first >= l.first && b.end <= l.end:
			high = min(high, i)
		}
	}
	d.members, b.weight = d.members[:0], 0
	for i := b.first; i < b.end; i++ {
		if d.pos[i] >= low {
			d.members = append(d.members, i)
			b.weight += d.demands[i].weight
		}
	}
	p = low
	for p < high && d.list[p].weight >= b.weight {
		p++
	}
	return p, len(d.members) > 0 && low <= high
}

// bound is more than b can save.
func (d *decisions) bound(b *branch, p int) (saved float64) {
	for _, i := range d.members {
		saved += d.demands[i].weight * (d.cost[i] + d.p.fail)
	}
	return saved - b.weight*(float64(p)*d.p.fail+3) - d.behind[p]*d.p.fail
}

// weigh adds up the weight of the demands that take nothing before each place.
func (d *decisions) weigh() {
	d.behind = d.behind[:0]
	for range len(d.list) + 1 {
		d.behind = append(d.behind, d.after)
	}
	for i := range d.demands {
		d.behind[d.pos[i]] += d.demands[i].weight
	}
	for p := len(d.list) - 1; p >= 0; p-- {
		d.behind[p] += d.behind[p+1] - d.after
	}
}

// choose finds what a branch reads for its members. One is worth its words if they
// cost all who take the branch less than its stack; many light ones that share
// words may be worth them only together, so a laxer measure is tried where a good
// part would be lost.
func (d *decisions) choose(b *branch) bool {
	slices.SortFunc(d.members, func(x, y int) int { return cmp.Compare(d.rank[x], d.rank[y]) })
	best := math.Inf(1)
	for _, lax := range [...]float64{1, 8, math.Inf(1)} {
		regs, covered := d.unite(b.weight, lax)
		t, runs, _ := d.page.transfers(d.union)
		price := d.fixed(runs, t, bits.OnesCount32(regs))
		if !b.exact() {
			price += d.p.sp
		}
		if all := price*b.weight + d.p.lost*(b.weight-covered); all < best {
			best, b.price, b.regs = all, price, regs
			b.set = append(b.set[:0:0], d.union...)
		}
		if covered >= mostlyCovered*b.weight {
			break
		}
	}
	return true
}

// mostlyCovered is the part of a branch that may lose its stacks without further
// thought.
const mostlyCovered = 0.95

// unite collects the words of the members, the heavy ones first, each if lax times
// what its stack is worth is more than the words cost. covered is the weight of
// those that it took.
func (d *decisions) unite(weight, lax float64) (regs uint32, covered float64) {
	clear(d.union)
	before, ran, read := 0, 0, 0
	for _, i := range d.members {
		x := &d.demands[i]
		extra := bits.OnesCount32(x.regs &^ regs)
		if extra == 0 && d.union.holds(d.sets[i]) {
			covered += x.weight
			continue
		}
		copy(d.trial, d.union)
		d.trial.merge(d.sets[i])
		after, runs, words := d.page.transfers(d.trial)
		if more := float64(after-before) + float64(extra)*d.p.reg; more*weight+d.p.byte*d.weight*float64(words-read+5*(runs-ran)) > lax*d.p.lost*x.weight {
			continue
		}
		request, response := d.bytes(runs, words, bits.OnesCount32(regs|x.regs))
		if request > d.room.request || response > d.room.response {
			continue
		}
		regs |= x.regs
		covered += x.weight
		before, ran, read = after, runs, words
		d.union, d.trial = d.trial, d.union
	}
	return regs, covered
}

// fixed is the price of a branch for those who take it.
func (d *decisions) fixed(runs, transfers, regs int) float64 {
	price := 2 + float64(regs)*d.p.reg
	switch {
	case d.kind == chained && runs > 0:
		return price + d.p.reg + float64(transfers) + 3
	case d.kind == chained:
		return price + d.p.reg
	case runs > 0:
		return price + float64(transfers) + 3
	}
	return price + 1
}

// bytes are those of a branch in the request and in the response.
func (d *decisions) bytes(runs, words, regs int) (request, response int) {
	if d.kind == chained {
		regs++
	}
	return 3 + 10 + registerRequest*regs + 5*runs + words + 15, 3 + registerResponse*regs + 4*words + 4
}

// hit is the price of demand i when it takes b at position p.
func (d *decisions) hit(b *branch, i, p int) float64 {
	c := b.price + float64(p)*d.p.fail
	if d.demands[i].regs&^b.regs != 0 || !b.set.holds(d.sets[i]) {
		c += d.p.lost
	}
	return c
}

// gain is what inserting b at p saves, in transfers times weight.
func (d *decisions) gain(b *branch, p int) float64 {
	saved := -d.behind[p] * d.p.fail
	for _, i := range d.members {
		saved += d.demands[i].weight * (d.cost[i] + d.p.fail - d.hit(b, i, p))
	}
	return saved
}

// request is the number of bytes that b takes of the packets.
func (d *decisions) request(b *branch) int {
	_, runs, words := d.page.transfers(b.set)
	request, _ := d.bytes(runs, words, bits.OnesCount32(b.regs))
	return request
}

func (d *decisions) insert(b branch, p int) {
	d.room.request -= d.request(&b)
	d.list = slices.Insert(d.list, p, b)
	for i := range d.demands {
		switch {
		case d.pos[i] < p:
		case i >= b.first && i < b.end:
			d.pos[i], d.cost[i] = p, d.hit(&b, i, p)
		default:
			d.pos[i]++
			d.cost[i] += d.p.fail
		}
	}
}

// tighten lets every branch read what those want who take it.
func (d *decisions) tighten() {
	for p := range d.list {
		b := &d.list[p]
		d.members, b.weight = d.members[:0], 0
		for i := b.first; i < b.end; i++ {
			if d.pos[i] == p {
				d.members = append(d.members, i)
				b.weight += d.demands[i].weight
			}
		}
		d.room.request += d.request(b)
		d.choose(b)
		d.room.request -= d.request(b)
		for _, i := range d.members {
			d.cost[i] = d.hit(b, i, p)
		}
	}
}

// left are the demands that no branch takes.
func (d *decisions) left() (out []demand) {
	for i, x := range d.demands {
		if d.pos[i] == len(d.list) {
			out = append(out, x)
		}
	}
	return out
}

// taken is the price of the demands that a branch takes, and the weight of all.
func (d *decisions) taken() (sum, weight float64) {
	for i, x := range d.demands {
		weight += x.weight
		if d.pos[i] < len(d.list) {
			sum += x.weight * d.cost[i]
		}
	}
	return sum, weight
}

// total is the price of all demands, weighted, and the weight.
func (d *decisions) total() (sum, weight float64) {
	for i, x := range d.demands {
		sum += x.weight * d.cost[i]
		weight += x.weight
	}
	return sum, weight
}

// alternatives are what the list says, in order.
func (d *decisions) alternatives() (out []alternative) {
	for _, b := range d.list {
		a := b.alternative
		a.kind, a.runs = d.kind, d.page.extents(b.set)
		out = append(out, a)
	}
	return out
}
