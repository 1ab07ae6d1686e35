package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/cortexm/romtable"
)

// infoPage is text in two columns under headings.
type infoPage struct{ b strings.Builder }

func (p *infoPage) heading(s string) {
	if p.b.Len() > 0 {
		p.b.WriteString("\n")
	}
	p.b.WriteString(s + "\n")
}

// row writes a line unless its value is empty.
func (p *infoPage) row(label, format string, args ...any) {
	if v := fmt.Sprintf(format, args...); strings.TrimSpace(v) != "" {
		fmt.Fprintf(&p.b, "  %-15s %s\n", label, v)
	}
}

// print writes the text form of what was found.
func (r *found) print(w io.Writer) error {
	p := &infoPage{}
	r.Probe.text(p)
	if r.DebugPort != nil {
		r.DebugPort.text(p, r.Chip)
	}
	if len(r.AccessPorts) > 0 {
		p.heading("Access ports")
		for _, ap := range r.AccessPorts {
			use := ""
			if ap.InUse {
				use = ", in use"
			}
			p.row(fmt.Sprintf("0x%x", ap.Index), "%s, IDR 0x%08x, BASE 0x%08x%s", ap.Kind, ap.IDR, ap.BASE, use)
		}
	}
	if r.Core != nil {
		coreText(p, r.Core, r.Reset)
	}
	if r.Components != nil {
		p.heading("Debug components")
		r.Components.text(p, 1)
	}
	if c := r.Costs; c != nil {
		p.heading("Costs, measured")
		p.row("SWD transfer", "%s", micros(c.TransferNs))
		p.row("round trip", "%s", micros(c.RoundTripNs))
		p.row("next packet", "%s", micros(c.PacketNs))
		if c.CommandNs > 0 {
			p.row("DAP command", "%s", micros(c.CommandNs))
		}
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

func micros(ns int64) string { return fmt.Sprintf("%.1f us", float64(ns)/float64(time.Microsecond)) }

func (f foundProbe) text(p *infoPage) {
	p.heading("Probe")
	p.row("product", "%s", f.Product)
	p.row("vendor", "%s", f.Vendor)
	p.row("serial", "%s", f.Serial)
	p.row("firmware", "%s", f.Firmware)
	protocol := f.Kind
	if protocol == "" {
		protocol = "CMSIS-DAP"
	}
	if f.Protocol != "" {
		protocol += ", protocol version " + f.Protocol
	}
	p.row("protocol", "%s", protocol)
	p.row("packets", "%d of %d bytes", f.PacketCount, f.PacketSize)
	p.row("capabilities", "%s", strings.Join(f.Capabilities, ", "))
	if f.TimestampHz > 0 {
		p.row("timestamps", "%g MHz", float64(f.TimestampHz)/1e6)
	} else {
		p.row("timestamps", "none")
	}
	if f.ExecutesLists != nil {
		p.row("command lists", "%s", map[bool]string{true: "DAP_ExecuteCommands works", false: "DAP_ExecuteCommands does not work"}[*f.ExecutesLists])
	}
	p.row("target", "%s %s", f.TargetVendor, f.TargetName)
	p.row("board", "%s %s", f.BoardVendor, f.BoardName)
}

func (d *foundDP) text(p *infoPage, chip string) {
	p.heading("Debug port")
	minimal := ""
	if d.DPIDR>>16&1 != 0 {
		minimal = ", minimal"
	}
	adi := "ADIv5"
	if d.Version >= 3 {
		adi = "ADIv6"
	}
	p.row("DPIDR", "0x%08x  DPv%d (%s)%s, %s, part 0x%02x, revision %d", d.DPIDR, d.Version, adi, minimal,
		romtable.Designer(d.DPIDR>>1&0x7FF), d.DPIDR>>20&0xFF, d.DPIDR>>28)
	if d.TARGETID != nil {
		designer, part, _ := romtable.TargetID(*d.TARGETID)
		p.row("TARGETID", "0x%08x  %s, part 0x%04x", *d.TARGETID, designer, part)
		p.row("DLPIDR", "0x%08x  instance %d", *d.DLPIDR, *d.DLPIDR>>28)
	}
	if d.TARGETSEL != nil {
		p.row("TARGETSEL", "0x%08x", *d.TARGETSEL)
	}
	p.row("chip", "%s", chip)
}

func coreText(p *infoPage, c *cortexm.Inspection, resetBy string) {
	p.heading("Core")
	p.row("core", "%s, CPUID 0x%08x", c.Core, c.CPUID)
	p.row("FPU", "%s", c.FPU)
	p.row("TrustZone", "%s", map[bool]string{true: "yes", false: "no"}[c.TrustZone])
	p.row("MPU", "%d regions", c.MPURegions)
	p.row("breakpoints", "%d", c.Breakpoints)
	p.row("watchpoints", "%d", c.Watchpoints)
	p.row("DWT", "cycle counter %s, PC sampling %s", c.CYCCNT, c.PCSR)
	p.row("state", "%s", stateText(c.State, resetBy))
	if c.TrustZone {
		p.row("secure debug", "%s", c.State.SecureDebug)
	}
}

// stateText says what the core is doing, and who else is there.
func stateText(s cortexm.State, resetBy string) string {
	var text string
	switch {
	case resetBy != "":
		return "reset by " + resetBy + " and held at its reset vector while this was read"
	case s.LockedUp:
		text = "locked up: it faulted in its fault handler"
	case s.Halted:
		text = "halted by " + s.By
	case s.Sleeping:
		text = "running, asleep at the moment"
	default:
		text = "running"
	}
	if s.DebugEnabled {
		text += "; a debugger is attached, or did not detach (C_DEBUGEN)"
	}
	return text
}

func (c *foundComponent) text(p *infoPage, depth int) {
	line := fmt.Sprintf("%s0x%08x", strings.Repeat("  ", depth), c.Addr)
	what := c.Name
	if c.Designer != "" {
		what += fmt.Sprintf(", %s, part 0x%03x, revision %d", c.Designer, c.Part, c.Revision)
	}
	if c.Problem != "" {
		what += ": " + c.Problem
	}
	fmt.Fprintf(&p.b, "%-17s %s\n", line, what)
	for _, child := range c.Children {
		child.text(p, depth+1)
	}
}
