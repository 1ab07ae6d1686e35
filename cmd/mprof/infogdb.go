package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mprof/mprof/gdbremote"
	"github.com/mprof/mprof/snapshot"
)

// foundServer is what mprof info prints of a GDB server.
type foundServer struct {
	Address   string   `json:"address"`
	Server    string   `json:"server,omitempty"`
	Core      string   `json:"core"`
	Halted    bool     `json:"halted"` // as long as we are connected
	Registers []string `json:"registers"`
	Missing   []string `json:"missing,omitempty"` // what stacks may need
	Remarks   []string `json:"remarks,omitempty"`
	LeftBy    string   `json:"left_running_by,omitempty"`
}

// gdbInfo asks a GDB server what it is and what it offers.
func (a *app) gdbInfo(ctx context.Context, f *infoFlags) (err error) {
	server, err := f.GDBServer()
	if err != nil {
		return err
	}
	c, err := server.ConnectAny(ctx)
	if err != nil {
		return err
	}
	r := &foundServer{Address: server.Address, Server: c.Server(), Core: c.Core(), Halted: c.Halted(), Remarks: c.Remarks()}
	for reg := range snapshot.Reg(snapshot.NumRegs) {
		if c.Has(reg) {
			r.Registers = append(r.Registers, reg.String())
		}
	}
	for _, reg := range stackRegisters(c) {
		if !c.Has(reg) {
			r.Missing = append(r.Missing, reg.String())
		}
	}
	if err = c.Detach(ctx); err == nil {
		r.LeftBy = c.LeftBy()
	}
	if f.json {
		e := json.NewEncoder(a.stdout)
		e.SetIndent("", "  ")
		return errors.Join(err, e.Encode(r))
	}
	return errors.Join(err, r.print(a.stdout))
}

// stackRegisters are those that stacks across interrupts need.
func stackRegisters(c *gdbremote.Client) []snapshot.Reg {
	if c.Has(snapshot.X0 + 1) {
		return []snapshot.Reg{snapshot.MEPC, snapshot.MCAUSE}
	}
	return []snapshot.Reg{snapshot.MSP, snapshot.PSP, snapshot.CONTROL}
}

func (r *foundServer) print(w io.Writer) error {
	p := &infoPage{}
	p.heading("GDB server")
	p.row("address", "%s", r.Address)
	p.row("server", "%s", cmp.Or(r.Server, "does not say what it is"))
	p.row("target", "%s, %s", r.Core, map[bool]string{true: "halted while somebody is connected", false: "running"}[r.Halted])
	p.row("registers", "%s", strings.Join(r.Registers, " "))
	if len(r.Missing) > 0 {
		p.row("missing", "%s: stacks across interrupts may end early", strings.Join(r.Missing, " "))
	}
	for _, text := range r.Remarks {
		p.row("note", "%s", text)
	}
	if r.LeftBy != "" {
		p.row("left", "running, by %s", r.LeftBy)
	}
	_, err := fmt.Fprint(w, p.b.String())
	return err
}
