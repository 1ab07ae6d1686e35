package romtable

import "fmt"

// armParts are the part numbers of ARM's components without a DEVARCH of their
// own (technical reference manuals, "ROM table" and "Identification").
var armParts = map[uint16]string{
	0x000: "SCS (Cortex-M3)", 0x001: "ITM", 0x002: "DWT", 0x003: "FPB",
	0x008: "SCS (Cortex-M0, M0+)", 0x00A: "DWT (Cortex-M0, M0+)", 0x00B: "BPU",
	0x00C: "SCS (Cortex-M4, M7)", 0x00E: "FPB (Cortex-M7)",
	0x470: "ROM table (Cortex-M1)", 0x471: "ROM table (Cortex-M0)", 0x4C0: "ROM table (Cortex-M0+)",
	0x4C3: "ROM table (Cortex-M3)", 0x4C4: "ROM table (Cortex-M4)", 0x4C7: "ROM table (Cortex-M7, PPB)",
	0x4C8: "ROM table (Cortex-M7)", 0x4C9: "ROM table (Cortex-M33)", 0x4CB: "ROM table (Cortex-M23)",
	0x906: "CTI", 0x907: "ETB", 0x908: "trace funnel", 0x912: "TPIU", 0x913: "ITM", 0x914: "SWO",
	0x923: "TPIU (Cortex-M3)", 0x924: "ETM (Cortex-M3)", 0x925: "ETM (Cortex-M4)",
	0x932: "MTB (Cortex-M0+)", 0x961: "TMC", 0x975: "ETM (Cortex-M7)",
	0x9A1: "TPIU (Cortex-M4)", 0x9A6: "CTI (Cortex-M0+)", 0x9A9: "TPIU (Cortex-M7)",
	0xD20: "component of Cortex-M23", 0xD21: "component of Cortex-M33", 0xD22: "component of Cortex-M55",
}

// architectures are the ARCHID fields of DEVARCH (CoreSight Architecture
// Specification, B2.3.4), those of ARMv8-M among them.
var architectures = map[uint16]string{
	0x0AF7: "ROM table", 0x0A17: "MEM-AP", 0x0A31: "MTB", 0x0A34: "power requester", 0x0A06: "PMU", 0x0A63: "STM",
	0x1A01: "ITM", 0x1A02: "DWT", 0x1A03: "BPU", 0x1A14: "CTI", 0x2A04: "SCS (ARMv8-M)", 0x4A13: "ETM",
}

// deviceTypes are major and sub type of DEVTYPE, for what has nothing else.
var deviceTypes = map[uint8]string{
	0x11: "TPIU", 0x21: "trace buffer", 0x12: "trace funnel", 0x22: "trace router", 0x13: "ETM", 0x43: "ITM", 0x14: "CTI", 0x31: "trace buffer",
}

// Name says what the component is, as its manual does.
func (c *Component) Name() string {
	if !c.Valid {
		return "unknown"
	}
	arm := c.Designer() == ARM
	if arm && c.Class != classCoreSight {
		if name, ok := armParts[c.Part()]; ok {
			return name
		}
	}
	if c.DEVARCH>>21 == uint32(ARM) {
		if name, ok := architectures[uint16(c.DEVARCH)]; ok {
			return name
		}
	}
	if name, ok := armParts[c.Part()]; ok && arm && c.Part() < 0xD00 {
		return name
	}
	if name, ok := deviceTypes[c.DEVTYPE]; ok && c.Class == classCoreSight {
		return name
	}
	if name, ok := armParts[c.Part()]; ok && arm {
		return name
	}
	switch c.Class {
	case classROMTable:
		return "ROM table"
	case classPrimeCell:
		return fmt.Sprintf("PrimeCell 0x%03x", c.Part())
	case classGeneric:
		return fmt.Sprintf("component 0x%03x", c.Part())
	}
	return fmt.Sprintf("component 0x%03x, class %d", c.Part(), c.Class)
}
