package probe

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Identifiers of DAP_Info (CMSIS-DAP, "DAP_Info").
const (
	infoVendor          byte = 0x01
	infoProduct         byte = 0x02
	infoSerial          byte = 0x03
	infoProtocol        byte = 0x04
	infoTargetVendor    byte = 0x05
	infoTargetName      byte = 0x06
	infoBoardVendor     byte = 0x07
	infoBoardName       byte = 0x08
	infoFirmware        byte = 0x09
	infoCapabilities    byte = 0xF0
	infoTestDomainTimer byte = 0xF1
	infoPacketCount     byte = 0xFE
	infoPacketSize      byte = 0xFF
)

// Capabilities are the bits of DAP_Info 0xF0, Info0 in the low byte.
type Capabilities uint16

const (
	CapSWD            Capabilities = 1 << 0
	CapJTAG           Capabilities = 1 << 1
	CapSWOUART        Capabilities = 1 << 2
	CapSWOManchester  Capabilities = 1 << 3
	CapAtomicCommands Capabilities = 1 << 4 // DAP_ExecuteCommands and DAP_QueueCommands, it says
	CapTestTimer      Capabilities = 1 << 5 // timestamps
	CapSWOStreaming   Capabilities = 1 << 6
	CapUART           Capabilities = 1 << 7
	CapUSBCOM         Capabilities = 1 << 8
)

// Has says whether all bits of c are there.
func (c Capabilities) Has(bits Capabilities) bool { return c&bits == bits }

// Info is what a probe says of itself. Strings are empty where it says
// nothing.
type Info struct {
	Vendor, Product, Serial  string
	Firmware                 string // of the product
	Protocol                 string // version of CMSIS-DAP
	TargetVendor, TargetName string // of a probe soldered to its target
	BoardVendor, BoardName   string
	Capabilities             Capabilities
	PacketSize               int    // bytes: what the probe says, clamped to what the transport carries
	PacketCount              int    // packets that the probe buffers
	TimestampHz              uint32 // clock of the timestamps, 0: none
}

// AppendInfo appends DAP_Info (00 id).
func AppendInfo(dst []byte, id byte) []byte { return append(dst, cmdInfo, id) }

// ParseInfo returns the value in a DAP_Info response (00 len value). An empty
// value means that the probe has none.
func ParseInfo(p []byte) ([]byte, error) {
	if len(p) < 2 || p[0] != cmdInfo || int(p[1]) > len(p)-2 {
		return nil, badResponse("DAP_Info", p)
	}
	return p[2 : 2+int(p[1])], nil
}

// infoText makes a string of a value: up to the first zero byte, printable.
func infoText(v []byte) string {
	s, _, _ := strings.Cut(string(v), "\x00")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, s))
}

// infoNumber makes a number of a value of 1 to 4 bytes, little-endian.
func infoNumber(v []byte) uint32 {
	var b [4]byte
	copy(b[:], v)
	return binary.LittleEndian.Uint32(b[:])
}

// set puts the value of one DAP_Info identifier into its field.
func (i *Info) set(id byte, v []byte) error {
	switch id {
	case infoVendor:
		i.Vendor = infoText(v)
	case infoProduct:
		i.Product = infoText(v)
	case infoSerial:
		i.Serial = infoText(v)
	case infoProtocol:
		i.Protocol = infoText(v)
	case infoTargetVendor:
		i.TargetVendor = infoText(v)
	case infoTargetName:
		i.TargetName = infoText(v)
	case infoBoardVendor:
		i.BoardVendor = infoText(v)
	case infoBoardName:
		i.BoardName = infoText(v)
	case infoFirmware:
		i.Firmware = infoText(v)
	default:
		return i.setNumber(id, v)
	}
	return nil
}

// setNumber does the same for the identifiers that are numbers.
func (i *Info) setNumber(id byte, v []byte) error {
	n := infoNumber(v)
	ok := true
	switch id {
	case infoCapabilities:
		i.Capabilities, ok = Capabilities(n), len(v) == 1 || len(v) == 2
	case infoTestDomainTimer:
		i.TimestampHz, ok = n, len(v) == 0 || len(v) == 4
	case infoPacketCount:
		i.PacketCount, ok = int(n), len(v) == 1 && n > 0
	case infoPacketSize:
		i.PacketSize, ok = int(n), len(v) == 2 && n >= minPacketSize
	}
	if !ok {
		return fmt.Errorf("DAP_Info 0x%02x: value [% x]: %w", id, v, ErrResponse)
	}
	return nil
}

// minPacketSize is the smallest packet that CMSIS-DAP knows (full-speed HID).
const minPacketSize = 64

// readInfo asks for everything. The numbers must be there; a string that an
// old firmware does not know is left empty.
func (p *Probe) readInfo(ctx context.Context) error {
	for _, id := range []byte{infoPacketSize, infoPacketCount, infoCapabilities, infoTestDomainTimer,
		infoVendor, infoProduct, infoSerial, infoProtocol, infoTargetVendor, infoTargetName, infoBoardVendor, infoBoardName, infoFirmware} {
		if id == infoTestDomainTimer && !p.info.Capabilities.Has(CapTestTimer) {
			continue
		}
		r, err := p.command(ctx, AppendInfo(p.scratch[:0], id))
		if err != nil {
			return err
		}
		v, err := ParseInfo(r)
		if err == nil {
			err = p.info.set(id, v)
		}
		optional := id <= infoFirmware || id == infoTestDomainTimer
		if err != nil && !(optional && errors.Is(err, ErrResponse)) {
			return fmt.Errorf("probe: %w", err)
		}
		if id == infoPacketSize {
			p.info.PacketSize = min(p.info.PacketSize, p.transport.PacketSize())
		}
	}
	return nil
}
