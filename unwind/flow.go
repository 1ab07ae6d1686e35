package unwind

// flow says where execution goes on after an instruction.
type flow struct {
	kind   flowKind
	target uint32 // of a branch or call; of byTable: where the table is
	from   uint32 // of byTable: what the entries are relative to
	entry  tableKind
	size   uint32  // of the instruction
	to     content // of ends: the address that it goes to
	data   Range   // constants beside the code that the instruction reads

	// How many instructions that follow are conditional, and which of them are
	// not executed where the first is, by bit.
	conditional int
	otherwise   uint8
}

type flowKind uint8

const (
	goesOn  flowKind = iota
	maybe            // on, or to target
	jumps            // to target
	ends             // leaves the function, or cannot be followed
	returns          // from a call: on, with the registers that a call leaves
	byTable          // to one of a table's targets
)

// jumpTo is a branch to the address that v is: one that is known, one of a
// table's, or it leaves the function.
func jumpTo(v content) flow {
	switch {
	case v.kind == constant:
		return flow{kind: jumps, target: v.n &^ 1}
	case v.kind == inTable && tableKind(v.id) == wordAddresses:
		return flow{kind: byTable, target: v.n, entry: wordAddresses}
	case v.kind == relative:
		return flow{kind: byTable, target: v.n, from: v.n, entry: wordDistances}
	case v.kind == intoTable:
		return flow{kind: byTable, target: v.n, entry: branches}
	}
	return flow{kind: ends, to: v}
}

// tableKind is how a jump table gives its targets.
type tableKind uint8

const (
	byteForward   tableKind = iota // from + 2 * unsigned byte
	halfForward                    // from + 2 * unsigned halfword
	byteBothWays                   // from + 2 * signed byte
	halfBothWays                   // from + 2 * signed halfword
	wordAddresses                  // addresses
	wordDistances                  // from + signed word
	branches                       // instructions, all of the same size
)

func (k tableKind) size() uint32 {
	switch k {
	case byteForward, byteBothWays:
		return 1
	case halfForward, halfBothWays:
		return 2
	}
	return 4
}

// maxTable bounds the entries of a jump table.
const maxTable = 1 << 12

// table follows a jump table. How many entries it has is not said: it ends where
// the code begins that it leads to, or with an entry that leads out of the
// function or to its first instruction.
func (x *explorer) table(to flow, s *frameState, soft bool) {
	if to.entry == branches {
		x.branchTable(to.target, s, soft)
		return
	}
	end := ^uint32(0)
	at := to.target
	if first, ok := x.tableEntry(to.entry, at, to.from); !ok || !x.fn.Contains(first) || first == x.entry {
		x.jump(^uint32(0), s, soft) // a tail call through an array of pointers
	}
	for range maxTable {
		if at >= end {
			break
		}
		target, ok := x.tableEntry(to.entry, at, to.from)
		if !ok || !x.fn.Contains(target) || target == x.entry {
			break
		}
		if target >= to.target {
			end = min(end, target)
		}
		x.data(Range{at, at + to.entry.size()})
		x.reach(target, s, soft)
		at += to.entry.size()
	}
}

// branchTable follows a table of unconditional branches of one size.
func (x *explorer) branchTable(at uint32, s *frameState, soft bool) {
	size := uint32(0)
	for range maxTable {
		scratch := *s
		to, ok := x.m.step(x.c, &scratch, at)
		if !ok || to.kind != jumps || size != 0 && to.size != size || !x.fn.Contains(at) {
			return
		}
		size = to.size
		x.reach(at, s, soft)
		at += size
	}
}

// tableEntry is the target that the entry at addr gives.
func (x *explorer) tableEntry(k tableKind, addr, from uint32) (uint32, bool) {
	if k.size() == 4 {
		v, ok := x.c.word(addr)
		if k == wordDistances {
			v += from
		}
		return v & x.m.codeMask, ok
	}
	hw, ok := x.c.half(addr &^ 1)
	if k.size() == 1 {
		hw = hw >> (8 * (addr & 1)) & 0xff
	}
	distance := uint32(hw)
	switch k {
	case byteBothWays:
		distance = signExtend(distance, 8)
	case halfBothWays:
		distance = signExtend(distance, 16)
	}
	return from + 2*distance, ok
}
