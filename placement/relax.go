package placement

// A relaxation answers: what can the candidates from i on be worth at most,
// with room bytes left? Worth is value*scale - size, so that of two sets of one
// value the smaller one is worth more. Bridges count only where no other item
// can share or save them, so no set is worth more than the answer.
type relaxation interface {
	worth(i int, room int64) int64
}

// candidate is an item in the order of the search.
type candidate struct {
	item  int
	size  int64 // at least this much, whatever else is chosen
	worth int64
}

// tableCells bounds the table of the dynamic program: 8 bytes each.
const tableCells = 8 << 20

// table is the dynamic program: its answers are exact for the relaxed problem.
type table struct {
	unit  int64 // bytes; all sizes are multiples of it
	width int64 // cells of a row
	cells []int64
}

// newTable returns nil where the table would be too large.
func newTable(candidates []candidate, budget int64) *table {
	t := &table{}
	for _, c := range candidates {
		t.unit = gcd(t.unit, c.size)
	}
	t.unit = max(t.unit, 1)
	t.width = budget/t.unit + 1
	if n := int64(len(candidates) + 1); t.width > tableCells/n {
		return nil
	}
	t.cells = make([]int64, t.width*int64(len(candidates)+1))
	for i := len(candidates) - 1; i >= 0; i-- {
		c := candidates[i]
		row, below := t.row(i), t.row(i+1)
		need := c.size / t.unit
		copy(row, below)
		for room := need; room < t.width; room++ {
			row[room] = max(row[room], below[room-need]+c.worth)
		}
	}
	return t
}

func (t *table) row(i int) []int64 { return t.cells[int64(i)*t.width : int64(i+1)*t.width] }

func (t *table) worth(i int, room int64) int64 { return t.row(i)[room/t.unit] }

// fractions is Dantzig's bound: the candidates in the order of their worth per
// byte, the last one in part. Sums over prefixes make an answer a search by
// halves.
type fractions struct {
	candidates []candidate
	sizes      []int64 // sums of those before i
	worths     []int64
}

func newFractions(candidates []candidate) *fractions {
	f := &fractions{candidates, []int64{0}, []int64{0}}
	for i, c := range candidates {
		f.sizes = append(f.sizes, f.sizes[i]+c.size)
		f.worths = append(f.worths, f.worths[i]+c.worth)
	}
	return f
}

func (f *fractions) worth(i int, room int64) int64 {
	low, high := i, len(f.candidates) // all before low fit
	for low < high {
		if mid := (low + high + 1) / 2; f.sizes[mid]-f.sizes[i] <= room {
			low = mid
		} else {
			high = mid - 1
		}
	}
	sum := f.worths[low] - f.worths[i]
	if low == len(f.candidates) {
		return sum
	}
	c := f.candidates[low]
	part := float64(c.worth) * float64(room-(f.sizes[low]-f.sizes[i])) / float64(c.size)
	return sum + min(c.worth, int64(part*(1+1e-9))+1)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
