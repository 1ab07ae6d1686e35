package main

import (
	"context"
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/probe/usb"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/wire"
	"github.com/mprof/mprof/trace/uart"
)

func (a *app) listCommand() *cobra.Command {
	var udev, asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List debug probes and serial ports, and what keeps you from using them",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case udev:
				_, err := fmt.Fprint(a.stdout, usb.UdevRules())
				return err
			case asJSON:
				return a.listJSON(cmd.Context())
			}
			return a.list(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&udev, "udev", false, "print the udev rules that let users open probes")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	return cmd
}

// listed is a probe or a serial port as `mprof list` shows it.
type listed struct {
	Probe    string `json:"probe"` // what --probe takes; of a serial port, what --port takes
	Kind     string `json:"kind"`
	Product  string `json:"product"`
	Serial   string `json:"serial,omitempty"`
	VIDPID   string `json:"vidpid,omitempty"`
	Firmware string `json:"firmware,omitempty"`
	Problem  string `json:"problem,omitempty"`
	err      error
}

// probes lists USB probes, each opened briefly for its firmware version.
func probes(ctx context.Context) ([]listed, error) {
	devices, err := usb.List(ctx)
	var all []listed
	for _, d := range devices {
		l := listed{
			Kind: d.Kind, Product: d.Product, Serial: d.Serial,
			VIDPID: fmt.Sprintf("%04x:%04x", d.VendorID, d.ProductID),
		}
		if d.Known != "" {
			l.Product += " (" + d.Known + ")"
		}
		l.Probe = l.VIDPID
		if l.Serial != "" {
			l.Probe = l.Serial
		}
		if l.err = d.Problem; l.err == nil {
			l.Firmware, l.err = firmwareOf(ctx, l.Probe)
		}
		if l.err != nil {
			l.Problem = l.err.Error()
		}
		all = append(all, l)
	}
	return all, err
}

// firmwareOf asks a probe for its firmware version; the target is not touched.
func firmwareOf(ctx context.Context, selector string) (string, error) {
	transport, _, err := usb.Open(ctx, selector)
	if err != nil {
		return "", err
	}
	defer transport.Close()
	info, err := probe.Identify(ctx, transport)
	return info.Firmware, err
}

// simulated lists the probe models of the simulated board.
func simulated() []listed {
	var all []listed
	for _, name := range sim.Models() {
		if m, err := wire.ByName(name); err == nil {
			all = append(all, listed{Probe: "sim:" + name, Kind: "simulated", Product: m.Product})
		}
	}
	return all
}

// serialKind is the kind of a serial port, which mprof trace opens.
const serialKind = "serial"

// serialPorts lists the serial ports. None is opened: that may reset a board.
func serialPorts() []listed {
	ports, _ := uart.List() // as if there were none
	var all []listed
	for _, p := range ports {
		l := listed{Probe: p.Name, Kind: serialKind, Product: p.Product, Serial: p.Serial, VIDPID: p.VIDPID, err: p.Problem}
		if l.err != nil {
			l.Problem = l.err.Error()
		}
		all = append(all, l)
	}
	return all
}

func (a *app) list(ctx context.Context) error {
	all, err := probes(ctx)
	ports := serialPorts()
	w := tabwriter.NewWriter(a.stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "PROBE\tKIND\tPRODUCT\tVID:PID\tFIRMWARE\tPROBLEM")
	for _, l := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", l.Probe, l.Kind, l.Product, l.VIDPID, dash(l.Firmware), dash(l.Problem))
	}
	for _, m := range simulated() {
		fmt.Fprintf(w, "%s\t%s\t%s\t-\t-\t-\n", m.Probe, m.Kind, m.Product)
	}
	if len(ports) > 0 {
		fmt.Fprintln(w, "\nPORT\tKIND\tPRODUCT\tVID:PID\tSERIAL\tPROBLEM")
	}
	for _, p := range ports {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", p.Probe, p.Kind, dash(p.Product), dash(p.VIDPID), dash(p.Serial), dash(p.Problem))
	}
	if flushErr := w.Flush(); flushErr != nil {
		return flushErr
	}
	if err != nil {
		fmt.Fprintf(a.stdout, "\nUSB: %v\n", err)
	} else if len(all) == 0 {
		fmt.Fprintf(a.stdout, "\nNo CMSIS-DAP probe on USB. The simulated ones need no hardware.\n")
	}
	for _, l := range append(all, ports...) {
		for _, h := range hintsFor(l.err) {
			fmt.Fprintf(a.stdout, "\n%s: %s\n", l.Probe, h)
		}
	}
	return nil
}

func (a *app) listJSON(ctx context.Context) error {
	all, err := probes(ctx)
	if err != nil {
		return err
	}
	all = append(append(all, simulated()...), serialPorts()...)
	e := json.NewEncoder(a.stdout)
	e.SetIndent("", "  ")
	return e.Encode(all)
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
