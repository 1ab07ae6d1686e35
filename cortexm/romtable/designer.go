package romtable

import "fmt"

// Designer is a JEP106 code: number of continuation codes in bits 10 to 7,
// identity without its parity bit in bits 6 to 0.
type Designer uint16

// ARM is the designer of most components.
const ARM Designer = 4<<7 | 0x3B

// designers are those that make Cortex-M chips (JEDEC JEP106).
var designers = map[Designer]string{
	ARM: "ARM", 0x0E: "NXP (Freescale)", 0x15: "NXP", 0x17: "Texas Instruments", 0x18: "Toshiba", 0x1F: "Microchip (Atmel)",
	0x20: "STMicroelectronics", 0x29: "Microchip", 0x34: "Infineon (Cypress)", 0x41: "Infineon", 0x65: "Analog Devices",
	1<<7 | 0x4B: "Analog Devices (Maxim)", 2<<7 | 0x21: "Silicon Labs", 2<<7 | 0x44: "Nordic Semiconductor", 4<<7 | 0x23: "Renesas",
	6<<7 | 0x73: "Silicon Labs (Energy Micro)", 7<<7 | 0x51: "GigaDevice", 9<<7 | 0x13: "Raspberry Pi", 10<<7 | 0x75: "ARM China",
}

func (d Designer) String() string {
	if name, ok := designers[d]; ok {
		return name
	}
	return fmt.Sprintf("JEP106 %d, 0x%02x", d>>7, uint16(d)&0x7F)
}

// chipParts are the parts that a chip's own ROM table or its TARGETID names.
var chipParts = map[Designer]map[uint16]string{
	9<<7 | 0x13: {0x1002: "RP2040", 0x0040: "RP2350"},
	2<<7 | 0x44: {0x001: "nRF51", 0x006: "nRF52832", 0x008: "nRF52840"},
	0x20: { // DBGMCU_IDCODE.DEV_ID, which the part number repeats (reference manuals, "Debug support")
		0x410: "STM32F10x medium density", 0x411: "STM32F2", 0x412: "STM32F10x low density", 0x413: "STM32F405, F407, F415, F417",
		0x414: "STM32F10x high density", 0x415: "STM32L475, L476", 0x416: "STM32L1", 0x417: "STM32L05x, L06x", 0x419: "STM32F42x, F43x",
		0x421: "STM32F446", 0x422: "STM32F302, F303", 0x423: "STM32F401xB, xC", 0x425: "STM32L03x, L04x", 0x431: "STM32F411",
		0x433: "STM32F401xD, xE", 0x434: "STM32F469, F479", 0x435: "STM32L43x, L44x", 0x438: "STM32F303x6, x8, F334",
		0x440: "STM32F05x", 0x441: "STM32F412", 0x442: "STM32F09x", 0x444: "STM32F03x", 0x445: "STM32F04x", 0x446: "STM32F303xD, xE",
		0x447: "STM32L07x, L08x", 0x448: "STM32F07x", 0x449: "STM32F74x, F75x", 0x450: "STM32H742, H743, H753", 0x451: "STM32F76x, F77x",
		0x452: "STM32F72x, F73x", 0x457: "STM32L01x, L02x", 0x460: "STM32G07x, G08x", 0x461: "STM32L496, L4A6", 0x462: "STM32L45x, L46x",
		0x464: "STM32L41x, L42x", 0x466: "STM32G03x, G04x", 0x467: "STM32G0Bx, G0Cx", 0x468: "STM32G431, G441", 0x469: "STM32G47x, G48x",
		0x470: "STM32L4R, L4S", 0x472: "STM32L552, L562", 0x474: "STM32H503", 0x479: "STM32G491, G4A1", 0x480: "STM32H7A3, H7B3",
		0x482: "STM32U575, U585", 0x483: "STM32H72x, H73x", 0x484: "STM32H562, H563, H573", 0x495: "STM32WB55", 0x497: "STM32WLE5",
	},
}

// Chip names the chip where its ROM table is the vendor's own: "" where it is
// not known.
func (c *Component) Chip() string { return chipName(c.Designer(), c.Part()) }

// TargetID reads TARGETID or TARGETSEL (ADIv5.2, B2.2.10): TPARTNO in bits 27 to
// 12, TDESIGNER in bits 11 to 1.
func TargetID(v uint32) (d Designer, part uint16, chip string) {
	d, part = Designer(v>>1&0x7FF), uint16(v>>12)
	return d, part, chipName(d, part)
}

func chipName(d Designer, part uint16) string { return chipParts[d][part] }
