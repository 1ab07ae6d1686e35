package dap

// Bits of a transfer request (CMSIS-DAP, "DAP_Transfer"). The low four go on
// the wire.
const (
	bitAPnDP     = 1 << 0
	bitRnW       = 1 << 1
	bitValue     = 1 << 4 // read: compare with a value
	bitMask      = 1 << 5 // write: set the match mask
	bitTimestamp = 1 << 7
	onWire       = 0x0f

	readRDBUFF = 0x0e // DP, RnW, A[3:2] = 3
)

// Acknowledges in responses.
const (
	ackOK       = 1
	ackWAIT     = 2
	ackError    = 8
	ackMismatch = 0x10
)

// batch is one DAP_Transfer under way.
type batch struct {
	p      *Processor
	req    *request
	resp   *response
	ack    uint8
	data   uint32 // what the firmware's data variable holds
	posted bool   // an AP read whose data the next transfer fetches
	check  bool   // the last was a write that RDBUFF has to confirm
}

// transfer is DAP_Transfer. The count in the response is of requests that were
// acknowledged, among them an AP read whose data never came.
func (p *Processor) transfer(req *request, resp *response) {
	req.byte() // DAP index
	left := int(req.byte())
	head := len(resp.b)
	resp.bytes(0, 0)
	if p.port != portSWD {
		skip(req, left)
		return
	}
	p.lines.ClearAbort()
	b := batch{p: p, req: req, resp: resp}
	done := 0
	for left > 0 {
		if !b.one(req.byte()) {
			break
		}
		left--
		done++
		if p.lines.Aborted() {
			if p.model.CancelOverrun {
				left++
			}
			break
		}
	}
	b.cancel(left)
	b.finish()
	resp.set(head, byte(done), b.ack)
}

// one executes one request; false ends the batch.
func (b *batch) one(r uint8) bool {
	if r&bitRnW == 0 {
		return b.write(r)
	}
	if b.posted && !b.fetch(r) {
		return false
	}
	b.check = false
	if r&bitValue != 0 {
		return b.match(r)
	}
	if r&bitAPnDP == 0 {
		v, ok := b.read(r)
		if ok {
			b.stamp(r)
			b.resp.uint32(v)
		}
		return ok
	}
	if !b.posted {
		if b.ack, _ = b.p.retry(r, 0); b.ack != ackOK {
			return false
		}
		b.stamp(r)
		b.posted = true
	}
	return true
}

// fetch gets the data of a posted read: with the next plain AP read, which is
// then posted in turn, or from RDBUFF.
func (b *batch) fetch(r uint8) bool {
	pipelined := r&(bitAPnDP|bitRnW|bitValue) == bitAPnDP|bitRnW
	next := uint8(readRDBUFF)
	if pipelined {
		next = r
	}
	b.posted = pipelined
	v, ok := b.read(next)
	if !ok {
		return false
	}
	b.resp.uint32(v)
	if pipelined {
		b.stamp(r)
	}
	return true
}

// match reads until (data & mask) == value or the retries run out; an AP read
// is posted first. The value is compared unmasked. When the wire fails, the
// data read before are compared once more, so that WAIT and FAULT, too, mostly
// come with the mismatch flag.
func (b *batch) match(r uint8) bool {
	value := b.req.uint32()
	p := b.p
	if r&bitAPnDP != 0 {
		if b.ack, _ = p.retry(r, 0); b.ack != ackOK {
			return false
		}
	}
	for left := int(p.matchRetry); ; left-- {
		_, ok := b.read(r)
		if !ok || b.data&p.matchMask == value || left == 0 || p.lines.Aborted() {
			break
		}
	}
	if b.data&p.matchMask != value {
		b.ack |= ackMismatch
	}
	return b.ack == ackOK
}

// write fetches what is posted, then writes a register or the match mask.
func (b *batch) write(r uint8) bool {
	if b.posted && !b.fetch(r) {
		return false
	}
	b.data = b.req.uint32()
	if r&bitMask != 0 {
		b.p.matchMask = b.data
		b.ack = ackOK
		return true
	}
	if b.ack, _ = b.p.retry(r, b.data); b.ack != ackOK {
		return false
	}
	b.stamp(r)
	b.check = true
	return true
}

// read is a read with the probe's retries on WAIT. The data are kept as the
// firmware keeps them: also when their parity is wrong.
func (b *batch) read(r uint8) (uint32, bool) {
	var v uint32
	if b.ack, v = b.p.retry(r, 0); b.ack == ackOK || b.ack == ackError {
		b.data = v
	}
	return v, b.ack == ackOK
}

// retry repeats a transfer that gets WAIT, retries+1 times in all.
func (p *Processor) retry(r uint8, v uint32) (ack uint8, value uint32) {
	for left := int(p.retries); ; left-- {
		ack, value = p.lines.Transfer(r&onWire, v, p.idle)
		if ack != ackWAIT || left == 0 || p.lines.Aborted() {
			return ack, value
		}
	}
}

// stamp appends the time of the transfer just made, if it was asked for.
func (b *batch) stamp(r uint8) {
	if r&bitTimestamp != 0 && b.p.model.TimestampHz != 0 {
		b.resp.uint32(b.p.lines.Timestamp())
	}
}

// cancel parses the requests that are not executed. left counts the one that
// failed; old firmware skips one more than there are.
func (b *batch) cancel(left int) {
	if left > 0 && b.failed() && !b.p.model.CancelOverrun {
		left--
	}
	skip(b.req, left)
}

func (b *batch) failed() bool { return b.ack != ackOK }

// skip parses n requests without executing them.
func skip(req *request, n int) {
	for range n {
		if r := req.byte(); r&bitRnW == 0 || r&bitValue != 0 {
			req.uint32()
		}
	}
}

// finish fetches the last posted read, or has the last write confirmed.
func (b *batch) finish() {
	switch {
	case b.ack != ackOK:
	case b.posted:
		if v, ok := b.read(readRDBUFF); ok {
			b.resp.uint32(v)
		}
	case b.check:
		b.ack, _ = b.p.retry(readRDBUFF, 0)
	}
}

// transferBlock is DAP_TransferBlock: one request repeated, AP reads posted.
func (p *Processor) transferBlock(req *request, resp *response) {
	req.byte() // DAP index
	count := int(req.uint16())
	r := req.byte()
	end := req.n // of the request
	if r&bitRnW == 0 {
		end += 4 * count
	}
	head := len(resp.b)
	resp.bytes(0, 0, 0)
	if p.port == portSWD && count > 0 {
		done, ack := p.block(r, count, req, resp)
		resp.set(head, byte(done), byte(done>>8), ack)
	}
	req.n = end
}

func (p *Processor) block(r uint8, count int, req *request, resp *response) (done int, ack uint8) {
	p.lines.ClearAbort()
	if r&bitRnW == 0 {
		for done < count {
			if ack, _ = p.retry(r, req.uint32()); ack != ackOK {
				return done, ack
			}
			done++
		}
		ack, _ = p.retry(readRDBUFF, 0)
		return done, ack
	}
	if r&bitAPnDP != 0 {
		if ack, _ = p.retry(r, 0); ack != ackOK {
			return 0, ack
		}
	}
	for done < count {
		if done == count-1 && r&bitAPnDP != 0 {
			r = readRDBUFF
		}
		var v uint32
		if ack, v = p.retry(r, 0); ack != ackOK {
			return done, ack
		}
		resp.uint32(v)
		done++
	}
	return done, ack
}
