package wire

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Full-speed and high-speed transaction times (USB 2.0, 5.8.4): the data bytes
// and the protocol overhead of table 5-9 (13 bytes at 12 Mbit/s) or table 5-10
// (55 bytes at 480 Mbit/s), for a packet of the largest size.
const (
	fullSpeed64  = (64 + 13) * 8 * time.Second / 12_000_000   // 51.3 us
	highSpeed512 = (512 + 55) * 8 * time.Second / 480_000_000 // 9.45 us
)

// models holds what can be chosen by name. Where a figure has no public
// measurement it is an assumption; docs/simulated-board.md says which.
var models = []Model{
	{
		Name: "mcu-link", Product: "Simulated MCU-Link CMSIS-DAP", Serial: "MPROFSIM0001", Firmware: "2.1.1",
		VendorID: 0x1fc9, ProductID: 0x0143,
		PacketSize: 512, PacketCount: 4,
		PacketTime: highSpeed512, HostTurn: 100 * time.Microsecond,
		MaxSWCLK: 10_000_000, TransferOverhead: time.Microsecond, CommandOverhead: 2 * time.Microsecond,
		TimestampHz: 10_000_000, ExecuteCommands: true, TransferAbort: true,
	},
	{
		Name: "debugprobe", Product: "Simulated Debug Probe (CMSIS-DAP)", Serial: "MPROFSIM0002", Firmware: "2.1.1",
		VendorID: 0x2e8a, ProductID: 0x000c,
		PacketSize: 64, PacketCount: 6,
		PacketTime: fullSpeed64, HostTurn: 250 * time.Microsecond,
		MaxSWCLK: 24_000_000, TransferOverhead: 3400 * time.Nanosecond, CommandOverhead: 5 * time.Microsecond,
		TimestampHz: 1_000_000, ExecuteCommands: true,
	},
	{
		Name: "daplink-hid", Product: "Simulated DAPLink CMSIS-DAP", Serial: "MPROFSIM0003", Firmware: "2.1.1",
		VendorID: 0x0d28, ProductID: 0x0204, HID: true,
		PacketSize: 64, PacketCount: 4,
		PacketTime: fullSpeed64, HostTurn: 100 * time.Microsecond, PollInterval: time.Millisecond,
		MaxSWCLK: 2_000_000, TransferOverhead: 1500 * time.Nanosecond, CommandOverhead: 5 * time.Microsecond,
		ExecuteCommands: true, TransferAbort: true,
	},
	{
		Name: "free-dap", Product: "Simulated Generic CMSIS-DAP Adapter", Serial: "MPROFSIM0004", Firmware: "1.3.0",
		VendorID: 0x6666, ProductID: 0x9930,
		PacketSize: 64, PacketCount: 4,
		PacketTime: fullSpeed64, HostTurn: 250 * time.Microsecond,
		MaxSWCLK: 8_550_000, TransferOverhead: 2 * time.Microsecond, CommandOverhead: 5 * time.Microsecond,
	},
	{
		Name: "daplink-hid-2.1.0", Product: "Simulated DAPLink CMSIS-DAP", Serial: "MPROFSIM0005", Firmware: "2.1.0",
		VendorID: 0x0d28, ProductID: 0x0204, HID: true,
		PacketSize: 64, PacketCount: 4,
		PacketTime: fullSpeed64, HostTurn: 100 * time.Microsecond, PollInterval: time.Millisecond,
		MaxSWCLK: 2_000_000, TransferOverhead: 1500 * time.Nanosecond, CommandOverhead: 5 * time.Microsecond,
		ExecuteCommands: true, TransferAbort: true, CancelOverrun: true,
	},
}

// DefaultModel is the probe that is taken when none is named.
const DefaultModel = "mcu-link"

// Models names the probes, the default first.
func Models() []string {
	names := make([]string, len(models))
	for i := range models {
		names[i] = models[i].Name
	}
	return names
}

// ByName finds a model; "" is the default. The error lists what there is.
func ByName(name string) (Model, error) {
	if name == "" {
		name = DefaultModel
	}
	i := slices.IndexFunc(models, func(m Model) bool { return m.Name == name })
	if i < 0 {
		return Model{}, fmt.Errorf("wire: probe model %q: unknown; there are %s", name, strings.Join(Models(), ", "))
	}
	return models[i], nil
}
