package cortexm

// room is what the packet can still take.
type room struct {
	request  int // bytes for all alternatives
	response int // bytes for the largest of them
	most     int // alternatives
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
