package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/cortexm/romtable"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/probe/usb"
	"github.com/mprof/mprof/session/target"
)

// infoFlags is the command line of mprof info.
type infoFlags struct {
	target.Options
	json bool
}

func (a *app) infoCommand() *cobra.Command {
	f := &infoFlags{}
	cmd := &cobra.Command{
		Use:   "info [flags]",
		Short: "Show what is there: probe, debug port, core, debug components",
		Long: `Info asks the probe what it is, finds the debug port, its access ports, the core
and the components that the ROM table lists, and measures what the probe costs.
The core is not stopped and not changed; one that somebody has halted stays so.

Where the target does not answer, what the probe says is printed all the same.
With --connect-under-reset the target is reset and held at its reset vector
until everything is read, and runs from there.

With --probe gdb:HOST:PORT it says what the GDB server tells: most halt the
target as long as somebody is connected.`,
		Example: `  mprof info
  mprof info --probe sim:debugprobe,chip=rp2040 --core 1
  mprof info --probe 0d28:0204 --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.info(cmd.Context(), f) },
	}
	addTarget(cmd, &f.Options)
	addUnderReset(cmd, &f.Options)
	cmd.Flags().BoolVar(&f.json, "json", false, "print it as JSON")
	return cmd
}

// found is what mprof info prints.
type found struct {
	Probe       foundProbe          `json:"probe"`
	DebugPort   *foundDP            `json:"debug_port,omitempty"`
	AccessPorts []foundAP           `json:"access_ports,omitempty"`
	Chip        string              `json:"chip,omitempty"`
	Core        *cortexm.Inspection `json:"core,omitempty"`
	Components  *foundComponent     `json:"components,omitempty"`
	Costs       *foundCosts         `json:"costs,omitempty"`
	Reset       string              `json:"reset_by,omitempty"`
	Error       string              `json:"error,omitempty"` // why it ends early
}

type foundProbe struct {
	Product       string   `json:"product"`
	Vendor        string   `json:"vendor,omitempty"`
	Serial        string   `json:"serial,omitempty"`
	Firmware      string   `json:"firmware,omitempty"`
	Protocol      string   `json:"protocol,omitempty"`
	Kind          string   `json:"kind,omitempty"` // CMSIS-DAP v1 (HID) or v2 (bulk)
	PacketSize    int      `json:"packet_size"`
	PacketCount   int      `json:"packet_count"`
	Capabilities  []string `json:"capabilities"`
	TimestampHz   uint32   `json:"timestamp_hz"`
	TargetVendor  string   `json:"target_vendor,omitempty"`
	TargetName    string   `json:"target,omitempty"`
	BoardVendor   string   `json:"board_vendor,omitempty"`
	BoardName     string   `json:"board,omitempty"`
	ExecutesLists *bool    `json:"execute_commands,omitempty"` // tried when a target was there
}

type foundDP struct {
	DPIDR     uint32  `json:"dpidr"`
	Version   int     `json:"version"`
	TARGETID  *uint32 `json:"targetid,omitempty"`
	DLPIDR    *uint32 `json:"dlpidr,omitempty"`
	TARGETSEL *uint32 `json:"targetsel,omitempty"`
}

type foundAP struct {
	Index uint32 `json:"index"`
	Kind  string `json:"kind"`
	IDR   uint32 `json:"idr"`
	BASE  uint32 `json:"base"`
	InUse bool   `json:"in_use"`
}

type foundComponent struct {
	Addr     uint32            `json:"addr"`
	Name     string            `json:"name"`
	Designer string            `json:"designer,omitempty"`
	Part     uint16            `json:"part"`
	Revision uint8             `json:"revision"`
	Class    uint8             `json:"class"`
	DEVARCH  uint32            `json:"devarch,omitempty"`
	Problem  string            `json:"problem,omitempty"`
	Children []*foundComponent `json:"children,omitempty"`
}

type foundCosts struct {
	TransferNs  int64 `json:"transfer_ns"`
	CommandNs   int64 `json:"command_ns"`
	RoundTripNs int64 `json:"round_trip_ns"`
	PacketNs    int64 `json:"packet_ns"`
}

// info collects and prints; what was found before an error is printed too.
func (a *app) info(ctx context.Context, f *infoFlags) error {
	if target.IsGDB(f.Probe) {
		return a.gdbInfo(ctx, f)
	}
	t, err := target.Open(ctx, f.Probe, "")
	if err != nil {
		return err
	}
	defer t.Close()
	if a.opened != nil {
		a.opened(t)
	}
	said, err := probe.Identify(ctx, t.Transport)
	if err != nil {
		return err
	}
	r := &found{Probe: describeProbe(t, said)}
	err = r.look(ctx, f, t)
	if err != nil {
		r.Error = err.Error()
	}
	if f.json {
		e := json.NewEncoder(a.stdout)
		e.SetIndent("", "  ")
		return errors.Join(err, e.Encode(r))
	}
	return errors.Join(err, r.print(a.stdout))
}

// describeProbe is the half that needs no target.
func describeProbe(t *target.Target, i probe.Info) foundProbe {
	p := foundProbe{
		Product: i.Product, Vendor: i.Vendor, Serial: i.Serial, Firmware: i.Firmware, Protocol: i.Protocol,
		PacketSize: i.PacketSize, PacketCount: i.PacketCount, Capabilities: capabilityNames(i.Capabilities), TimestampHz: i.TimestampHz,
		TargetVendor: i.TargetVendor, TargetName: i.TargetName, BoardVendor: i.BoardVendor, BoardName: i.BoardName,
	}
	switch {
	case t.USB != nil:
		p.Kind = t.USB.Kind
		if p.Product == "" {
			p.Product = t.USB.Name()
		}
		if p.Serial == "" {
			p.Serial = t.USB.Serial
		}
	case t.Board != nil && t.Board.Model().HID:
		p.Kind = usb.KindHID
	case t.Board != nil:
		p.Kind = usb.KindBulk
	}
	return p
}

func capabilityNames(c probe.Capabilities) (names []string) {
	for _, bit := range []struct {
		bit  probe.Capabilities
		name string
	}{
		{probe.CapSWD, "SWD"}, {probe.CapJTAG, "JTAG"}, {probe.CapSWOUART, "SWO UART"}, {probe.CapSWOManchester, "SWO Manchester"},
		{probe.CapAtomicCommands, "atomic commands"}, {probe.CapTestTimer, "timestamps"}, {probe.CapSWOStreaming, "SWO streaming"},
		{probe.CapUART, "UART"}, {probe.CapUSBCOM, "USB COM port"},
	} {
		if c.Has(bit.bit) {
			names = append(names, bit.name)
		}
	}
	return names
}

// look connects to the target and fills the rest, as far as it comes.
func (r *found) look(ctx context.Context, f *infoFlags, t *target.Target) (err error) {
	p, err := probe.Open(ctx, t.Transport, f.ProbeOptions(t))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	execute := p.HasExecuteCommands()
	r.Probe.ExecutesLists = &execute
	if p.InReset() {
		core, attachErr := cortexm.Attach(ctx, p, cortexm.AttachOptions{Clock: t.Clock, ResumeHalted: true})
		if attachErr != nil {
			return attachErr
		}
		defer func() { err = errors.Join(err, core.Detach(ctx)) }()
		start, _ := core.Start()
		r.Reset = start.By
	}
	return r.inspect(ctx, p, t)
}

// inspect asks debug port, access ports and core.
func (r *found) inspect(ctx context.Context, p *probe.Probe, t *target.Target) error {
	dp, err := p.DebugPort(ctx)
	if err != nil {
		return err
	}
	r.DebugPort = &foundDP{DPIDR: dp.DPIDR, Version: dp.Version()}
	if dp.Version() >= 2 {
		r.DebugPort.TARGETID, r.DebugPort.DLPIDR = &dp.TARGETID, &dp.DLPIDR
		_, _, r.Chip = romtable.TargetID(dp.TARGETID)
	}
	if sel, ok := p.TARGETSEL(); ok {
		r.DebugPort.TARGETSEL = &sel
	}
	ports, err := p.AccessPorts(ctx)
	if err != nil {
		return err
	}
	base := uint32(0xFFFFFFFF)
	for _, ap := range ports {
		inUse := ap.Index == p.APIndex()
		if inUse {
			base = ap.BASE
		}
		r.AccessPorts = append(r.AccessPorts, foundAP{Index: ap.Index, Kind: ap.Kind(), IDR: ap.IDR, BASE: ap.BASE, InUse: inUse})
	}
	core, err := cortexm.Inspect(ctx, p, base)
	if err != nil {
		return err
	}
	r.Core, r.Components = &core, describeComponent(core.Components)
	if r.Chip == "" && core.Components != nil {
		r.Chip = core.Components.Chip()
	}
	costs, err := cortexm.Measure(ctx, p, t.Clock)
	if err != nil {
		return err
	}
	r.Costs = &foundCosts{costs.Transfer.Nanoseconds(), costs.Command.Nanoseconds(), costs.RoundTrip.Nanoseconds(), costs.Packet.Nanoseconds()}
	return nil
}

func describeComponent(c *romtable.Component) *foundComponent {
	if c == nil {
		return nil
	}
	d := &foundComponent{Addr: c.Addr, Name: c.Name(), Class: c.Class, Problem: c.Problem}
	if c.Valid {
		d.Designer, d.Part, d.Revision, d.DEVARCH = fmt.Sprint(c.Designer()), c.Part(), c.Revision(), c.DEVARCH
	}
	for _, child := range c.Children {
		d.Children = append(d.Children, describeComponent(child))
	}
	return d
}
