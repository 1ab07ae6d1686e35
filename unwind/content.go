package unwind

// content is an abstract value: what an instruction analysis knows of a
// register or of a word of the stack. n is the register whose entry value it
// is, an offset, a constant or the address of a table; id tells bases and kinds
// of table apart.
type content struct {
	kind contentKind
	id   uint16
	n    uint32
}

type contentKind uint8

const (
	anything contentKind = iota

	// Values that make frames.
	entryOf   // what register n held when the function was entered
	frameAt   // CFA + n
	baseAt    // n + an address in the frame whose distance from the CFA is not known: base id
	processAt // PSP + n; with an id, PSP + n + a distance that is not known

	// Values on the way to a stack pointer or to a target of a jump.
	constant  // n
	shifted   // an address in the frame, shifted right by n
	above     // the word at CFA + n, which belongs to the caller
	intoTable // an address in the table at n, which one is not known
	inTable   // an entry of the table at n, which one is not known; id is its tableKind
	twice     // two times such an entry
	relative  // the address of the table at n plus such an entry
	withBits  // CONTROL with the bits of n set
	nowhere   // no value at all
)

// isAddress tells a place on the stack: frameAt, baseAt, processAt.
func (c content) isAddress() bool { return c.kind >= frameAt && c.kind <= processAt }

// matters tells a value that the rule of a frame can be made of.
func (c content) matters() bool { return c.kind >= entryOf && c.kind <= processAt }

// sameBase tells whether the distance between two addresses is known.
func (c content) sameBase(d content) bool { return c.kind == d.kind && c.id == d.id }

// below tells whether address c lies below d, which has the same base.
func (c content) below(d content) bool { return int32(c.n) < int32(d.n) }

// add is c + n where that is known.
func (c content) add(n uint32) content {
	switch {
	case n == 0:
	case c.isAddress() || c.kind == constant || c.kind == intoTable:
		c.n += n
	default:
		return content{}
	}
	return c
}

// sum is a + b where one of them is a constant: an address in the frame, or
// one in a table with an index that is not known.
func sum(a, b content) content {
	if a.kind == constant {
		a, b = b, a
	}
	if b.kind != constant {
		return content{}
	}
	switch {
	case a.kind == anything:
		return content{kind: intoTable, n: b.n}
	case a.kind == inTable && tableKind(a.id) == wordAddresses && a.n == b.n:
		return content{kind: relative, n: a.n}
	}
	return a.add(b.n)
}

// shiftLeft is c << n.
func (c content) shiftLeft(n uint) content {
	switch {
	case n == 0:
		return c
	case c.kind == constant:
		c.n <<= n
		return c
	case c.kind == inTable && n == 1:
		c.kind = twice
		return c
	}
	return content{}
}

// entry is an entry of a table at an address that is not known exactly.
func (c content) entry(k tableKind) content {
	if c.kind != intoTable {
		return content{}
	}
	return content{inTable, uint16(k), c.n}
}

// unknownDistance is the id of a place on the process stack that depends on
// whether a handler has stored floating-point registers there.
const unknownDistance = 1

// meet is what holds of a value that is a or b.
func meet(a, b content) content {
	switch {
	case a == b:
		return a
	case a.kind == processAt && b.kind == processAt && a.id&b.id == 0:
		return content{kind: processAt, id: unknownDistance}
	case a.kind == constant && b.isTarget():
		return b // an interpreter's first jump, which knows its entry
	case b.kind == constant && a.isTarget():
		return a
	}
	return content{}
}

// isTarget tells an entry of a table of addresses.
func (c content) isTarget() bool { return c.kind == inTable && tableKind(c.id) == wordAddresses }

// withThumbBit is c | 1: the same target.
func (c content) withThumbBit() content {
	switch {
	case c.kind == constant:
		c.n |= 1
	case !c.isTarget():
		return content{}
	}
	return c
}
