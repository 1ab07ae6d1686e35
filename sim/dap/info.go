package dap

import "strings"

// Identifiers of DAP_Info (CMSIS-DAP, "DAP_Info").
const (
	infoVendor        = 0x01
	infoProduct       = 0x02
	infoSerial        = 0x03
	infoProtocol      = 0x04
	infoProductFW     = 0x09
	infoCapabilities  = 0xf0
	infoTimestampHz   = 0xf1
	infoPacketCount   = 0xfe
	infoPacketSize    = 0xff
	capSWD            = 1 << 0
	capAtomicCommands = 1 << 4
	capTimestamp      = 1 << 5
)

// info answers DAP_Info: a length and the value; length 0 for what the probe
// does not know (target device and board, SWO and UART buffers). JTAG, SWO and
// UART have their capability bits clear.
func (p *Processor) info(id byte, resp *response) {
	m := &p.model
	switch id {
	case infoVendor:
		infoString(resp, "mprof")
	case infoProduct:
		infoString(resp, m.Product)
	case infoSerial:
		infoString(resp, m.Serial)
	case infoProtocol, infoProductFW:
		infoString(resp, m.Firmware)
	case infoCapabilities:
		p.capabilities(resp)
	case infoTimestampHz:
		if m.TimestampHz == 0 {
			resp.bytes(0)
			return
		}
		resp.bytes(4)
		resp.uint32(m.TimestampHz)
	case infoPacketCount:
		resp.bytes(1, byte(m.PacketCount))
	case infoPacketSize:
		resp.bytes(2, byte(m.PacketSize), byte(m.PacketSize>>8))
	default:
		resp.bytes(0)
	}
}

// capabilities: firmware before version 2 has one byte of them.
func (p *Processor) capabilities(resp *response) {
	c := byte(capSWD)
	if p.model.ExecuteCommands {
		c |= capAtomicCommands
	}
	if p.model.TimestampHz != 0 {
		c |= capTimestamp
	}
	if strings.HasPrefix(p.model.Firmware, "1.") {
		resp.bytes(1, c)
		return
	}
	resp.bytes(2, c, 0)
}

// infoString appends the length with the terminating zero, and the string.
func infoString(resp *response, s string) {
	if s == "" {
		resp.bytes(0)
		return
	}
	s = s[:min(len(s), infoStringLongest)]
	resp.bytes(byte(len(s) + 1))
	resp.bytes([]byte(s)...)
	resp.bytes(0)
}
