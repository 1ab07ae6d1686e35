package cortexm

import (
	"math"
	"slices"
)

// prices are what the parts of a sample cost while the core stands still, in
// SWD transfers.
type prices struct {
	fail float64 // an alternative whose match fails
	lost float64 // a stack that is not complete
}

// lostStack is the price of a stack that is cut, in SWD transfers: what one
// would pay to read it after all, a few times over.
const lostStack = 1500

// room is what the packet can still take.
type room struct {
	request  int // bytes for all alternatives
	response int // bytes for the largest of them
	most     int // alternatives
}

// decisions is an ordered list of alternatives, and what it costs for the keys
// that it was made for.
type decisions struct {
	keys []key
	list []alternative
	pos  []int     // which alternative each key takes, len(list): none
	cost []float64 // of each key
	p    prices
}

func newDecisions(keys []key, p prices) *decisions {
	d := &decisions{keys: keys, p: p, pos: make([]int, len(keys)), cost: make([]float64, len(keys))}
	for i, k := range keys {
		d.cost[i] = d.missing(k)
	}
	return d
}

// missing is the price of a key that no alternative takes.
func (d *decisions) missing(k key) float64 {
	if k.sp >= k.high {
		return 1 // nothing to read
	}
	return d.p.lost
}

// hit is the price of a key that takes a at position p.
func (d *decisions) hit(a alternative, k key, p int) float64 {
	c := float64(a.transfers()) + float64(p)*d.p.fail
	if !a.covers(k) {
		c += d.p.lost
	}
	return c
}

// gain is what inserting a at position p saves, in transfers times weight. run
// are the indices of the keys that a matches.
func (d *decisions) gain(a alternative, p int, run [2]int, behind float64) float64 {
	saved := -behind * d.p.fail
	for i := run[0]; i < run[1]; i++ {
		if d.pos[i] < p {
			continue
		}
		k := d.keys[i]
		saved += k.weight * (d.cost[i] + d.p.fail - d.hit(a, k, p))
	}
	return saved
}

// insert puts a at position p.
func (d *decisions) insert(a alternative, p int) {
	d.list = slices.Insert(d.list, p, a)
	for i, k := range d.keys {
		switch {
		case d.pos[i] < p:
		case a.matches(k.sp):
			d.pos[i], d.cost[i] = p, d.hit(a, k, p)
		default:
			d.pos[i]++
			d.cost[i] += d.p.fail
		}
	}
}

// improve inserts the candidate that saves most, as long as one does and there
// is room.
func (d *decisions) improve(candidates []candidate, r *room) {
	for len(d.list) < r.most {
		best, at, most := -1, 0, 1e-9
		for p := 0; p <= len(d.list); p++ {
			behind := 0.0
			for i, k := range d.keys {
				if d.pos[i] >= p {
					behind += k.weight
				}
			}
			for i, c := range candidates {
				if c.request > r.request || c.response > r.response {
					continue
				}
				if g := d.gain(c.alternative, p, c.run, behind); g > most {
					best, at, most = i, p, g
				}
			}
		}
		if best < 0 {
			return
		}
		d.insert(candidates[best].alternative, at)
		r.request -= candidates[best].request
	}
}

// candidate is an alternative with the keys that it matches and its size.
type candidate struct {
	alternative
	run               [2]int
	request, response int
}

// Sizes of the blocks that are tried, in bytes. A stack pointer is a multiple
// of 4, and of 8 at calls (AAPCS 6.2.1.2): below 8 there is nothing to tell.
const (
	smallestBlock = 8
	largestBlock  = 64 << 10
)

// candidates are the blocks around the stack pointers that were seen. A window
// begins where its block does, or at the lowest key in it, so that every stack
// pointer that takes it finds its words there; it ends at the highest need, or
// where the response is full.
func candidates(keys []key, words int, measure func(alternative) (request, response int)) (all []candidate) {
	seen := make(map[[2]int]bool)
	for size := uint32(smallestBlock); size <= largestBlock; size *= 2 {
		for i := 0; i < len(keys); {
			a := block(keys[i].sp, size)
			first := i
			for ; i < len(keys) && a.matches(keys[i].sp); i++ {
				a.high = max(a.high, keys[i].high)
			}
			if run := [2]int{first, i}; seen[run] {
				continue
			} else {
				seen[run] = true
			}
			a.low = max(a.value, keys[first].sp&^7)
			if (Extent{a.low, a.high}).words() > words {
				a.high = a.low + uint32(4*words)
			}
			if a.high <= a.low {
				a.low, a.high = 0, 0
			}
			request, response := measure(a)
			all = append(all, candidate{a, [2]int{first, i}, request, response})
		}
	}
	return all
}

// expected is the mean price of the keys, in transfers.
func (d *decisions) expected() float64 {
	sum, weight := 0.0, 0.0
	for i, k := range d.keys {
		sum += k.weight * d.cost[i]
		weight += k.weight
	}
	if weight == 0 {
		return math.NaN()
	}
	return sum / weight
}
