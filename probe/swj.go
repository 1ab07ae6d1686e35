package probe

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"
)

// Pins of DAP_SWJ_Pins (CMSIS-DAP, "DAP_SWJ_Pins").
const (
	PinSWCLK  byte = 1 << 0
	PinSWDIO  byte = 1 << 1
	PinTDI    byte = 1 << 2
	PinTDO    byte = 1 << 3
	PinNTRST  byte = 1 << 5
	PinNRESET byte = 1 << 7
)

// portSWD is the port of DAP_Connect.
const portSWD = 1

// maxPinWait is the longest wait of DAP_SWJ_Pins.
const maxPinWait = 3 * time.Second

// The sequences that bring a port of unknown state to SWD, least significant
// bit first (ADIv5.2 sections B5.2 and B5.3): line reset, the
// JTAG-to-SWD switch, and the way through the dormant state.
var (
	lineReset = []byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00}

	jtagToSWD = []byte{
		0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, // 50 and more cycles high
		0x9E, 0xE7, // 0xE79E
		0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00,
	}

	jtagToDormant = []byte{0xFF, 0x75, 0x77, 0x77, 0x67}

	dormantToSWD = []byte{
		0xFF,
		0x92, 0xF3, 0x09, 0x62, 0x95, 0x2D, 0x85, 0x86, // selection alert
		0xE9, 0xAF, 0xDD, 0xE3, 0xA2, 0x0E, 0xBC, 0x19,
		0xA0, 0xF1, 0xFF, // 4 cycles low, activation code 0x1A
		0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00,
	}
)

// appendSWJSequence appends DAP_SWJ_Sequence (12 bits8 data): 256 bits are 0.
func appendSWJSequence(dst, bits []byte) []byte {
	return append(append(dst, cmdSWJSequence, byte(8*len(bits))), bits...)
}

// appendSWJPins appends DAP_SWJ_Pins (10 output select wait32 in us).
func appendSWJPins(dst []byte, output, sel byte, wait time.Duration) []byte {
	return binary.LittleEndian.AppendUint32(append(dst, cmdSWJPins, output, sel), uint32(wait.Microseconds()))
}

// sequence clocks bits out on SWDIO.
func (p *Probe) sequence(ctx context.Context, bits []byte) error {
	return p.status(ctx, appendSWJSequence(p.scratch[:0], bits))
}

// SetClock asks for SWCLK in Hz; the probe takes the nearest that it can do
// and does not say which.
func (p *Probe) SetClock(ctx context.Context, hz uint32) error {
	if err := p.status(ctx, binary.LittleEndian.AppendUint32(append(p.scratch[:0], cmdSWJClock), hz)); err != nil {
		return err
	}
	p.options.SWCLKHz = hz
	return nil
}

// Pins drives the pins in mask to value, waits at most wait until they read so
// and returns what all pins read.
func (p *Probe) Pins(ctx context.Context, value, mask byte, wait time.Duration) (byte, error) {
	wait = max(0, min(wait, maxPinWait))
	r, err := p.command(ctx, appendSWJPins(p.scratch[:0], value, mask, wait))
	if err != nil {
		return 0, err
	}
	if len(r) < 2 {
		return 0, fmt.Errorf("probe: %w", badResponse("DAP_SWJ_Pins", r))
	}
	return r[1], nil
}

// delay lets the probe wait, at most 65535 us, so that the time is the
// target's and not the host's.
func (p *Probe) delay(ctx context.Context, d time.Duration) error {
	return p.status(ctx, AppendDelay(p.scratch[:0], uint16(min(d.Microseconds(), 0xFFFF))))
}
