package report

// counter collects the parts that a stack belongs to, for profile.Parts. Parts come in twos: the first one of each two is for
// stacks that end there, the second one for all that have it somewhere, which count once however often they do.
type counter struct {
	seen  []int // by part: number of the stack that counted it last
	stack int   // number of the one that is counted
	parts []int32
}

func newCounter(parts int) counter { return counter{seen: make([]int, parts)} }

// begin starts with the next stack.
func (c *counter) begin() {
	c.stack++
	c.parts = c.parts[:0]
}

// add counts two parts: part only where the stack ends there.
func (c *counter) add(part int, ends bool) {
	if ends {
		c.parts = append(c.parts, int32(part))
	}
	if c.seen[part+1] != c.stack {
		c.seen[part+1] = c.stack
		c.parts = append(c.parts, int32(part+1))
	}
}
