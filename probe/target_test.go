package probe_test

import (
	"encoding/binary"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/probe/probetest"
)

// target is a debug port with access ports and memory behind a probe: just
// enough of ADIv5 and ADIv6 to see what the driver does to the registers. It
// answers like the reference firmware, at once and in order.
type target struct {
	packetSize, packetCount int
	noExecute               bool
	dpidr                   uint32
	ports                   map[uint32]uint32 // IDR by number, or port registers by address (ADIv6)
	mem                     map[uint32]uint32
	absent                  func(addr uint32) bool // a bus error

	fail      func(n int, op byte) probe.Ack // of transfer n; 0: none
	deaf      int                            // no answer before this many switch sequences
	dormant   bool                           // only the dormant sequence wakes it
	dropReply func(n int, request []byte) bool

	requests, transfers int
	sel, ctrl, csw, tar uint32
	bd                  uint32 // writes to banked registers
	sticky, needsIDR    bool
	connected           int
	log                 []byte // command bytes, in order
}

func newTarget() *target {
	return &target{packetSize: 64, packetCount: 4, dpidr: 0x2BA01477, csw: 0x23000040,
		ports: map[uint32]uint32{0: 0x24770011}, mem: map[uint32]uint32{0xE000ED00: 0x410FC241}}
}

func (t *target) transport() *probetest.Responder {
	return probetest.NewResponder(t.packetSize, t.answer)
}

func (t *target) answer(p []byte) []byte {
	t.requests++
	r, _ := t.command(p)
	if t.dropReply != nil && t.dropReply(t.requests, p) {
		return nil
	}
	return r
}

// command runs the command at the front of p and returns what follows it.
func (t *target) command(p []byte) (response, rest []byte) {
	t.log = append(t.log, p[0])
	switch p[0] {
	case 0x00:
		return t.info(p[1]), p[2:]
	case 0x01, 0x11, 0x04, 0x13, 0x09:
		n := map[byte]int{0x01: 3, 0x11: 5, 0x04: 6, 0x13: 2, 0x09: 3}[p[0]]
		return []byte{p[0], 0}, p[n:]
	case 0x02:
		t.connected++
		return []byte{2, p[1]}, p[2:]
	case 0x03:
		t.connected--
		return []byte{3, 0}, p[1:]
	case 0x10:
		return []byte{0x10, p[1] & p[2]}, p[7:]
	case 0x12:
		return t.sequence(p[2 : 2+int(p[1])/8]), p[2+int(p[1])/8:]
	case 0x05:
		return t.transfer(p)
	case 0x7F:
		if t.noExecute {
			break
		}
		response, rest = []byte{0x7F, p[1]}, p[2:]
		for range p[1] {
			var r []byte
			r, rest = t.command(rest)
			response = append(response, r...)
		}
		return response, rest
	}
	return []byte{0xFF}, nil
}

func (t *target) info(id byte) []byte {
	switch id {
	case 0xFE:
		return []byte{0, 1, byte(t.packetCount)}
	case 0xFF:
		return []byte{0, 2, byte(t.packetSize), byte(t.packetSize >> 8)}
	case 0xF0:
		return []byte{0, 1, 0x31}
	case 0xF1:
		return []byte{0, 4, 0x40, 0x42, 0x0F, 0x00}
	case 0x02:
		return []byte("\x00\x05Test\x00")
	}
	return []byte{0, 0}
}

func (t *target) sequence(bits []byte) []byte {
	t.needsIDR = true
	long := len(bits) == 28
	if t.deaf > 0 && (!t.dormant || long) && len(bits) > 8 {
		t.deaf--
	}
	return []byte{0x12, 0}
}

func (t *target) transfer(p []byte) (response, rest []byte) {
	n, in := int(p[2]), p[3:]
	response = []byte{5, 0, byte(probe.OK)}
	posted := -1 // index of a posted word in response that a failure takes back
	for i := range n {
		op := in[0]
		in = in[1:]
		var data uint32
		if op&2 == 0 || op&0x10 != 0 {
			data = binary.LittleEndian.Uint32(in)
			in = in[4:]
		}
		if response[2] != byte(probe.OK) {
			continue
		}
		v, ack := t.access(op, data)
		if ack != probe.OK {
			if op&3 == 3 && posted >= 0 && i > 0 {
				response = response[:posted]
			}
			response[2] = byte(ack)
			continue
		}
		response[1]++
		if op&2 != 0 {
			posted = -1
			if op&1 != 0 {
				posted = len(response)
			}
			response = binary.LittleEndian.AppendUint32(response, v)
		} else {
			posted = -1
		}
	}
	return response, in
}

func (t *target) access(op byte, data uint32) (uint32, probe.Ack) {
	t.transfers++
	if t.deaf > 0 {
		return 0, probe.NoAck
	}
	if t.fail != nil {
		if ack := t.fail(t.transfers, op); ack != 0 {
			t.sticky = t.sticky || ack == probe.FAULT
			return 0, ack
		}
	}
	reg := op & 0x0F
	if t.needsIDR && reg != probe.ReadDPIDR {
		return 0, probe.Protocol
	}
	t.needsIDR = false
	if t.sticky && reg != probe.WriteABORT && reg != probe.ReadDPIDR && reg != probe.ReadCTRLSTAT {
		return 0, probe.FAULT
	}
	if reg&1 != 0 {
		return t.accessAP(reg, data)
	}
	switch reg {
	case probe.ReadDPIDR:
		if t.sel&0xF == 2 {
			return 0x00001003, probe.OK // BASEPTR0
		}
		return t.dpidr, probe.OK
	case probe.WriteABORT:
		t.sticky = false
	case probe.WriteSELECT:
		t.sel = data
	case probe.WriteCTRLSTAT:
		t.ctrl = data | data<<1&0xA0000000
	case probe.ReadCTRLSTAT:
		return t.ctrl, probe.OK
	}
	return 0, probe.OK
}

// accessAP is the port with number 0 or, in ADIv6, at address 0x2000.
func (t *target) accessAP(op byte, data uint32) (uint32, probe.Ack) {
	port, bank := t.sel>>24, t.sel&0xF0
	if t.dpidr>>12&0xF >= 3 {
		if t.sel&^0xFF != 0x2D00 || bank == 0xF0 {
			return t.ports[t.sel&^0xF|uint32(op&0xC)], probe.OK
		}
		port = 0
	}
	switch {
	case bank == 0xF0:
		return t.ports[port], probe.OK
	case bank == 0x10:
		t.bd++
		return t.memory(t.tar&^0xF|uint32(op&0xC), op&2 == 0, data)
	}
	switch op {
	case probe.WriteCSW:
		t.csw = data
	case probe.ReadCSW:
		return t.csw, probe.OK
	case probe.WriteTAR:
		t.tar = data
	case probe.ReadTAR:
		return t.tar, probe.OK
	default:
		v, ack := t.memory(t.tar, op&2 == 0, data)
		size := uint32(1) << (t.csw & 7)
		t.tar = t.tar&^0x3FF | (t.tar+size)&0x3FF
		return v, ack
	}
	return 0, probe.OK
}

func (t *target) memory(addr uint32, write bool, data uint32) (uint32, probe.Ack) {
	if t.absent != nil && t.absent(addr) {
		t.sticky = true
		return 0, probe.FAULT
	}
	word := addr &^ 3
	if !write {
		return t.mem[word], probe.OK
	}
	mask := uint32(0xFFFFFFFF)
	if t.csw&7 == 0 {
		mask = 0xFF << (8 * (addr & 3))
	}
	t.mem[word] = t.mem[word]&^mask | data&mask
	return 0, probe.OK
}
