package cortexm

import "fmt"

// check makes sure that no way through the plan overruns a packet: the probe
// would write past its buffer.
func (p *plan) check(l limits) error {
	for i, q := range p.seq.packets {
		if n := len(q.raw); n > l.bytes {
			return fmt.Errorf("cortexm: packet %d of the plan has %d bytes, the probe takes %d", i, n, l.bytes)
		}
		if n := longestResponse(q); n > l.bytes {
			return fmt.Errorf("cortexm: packet %d of the plan can answer %d bytes, the probe has %d", i, n, l.bytes)
		}
	}
	return nil
}

// longestResponse is that of the longest way through a packet: a handler's
// window, and a whole or a selected one.
func longestResponse(q *packet) int {
	n, whole, chain, selected, shared := 0, 0, 0, 0, 0
	if q.wrapped() {
		n = 2
	}
	for _, t := range q.transfers {
		_, r := t.bytes()
		if t.delay > 0 {
			r -= 2 // its header is the packet's
		}
		if t.block > 0 { // has no match: it always reads
			n += r
			continue
		}
		switch t.role {
		case roleWindow:
			whole = max(whole, r-3)
		case roleChain:
			chain = max(chain, r-3)
		case roleSelect:
			selected = max(selected, r-3)
		case roleShared:
			shared = r - 3
		default:
			n += r - 3
		}
		n += 3
	}
	return n + chain + max(whole, selected+shared)
}
