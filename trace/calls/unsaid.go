package calls

import "github.com/mprof/mprof/trace"

// numbers are those of records, as far as they tell that a target began again.
type numbers struct {
	next  uint32
	known bool // a record was seen
	again bool // an ACK says that they begin again
}

// mostWrapped is how many records a gap may hold in which numbers wrap
// (docs/trace-protocol.md, Numbers that do not follow).
const mostWrapped = 1 << 20

// beginAgain tells whether numbers began at 0 since the batch before, and takes those
// of this one.
func (n *numbers) beginAgain(b *trace.Batch) bool {
	again := n.again
	if b.Numbered {
		again = again || n.known && b.Number < n.next && b.Number-n.next > mostWrapped
		n.next, n.known = b.Number+uint32(len(b.Records)), true
	}
	n.again = false
	return again
}

// unsaidReset notices a target that was reset though no METADATA says so, as in what another
// host recorded: its clock goes back. Where numbers begin again, that is certain. In
// version 1 nothing is numbered: a clock that goes back by more than interrupts explain was
// reset, or half an hour passed without a record; the clock of the host decides, if it is known.
func (b *Builder) unsaidReset(batch *trace.Batch) {
	again := b.numbers.beginAgain(batch)
	if len(batch.Records) == 0 || batch.Version != b.version || !b.clock.running {
		return
	}
	back, far := b.clock.goesBack(batch.Records[0].Exit())
	if back && again || far && batch.Version == 1 {
		b.reset()
		b.status.restart()
		b.doubts.resets++
	}
}

// goesBack tells whether a record that ended at raw is earlier than the one before, far
// if by more than records may be. A silence that the host has seen is none.
func (c *clock) goesBack(raw uint32) (back, far bool) {
	step := int32(raw - uint32(c.last))
	if step >= 0 || c.silent() {
		return false, false
	}
	return true, step < -c.back
}
