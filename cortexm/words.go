package cortexm

import (
	"math/bits"
	"slices"
)

// wordSet is a set of words of a page of them.
type wordSet []uint64

func (s wordSet) add(i int) { s[i>>6] |= 1 << (i & 63) }

// holds tells whether all of o is in s.
func (s wordSet) holds(o wordSet) bool {
	for i, w := range o {
		if w&^s[i] != 0 {
			return false
		}
	}
	return true
}

func (s wordSet) merge(o wordSet) {
	for i, w := range o {
		s[i] |= w
	}
}

// page is all the words that a plan may read, by address.
type page struct {
	addrs []uint32
	chunk []uint64 // of new sets
}

func newPage(lists ...[]demand) *page {
	p := &page{}
	for _, l := range lists {
		for _, d := range l {
			p.addrs = append(p.addrs, d.words...)
		}
	}
	slices.Sort(p.addrs)
	p.addrs = slices.Compact(p.addrs)
	return p
}

func (p *page) size() int { return (len(p.addrs) + 63) / 64 }

func (p *page) empty() wordSet {
	n := p.size()
	if len(p.chunk) < n {
		p.chunk = make([]uint64, 64*n+1)
	}
	s := p.chunk[:n:n]
	p.chunk = p.chunk[n:]
	return s
}

// set is the set of words, which are sorted.
func (p *page) set(words []uint32) wordSet {
	s := p.empty()
	at := 0
	for _, w := range words {
		i, _ := slices.BinarySearch(p.addrs[at:], w)
		at += i
		s.add(at)
	}
	return s
}

// A run of words takes TAR, a transfer for each word, and RDBUFF for the last
// one: reading up to two words in vain is no dearer than a new run.
const bridge = 2

// joins tells whether the word at b is read in the run that holds the one at a:
// TAR may wrap at a boundary, so a run does not cross it.
func joins(a, b uint32) bool { return b-a <= 4*(bridge+1) && a/tarWrap == b/tarWrap }

// transfers is the number of SWD transfers that s takes, and its runs and words.
func (p *page) transfers(s wordSet) (transfers, runs, words int) {
	last, first := uint32(0), true
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			a := p.addrs[i<<6+bits.TrailingZeros64(w)]
			switch {
			case !first && joins(last, a):
				words += int(a-last) / 4
			default:
				runs++
				words++
			}
			last, first = a, false
		}
	}
	return words + 2*runs, runs, words
}

// extents are the runs of s.
func (p *page) extents(s wordSet) (out []Extent) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			a := p.addrs[i<<6+bits.TrailingZeros64(w)]
			if n := len(out); n > 0 && joins(out[n-1].High-4, a) {
				out[n-1].High = a + 4
				continue
			}
			out = append(out, Extent{a, a + 4})
		}
	}
	return out
}
