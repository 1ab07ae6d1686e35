package session

import (
	"context"
	"fmt"

	"github.com/mprof/mprof/probe/usb"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/wire"
	"github.com/mprof/mprof/trace/uart"
)

// Choices are the probes and ports of this machine, and the simulated ones. None is opened:
// opening a port may reset a board.
func (s *Session) Choices(ctx context.Context) Choices {
	c := Choices{Probes: []Choice{}, Ports: []Choice{}}
	devices, _ := usb.List(ctx) // as if there were none
	for _, d := range devices {
		name := fmt.Sprintf("%04x:%04x", d.VendorID, d.ProductID)
		label := d.Name() + ", " + name
		if d.Serial != "" {
			label, name = label+", serial "+d.Serial, d.Serial
		}
		c.Probes = append(c.Probes, Choice{Name: name, Label: label, Problem: problem(d.Problem)})
	}
	c.Probes = append(c.Probes, Choice{Name: "sim", Label: "simulated board"})
	for _, name := range sim.Models() {
		if m, err := wire.ByName(name); err == nil {
			c.Probes = append(c.Probes, Choice{Name: "sim:" + name, Label: "simulated board, " + m.Product})
		}
	}
	ports, _ := uart.List() // as if there were none
	for _, p := range ports {
		c.Ports = append(c.Ports, Choice{Name: p.Name, Label: p.String(), Problem: problem(p.Problem)})
	}
	c.Ports = append(c.Ports, Choice{Name: "sim", Label: "simulated board"})
	return c
}

func problem(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
