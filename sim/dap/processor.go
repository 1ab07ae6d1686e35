// Package dap is the command processor of a CMSIS-DAP probe. In: a command
// packet. Out: SWD transfers and sequences on the lines to a target, and the
// response packet, byte for byte as ARM's reference firmware answers.
package dap

import (
	"time"

	"github.com/mprof/mprof/sim/wire"
)

// Lines are the pins of the probe. Whatever happens on them takes its time on
// the clock of whoever implements them.
type Lines interface {
	// Transfer is one SWD transfer: request bits APnDP, RnW, A2, A3 from bit 0
	// up. ack is the three bits read, or ackError for bad parity. idle is how
	// many cycles follow an acknowledged one.
	Transfer(request uint8, data uint32, idle int) (ack uint8, value uint32)
	// Drive clocks n bits out, first bit lowest.
	Drive(bits []byte, n int)
	// Sample clocks n bits in with SWDIO released.
	Sample(bits []byte, n int)
	// Configure is DAP_SWD_Configure: turnaround in cycles, and whether WAIT
	// and FAULT have a data phase.
	Configure(turnaround int, dataPhase bool)
	// SetClock asks for an SWCLK frequency in Hz.
	SetClock(hz uint32)
	// SetPins drives the selected pins; Pins reads all of them (CMSIS-DAP,
	// DAP_SWJ_Pins).
	SetPins(value, selected byte)
	Pins() byte
	// Connect switches the pins on or off.
	Connect(on bool)
	// Wait lets time pass; Command lets pass what a command costs.
	Wait(d time.Duration)
	Command()
	// Timestamp is the test domain timer.
	Timestamp() uint32
	// Aborted says that DAP_TransferAbort arrived since ClearAbort.
	Aborted() bool
	ClearAbort()
}

// Command identifiers (CMSIS-DAP, "Commands").
const (
	idInfo              = 0x00
	idHostStatus        = 0x01
	idConnect           = 0x02
	idDisconnect        = 0x03
	idTransferConfigure = 0x04
	idTransfer          = 0x05
	idTransferBlock     = 0x06
	// IDTransferAbort is out of band: a probe that knows it does not answer.
	IDTransferAbort   = 0x07
	idWriteABORT      = 0x08
	idDelay           = 0x09
	idResetTarget     = 0x0a
	idSWJPins         = 0x10
	idSWJClock        = 0x11
	idSWJSequence     = 0x12
	idSWDConfigure    = 0x13
	idJTAGSequence    = 0x14
	idJTAGConfigure   = 0x15
	idJTAGIDCODE      = 0x16
	idSWDSequence     = 0x1d
	idExecute         = 0x7f
	idInvalid         = 0xff
	statusOK          = 0x00
	statusError       = 0xff
	portDisabled      = 0
	portSWD           = 1
	defaultRetries    = 100
	longestPinWait    = 3_000_000 // us
	infoStringLongest = 60
)

// Processor is one probe's command processor with what it remembers between
// packets.
type Processor struct {
	model wire.Model
	lines Lines

	buffers [][]byte // the probe's packet buffers; old bytes stay in them
	turn    int

	port       byte
	idle       int
	retries    uint16
	matchRetry uint16
	matchMask  uint32
}

// New returns a processor as after power-on.
func New(m wire.Model, l Lines) *Processor {
	p := &Processor{model: m, lines: l, retries: defaultRetries}
	p.buffers = make([][]byte, max(m.PacketCount, 1))
	for i := range p.buffers {
		p.buffers[i] = make([]byte, m.PacketSize)
	}
	l.Configure(1, false)
	l.SetClock(0)
	return p
}

// Execute runs one command packet and returns its response, at most PacketSize
// bytes; nil for DAP_TransferAbort where the probe knows it. A request that is
// shorter than its own counts say runs on into what an earlier packet left in
// the buffer, as it does in the reference firmware, and from the end of the
// buffer on reads zeros. What does not fit the response is dropped.
func (p *Processor) Execute(packet []byte) []byte {
	buf := p.buffers[p.turn]
	p.turn = (p.turn + 1) % len(p.buffers)
	copy(buf, packet)
	req := &request{b: buf}
	resp := &response{b: make([]byte, 0, p.model.PacketSize)}
	switch {
	case p.model.TransferAbort && req.peek() == IDTransferAbort:
		return nil
	case p.model.ExecuteCommands && req.peek() == idExecute:
		req.byte()
		n := req.byte()
		resp.bytes(idExecute, n)
		for range n {
			p.command(req, resp)
		}
	default:
		p.command(req, resp)
	}
	return resp.b
}

// command runs one command.
func (p *Processor) command(req *request, resp *response) {
	p.lines.Command()
	id := req.byte()
	switch id {
	case idInfo:
		resp.bytes(id)
		p.info(req.byte(), resp)
	case idHostStatus:
		kind := req.byte()
		req.byte()
		resp.status(id, kind <= 1)
	case idConnect:
		resp.bytes(id, p.connect(req.byte()))
	case idDisconnect:
		p.port = portDisabled
		p.lines.Connect(false)
		resp.status(id, true)
	case idTransferConfigure:
		p.idle, p.retries, p.matchRetry = int(req.byte()), req.uint16(), req.uint16()
		resp.status(id, true)
	case idTransfer:
		resp.bytes(id)
		p.transfer(req, resp)
	case idTransferBlock:
		resp.bytes(id)
		p.transferBlock(req, resp)
	case idWriteABORT:
		req.byte() // DAP index
		v := req.uint32()
		if p.port == portSWD {
			p.lines.Transfer(0, v, p.idle)
		}
		resp.status(id, p.port == portSWD)
	case idDelay:
		p.lines.Wait(time.Duration(req.uint16()) * time.Microsecond)
		resp.status(id, true)
	case idResetTarget:
		resp.bytes(id, statusOK, 0) // no device-specific sequence
	default:
		p.lineCommand(id, req, resp)
	}
}

// connect answers with the port it took; only SWD is there.
func (p *Processor) connect(port byte) byte {
	if port > portSWD {
		return portDisabled
	}
	p.port = portSWD // 0 asks for the default port
	p.lines.Connect(true)
	return portSWD
}

// request reads a command packet. Past the buffer there are zeros.
type request struct {
	b []byte
	n int
}

func (r *request) peek() byte {
	if r.n < len(r.b) {
		return r.b[r.n]
	}
	return 0
}

func (r *request) byte() byte {
	v := r.peek()
	r.n++
	return v
}

func (r *request) uint16() uint16 { return uint16(r.byte()) | uint16(r.byte())<<8 }

func (r *request) uint32() uint32 { return uint32(r.uint16()) | uint32(r.uint16())<<16 }

// response collects at most cap(b) bytes and drops the rest.
type response struct{ b []byte }

func (r *response) bytes(v ...byte) {
	r.b = append(r.b, v[:min(len(v), cap(r.b)-len(r.b))]...)
}

func (r *response) uint32(v uint32) { r.bytes(byte(v), byte(v>>8), byte(v>>16), byte(v>>24)) }

// status appends a command's identifier and DAP_OK or DAP_ERROR.
func (r *response) status(id byte, ok bool) {
	if ok {
		r.bytes(id, statusOK)
		return
	}
	r.bytes(id, statusError)
}

// set overwrites bytes appended earlier, where they fitted.
func (r *response) set(at int, v ...byte) {
	if at < len(r.b) {
		copy(r.b[at:], v)
	}
}
