package dap

import "time"

// Bits of a sequence descriptor in DAP_SWD_Sequence.
const (
	sequenceCycles = 0x3f // 0 is 64
	sequenceIn     = 0x80
)

// lineCommand runs the commands that work on the pins, and refuses the rest.
// JTAG is parsed and answered with an error, as a reference firmware built
// without it does; SWO, UART, vendor, queued and nested commands are unknown.
func (p *Processor) lineCommand(id byte, req *request, resp *response) {
	switch id {
	case idSWJPins:
		value, selected, wait := req.byte(), req.byte(), req.uint32()
		resp.bytes(id, p.pins(value, selected, wait))
	case idSWJClock:
		hz := req.uint32()
		if hz != 0 {
			p.lines.SetClock(hz)
		}
		resp.status(id, hz != 0)
	case idSWJSequence:
		n := int(req.byte())
		if n == 0 {
			n = 256
		}
		p.lines.Drive(take(req, n), n)
		resp.status(id, true)
	case idSWDConfigure:
		v := req.byte()
		p.lines.Configure(int(v&3)+1, v&4 != 0)
		resp.status(id, true)
	case idSWDSequence:
		resp.status(id, true)
		for n := req.byte(); n > 0; n-- {
			p.sequence(req, resp)
		}
	case idJTAGSequence:
		resp.status(id, false)
		for n := req.byte(); n > 0; n-- {
			take(req, cyclesOf(req.byte()))
		}
	case idJTAGConfigure:
		for n := req.byte(); n > 0; n-- {
			req.byte()
		}
		resp.status(id, false)
	case idJTAGIDCODE:
		req.byte()
		resp.status(id, false)
	default:
		resp.bytes(idInvalid)
	}
}

// pins drives the selected pins and waits at most wait microseconds for them
// to read as driven.
func (p *Processor) pins(value, selected byte, wait uint32) byte {
	p.lines.SetPins(value, selected)
	limit := min(wait, longestPinWait)
	if p.model.TimestampHz == 0 {
		limit = min(limit, 1) // without a timer the firmware looks twice
	}
	for (p.lines.Pins()^value)&selected != 0 && limit > 0 {
		p.lines.Wait(time.Microsecond)
		limit--
	}
	return p.lines.Pins()
}

// sequence is one part of DAP_SWD_Sequence.
func (p *Processor) sequence(req *request, resp *response) {
	info := req.byte()
	n := cyclesOf(info)
	if info&sequenceIn == 0 {
		p.lines.Drive(take(req, n), n)
		return
	}
	in := make([]byte, (n+7)/8)
	p.lines.Sample(in, n)
	resp.bytes(in...)
}

// cyclesOf is the number of cycles of a sequence descriptor.
func cyclesOf(info byte) int {
	if n := int(info & sequenceCycles); n > 0 {
		return n
	}
	return 64
}

// take reads the bytes of n bits.
func take(req *request, n int) []byte {
	b := make([]byte, (n+7)/8)
	for i := range b {
		b[i] = req.byte()
	}
	return b
}
