package usb

import "strings"

// known names probes by vendor and product. It is also what udev rules are
// made of, and how a probe is recognised that may not be opened. The ids are
// those of the firmware sources and of pyOCD's udev rules. A nRF board's J-Link is
// none of CMSIS-DAP; nRF boards with DAPLink are found as such.
var known = []struct {
	vendor, product uint16
	name            string
}{
	{0x0D28, 0x0204, "DAPLink"},
	{0x2E8A, 0x000C, "debugprobe"},
	{0x1FC9, 0x0143, "MCU-Link"},
	{0x1FC9, 0x0090, "LPC-Link2"},
	{0x03EB, 0x2111, "Atmel EDBG"},
	{0x03EB, 0x216C, "Microchip EDBGC"},
	{0x03EB, 0x2145, "Atmel mEDBG"},
	{0x03EB, 0x2175, "Microchip nEDBG"},
	{0x03EB, 0x2140, "Atmel JTAGICE3"},
	{0x03EB, 0x2141, "Atmel-ICE"},
	{0x03EB, 0x2144, "Atmel Power Debugger"},
	{0x04B4, 0xF151, "MiniProg4"},
	{0x04B4, 0xF152, "MiniProg4"},
	{0x04B4, 0xF154, "KitProg3"},
	{0x04B4, 0xF155, "KitProg3"},
	{0x04B4, 0xF166, "KitProg3"},
	{0x04B4, 0xF138, "KitProg"},
	{0x04B4, 0xF148, "KitProg"},
	{0x6666, 0x9930, "free-dap"},
	{0x1A86, 0x8011, "WCH-Link"}, // 8010 is its RISC-V mode, another protocol
	{0x1A86, 0x8012, "WCH-Link"},
	{0x1915, 0x910A, "Nordic Thingy:91 X"},
	{0x2341, 0x1002, "Arduino UNO R4 WiFi"},
	{0x2E3C, 0xF000, "AT-Link"},
	{0xC251, 0x2722, "ULINK2"},
	{0xC251, 0x2750, "ULINKplus"},
	{0x0451, 0xBEF3, "XDS110"},
	{0x1209, 0x3443, "Orbtrace"},
}

// knownAs is the name of a probe in the table. The product string goes first:
// firmware is often flashed on hardware that was sold with another.
func knownAs(vendor, product uint16, text string) string {
	lower := strings.ToLower(text)
	for _, k := range known {
		if text != "" && strings.Contains(lower, strings.ToLower(k.name)) {
			return k.name
		}
	}
	for _, k := range known {
		if k.vendor == vendor && k.product == product {
			return k.name
		}
	}
	return ""
}
