package trace

// numbering follows the numbers of the records (docs/trace-protocol.md, Numbers
// that do not follow).
type numbering struct {
	next  uint32
	known bool
	loose uint32 // records of version 1 behind it, which count as well
}

const (
	// maxAhead: numbers that are further ahead are none that one gap can explain.
	maxAhead = 1 << 31
	// maxWrapped is how many records a gap may hold in which numbers wrap. A target
	// that begins again is told from a wrap by it.
	maxWrapped = 1 << 20
)

// restart: the next number is 0.
func (n *numbering) restart() { *n = numbering{known: true} }

// at is called with the number of a packet. It tells whether there is a gap before
// it and how many records are missing for certain.
func (n *numbering) at(number uint32) (missing uint32, gap bool) {
	if !n.known || number == n.next {
		return 0, false
	}
	missing = number - n.next
	if n.loose > 0 && missing <= n.loose {
		return 0, false
	}
	if number < n.next && missing > maxWrapped {
		missing = number
	}
	if missing >= maxAhead {
		missing = 0
	}
	return missing - min(missing, n.loose), true
}

// unnumbered takes records of version 1.
func (n *numbering) unnumbered(records int) { n.loose += uint32(records) }

// reached says what the next number is.
func (n *numbering) reached(next uint32) { *n = numbering{next: next, known: true} }
