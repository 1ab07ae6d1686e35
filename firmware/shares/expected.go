package shares

// Tolerance is how far a share may lie from the truth, as a share of all time:
// calls, returns and loops of the callers take time that Self and Total ignore,
// about 12 cycles to a unit of 5000.
const Tolerance = 0.003

// Self is the share of the running time of every worker, 0 to 1. It leaves out
// what the callers take for themselves, so it adds up to 1.
func Self() map[string]float64 {
	units, perRound := units()
	m := map[string]float64{}
	for _, c := range Calls() {
		if _, caller := units[c.Function]; !caller {
			m[c.Function] += float64(c.Times) / perRound * (1 - tickShare())
		}
	}
	for _, c := range calls() {
		if c.Caller == interrupt {
			m[c.Function] = tickShare()
		}
	}
	return m
}

// Total is the share of the running time with a function on the stack, 0 to 1.
// What the interrupt finds running is on its stack, too.
func Total() map[string]float64 {
	units, perRound := units()
	m := map[string]float64{"main": 1, "Reset_Handler": 1}
	for caller, n := range units {
		m[caller] = n / perRound
	}
	for _, c := range Calls() {
		if _, caller := units[c.Function]; !caller {
			m[c.Function] += float64(c.Times) / perRound
		}
	}
	for _, c := range calls() {
		if c.Caller == interrupt {
			m[c.Function], m[interrupt] = tickShare(), tickShare()
		}
	}
	return m
}

// units returns how many units of work each caller has done for it in a round
// of main, and how many there are in a round.
func units() (perCaller map[string]float64, perRound float64) {
	perCaller = map[string]float64{}
	for _, c := range Calls() {
		perCaller[c.Caller] = 0
	}
	for caller := range perCaller {
		perCaller[caller] = below(caller)
	}
	for _, c := range Calls() {
		if _, caller := perCaller[c.Function]; !caller {
			perRound += float64(c.Times)
		}
	}
	return perCaller, perRound
}

// below is the units of work of one call of a function: 1 for a worker.
func below(function string) (units float64) {
	worker := true
	for _, c := range Calls() {
		if c.Caller == function {
			worker = false
			units += float64(c.Times) * below(c.Function)
		}
	}
	if worker {
		return 1
	}
	return units
}

// tickShare is the share of the time that the interrupt takes.
func tickShare() (share float64) {
	for _, c := range calls() {
		if c.Caller == interrupt {
			share += float64(c.Times*UnitCycles()) / float64(number("TICK_CYCLES"))
		}
	}
	return share
}
