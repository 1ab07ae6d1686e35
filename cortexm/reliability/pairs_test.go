package reliability

import (
	"fmt"
	"math/rand/v2"

	"github.com/mprof/mprof/sim"
)

// pairs tries two faults in a row: the second strikes while the first is being
// mended, or the sample behind it.
func pairs(m method, n int, seed uint64) (o outcome) {
	x, err := idle(m)
	if err != nil {
		return outcome{ended: 1, reason: err.Error()}
	}
	defer func() { rest(m, x) }()
	transfers, packets, err := x.span()
	if err != nil {
		return outcome{ended: 1, reason: err.Error()}
	}
	r := rand.New(rand.NewPCG(seed, 1))
	for range n {
		first, second := drawn(r, m), drawn(r, m)
		at := func(in injection, behind int) sim.Fault {
			if in.packet {
				return in.at(1 + r.IntN(packets) + behind*r.IntN(12))
			}
			return in.at(1 + r.IntN(transfers) + behind*r.IntN(60))
		}
		in := injection{lasts: true, moves: first.moves || second.moves}
		p := x.survive(in, at(first, 0), at(second, 1))
		o.add(p, first.name+", "+second.name)
		if p.ended > 0 || p.left > 0 {
			if x, err = newRun(m); err != nil {
				o.add(outcome{ended: 1, reason: fmt.Sprint(err)}, "a new run")
				return o
			}
		}
	}
	return o
}

// drawn is any fault but the death of the process.
func drawn(r *rand.Rand, m method) injection {
	for {
		if in := injections[r.IntN(len(injections))]; !in.kill && in.possible(m.model) {
			return in
		}
	}
}
