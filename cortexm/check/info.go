package check

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/mprof/mprof/probe"
)

// infoIDs are the identifiers of DAP_Info (CMSIS-DAP, "DAP_Info") and how their
// values read.
var infoIDs = []struct {
	id   byte
	name string
	text bool
}{
	{0x01, "vendor", true}, {0x02, "product", true}, {0x03, "serial", true}, {0x04, "CMSIS-DAP", true},
	{0x05, "target vendor", true}, {0x06, "target", true}, {0x07, "board vendor", true}, {0x08, "board", true},
	{0x09, "firmware", true}, {0xF0, "capabilities", false}, {0xF1, "timestamp clock", false},
	{0xFB, "UART receive buffer", false}, {0xFC, "UART transmit buffer", false}, {0xFD, "SWO buffer", false},
	{0xFE, "packet count", false}, {0xFF, "packet size", false},
}

// capabilityNames are the bits of DAP_Info 0xF0, lowest first.
var capabilityNames = []string{"SWD", "JTAG", "SWO UART", "SWO Manchester", "atomic commands", "timestamps", "SWO streaming", "UART", "USB COM"}

// capabilities asks for everything that DAP_Info knows, as the probe says it.
func capabilities(b *bench, ctx context.Context) (f Finding, err error) {
	for _, i := range infoIDs {
		r, err := b.p.Exchange(ctx, [][]byte{probe.AppendInfo(nil, i.id)}, nil)
		if err != nil {
			return f, err
		}
		v, err := probe.ParseInfo(r[0])
		switch {
		case err != nil:
			f.fact("%s (0x%02x): %v", i.name, i.id, err)
		case len(v) == 0:
		case i.text:
			f.fact("%s: %q", i.name, strings.TrimRight(string(v), "\x00"))
		default:
			var n [4]byte
			copy(n[:], v)
			number := binary.LittleEndian.Uint32(n[:])
			f.fact("%s: %s", i.name, describe(i.id, number))
			f.value(strings.ReplaceAll(i.name, " ", "_"), float64(number))
		}
	}
	says, does := b.p.Info().Capabilities.Has(probe.CapAtomicCommands), b.p.HasExecuteCommands()
	if says != does {
		f.fact("DAP_ExecuteCommands: the bit says %v, and it is %v", says, does)
	}
	f.judge(says == does, "SWD by batches; SWO and UART are not used", "DAP_ExecuteCommands is tried at the start, whatever the bit says")
	return f, nil
}

func describe(id byte, n uint32) string {
	switch id {
	case 0xF0:
		var names []string
		for bit, name := range capabilityNames {
			if n>>bit&1 != 0 {
				names = append(names, name)
			}
		}
		return fmt.Sprintf("0x%02x (%s)", n, strings.Join(names, ", "))
	case 0xF1:
		return fmt.Sprintf("%d Hz", n)
	case 0xFE:
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d bytes", n)
}
