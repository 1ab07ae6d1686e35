package reliability

import "github.com/mprof/mprof/sim"

// way is how samples are taken.
type way int

const (
	asChosen      way = iota // what the sampler chooses for the probe: one transaction, or step by step
	stepByStep               // registers first, although the probe could do better
	registersOnly            // no stack
	pcsr                     // DWT_PCSR: the core is never halted
)

// lessons are the samples after which the sampler does as it will do for long.
func (w way) lessons() int {
	if w == registersOnly || w == pcsr {
		return 12
	}
	return 72
}

// method is a probe model and a way to sample with it.
type method struct {
	model string
	way   way
	name  string
}

var models = []string{"mcu-link", "debugprobe", "free-dap", "daplink-hid", "daplink-hid-2.1.0"}

func methods() (all []method) {
	for _, m := range models {
		if m == sim.Models()[0] {
			all = append(all, method{m, asChosen, "one transaction"}, method{m, stepByStep, "step by step"})
		} else {
			all = append(all, method{m, asChosen, "step by step"})
		}
		all = append(all, method{m, registersOnly, "registers only"}, method{m, pcsr, "PCSR"})
	}
	return all
}
