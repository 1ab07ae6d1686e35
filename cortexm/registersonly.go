package cortexm

import (
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/snapshot"
)

// bareRegisters are those of a sample without a stack. PC and LR name the
// function and mostly its caller, xPSR the exception that is active. SP follows.
var bareRegisters = []snapshot.Reg{snapshot.PC, snapshot.LR, snapshot.XPSR}

// bare is the plan without stacks: the halt, the registers and the resume, the
// guard behind them. Where they do not fit one packet the rest is under way when
// the core is halted. From the halt to the resume 16 SWD transfers for 4
// registers, 19 where each is checked.
func (pl *planner) bare() (*plan, error) {
	t := &transfer{}
	pl.steps.aim(t)
	pl.steps.halt(t)
	all := append(pl.waiting(), t)
	for i, r := range pl.regs {
		request, response := registerRequest, registerResponse
		last := i == len(pl.regs)-1
		if last {
			request, response = request+5, response+4 // the resume
		}
		if !pl.fits(t, request, response) {
			t = &transfer{role: roleRegisters}
			all = append(all, t)
		}
		pl.steps.register(t, r, last)
	}
	t.stamped(probe.WriteBD0, dhcsrRun, pl.steps.clock, resumeStamp)
	packets, err := pack(pl.l, append(all, pl.steps.guard()))
	if err != nil {
		return nil, err
	}
	p := &plan{packets: len(packets), seq: sequenceOf(packets...)}
	return p, p.check(pl.l)
}
