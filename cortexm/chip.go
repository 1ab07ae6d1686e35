package cortexm

import (
	"context"

	"github.com/mprof/mprof/cortexm/romtable"
	"github.com/mprof/mprof/probe"
)

// addrROMTable is the ROM table of an ARMv6-M and ARMv7-M processor (ARMv7-M ARM,
// C1.2.1). Vendors put their part number there, or into TARGETID.
const addrROMTable = 0xE00FF000

// Chip names the chip behind p as romtable.Chip does; "" where it is not known,
// or not to be asked now. It reads the debug port and 64 bytes.
func Chip(ctx context.Context, p *probe.Probe) string {
	dp, err := p.DebugPort(ctx)
	if err != nil {
		return ""
	}
	if dp.Version() >= 2 {
		if _, _, chip := romtable.TargetID(dp.TARGETID); chip != "" {
			return chip
		}
	}
	table, err := romtable.Identify(ctx, targetMemory{p}, addrROMTable)
	if err != nil {
		return ""
	}
	return table.Chip()
}
