package cortexm

import "slices"

// prices are what the parts of a sample cost while the core stands still, in
// SWD transfers.
type prices struct {
	fail float64 // an alternative whose match fails
	lost float64 // a stack that is not complete

	shared int // words of the shared read
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

// newDecisions begins with an empty list; otherwise is the price of a key that
// no alternative takes.
func newDecisions(keys []key, p prices, otherwise func(key) float64) *decisions {
	d := &decisions{keys: keys, p: p, pos: make([]int, len(keys)), cost: make([]float64, len(keys))}
	for i, k := range keys {
		d.cost[i] = otherwise(k)
	}
	return d
}

// cut is the price of a key that loses its stack, if there is one.
func (p prices) cut(k key) float64 {
	if k.sp >= k.high {
		return 1
	}
	return p.lost
}

// hit is the price of a key that takes a at position p.
func (d *decisions) hit(a alternative, k key, p int) float64 {
	c := float64(a.transfers(d.p.shared)) + float64(p)*d.p.fail
	return c + d.p.lost*a.missing(k)
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
// pointer that takes it finds its words there; it ends at the highest need.
// finish makes an alternative of the wanted kind of it, and says what it takes of
// request and response; false where it cannot.
func candidates(keys []key, finish func(alternative) (c candidate, ok bool)) (all []candidate) {
	seen := make(map[[2]int]bool)
	for size := uint32(smallestBlock); size <= largestBlock; size *= 2 {
		for i := 0; i < len(keys); {
			a := block(keys[i].sp, size)
			first := i
			for ; i < len(keys) && a.matches(keys[i].sp); i++ {
				a.high = max(a.high, keys[i].high)
			}
			run := [2]int{first, i}
			if seen[run] {
				continue
			}
			seen[run] = true
			a.low = max(a.value, keys[first].sp&^(smallestBlock-1))
			if a.high <= keys[first].sp {
				a.low, a.high = 0, 0
			}
			if c, ok := finish(a); ok {
				c.run = run
				all = append(all, c)
			}
		}
	}
	return all
}

// price is that of any key by the list as it is. All alternatives of a list
// are tried where none of them resumes.
func (d *decisions) price(k key) float64 {
	fails := float64(len(d.list)) * d.p.fail
	for _, a := range d.list {
		if a.matches(k.sp) {
			return d.hit(a, k, 0) + fails - d.p.fail
		}
	}
	return fails + d.p.cut(k)
}

// total is the price of all keys, weighted, and the weight.
func (d *decisions) total() (sum, weight float64) {
	for i, k := range d.keys {
		sum += k.weight * d.cost[i]
		weight += k.weight
	}
	return sum, weight
}
