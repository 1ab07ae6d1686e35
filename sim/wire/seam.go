// Package wire models what a debug probe costs in time. In: packets and SWD
// transfers. Out: when they happen, on the virtual clock of the board.
package wire

import "time"

// Model is one kind of probe.
type Model struct {
	Name, Product, Serial, Firmware string
	VendorID, ProductID             uint16
	HID                             bool
	PacketSize                      int // bytes
	PacketCount                     int // packets that the probe buffers
	// USB: how long one packet takes on the bus in each direction, and how
	// long the host takes from a response to its next request (driver,
	// scheduler). HID: one report per PollInterval and direction.
	PacketTime   time.Duration
	HostTurn     time.Duration
	PollInterval time.Duration // HID only
	// SWD: the highest clock it reaches and what its firmware adds.
	MaxSWCLK         uint32        // Hz
	TransferOverhead time.Duration // per SWD transfer, beyond its SWCLK cycles
	CommandOverhead  time.Duration // per DAP command
	TimestampHz      uint32        // 0: no timestamps
	ExecuteCommands  bool          // DAP_ExecuteCommands (0x7F) is there
	TransferAbort    bool          // DAP_TransferAbort (0x07) stops the packet under way
	// CancelOverrun: the firmware is the reference implementation up to V2.1.0
	// (DAPLink still is), which after an error in DAP_Transfer skips one
	// request too many, so that what follows it in DAP_ExecuteCommands is
	// misread.
	CancelOverrun bool
}
