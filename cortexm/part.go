package cortexm

import "fmt"

// partNames are the PARTNO fields of CPUID, by implementer (technical
// reference manuals, "CPUID Base Register").
var partNames = map[uint32]string{
	0x41C20: "Cortex-M0", 0x41C21: "Cortex-M1", 0x41C23: "Cortex-M3", 0x41C24: "Cortex-M4",
	0x41C27: "Cortex-M7", 0x41C60: "Cortex-M0+", 0x41D20: "Cortex-M23", 0x41D21: "Cortex-M33",
	0x41D22: "Cortex-M55", 0x41D23: "Cortex-M85", 0x41D24: "Cortex-M52", 0x41D31: "Cortex-M35P",
	0x63132: "STAR-MC1",
}

// Description names the core as its manual does, "Cortex-M4 r0p1": CPUID holds
// implementer [31:24], variant [23:20], part number [15:4], revision [3:0].
func (c *Core) Description() string {
	implementer, part := c.cpuid>>24, c.cpuid>>4&0xFFF
	name, ok := partNames[implementer<<12|part]
	if !ok {
		return fmt.Sprintf("core with CPUID 0x%08x", c.cpuid)
	}
	return fmt.Sprintf("%s r%dp%d", name, c.cpuid>>20&0xF, c.cpuid&0xF)
}
