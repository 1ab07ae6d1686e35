package stubtest

import (
	"strings"
	"time"
)

// Action is what goes wrong with an answer.
type Action byte

const (
	Drop     Action = iota // it never comes
	Twice                  // it comes twice
	Late                   // it comes with the answer to the request after it, before that
	Damage                 // its checksum is wrong, every time
	DamageIt               // its checksum is wrong, and right when it is sent again
	Answer                 // Text comes instead
	Cut                    // the connection ends in the middle of it
	Hang                   // the server says nothing any more
	Slow                   // it takes For
	Before                 // Text comes first, as a packet
	Ignore                 // the request was never received
)

// Fault is something that goes wrong.
type Fault struct {
	On   string // what the request begins with; Interrupt for that
	Nth  int    // which of those requests, from 1; 0: all of them
	Do   Action
	Text string
	For  time.Duration
}

// Interrupt stands for the interrupt byte in Fault.On.
const Interrupt = "\x03"

// faults counts requests.
type faults struct {
	list []Fault
	seen []int
}

func newFaults(list []Fault) faults { return faults{list, make([]int, len(list))} }

// on is the fault for a request, if any.
func (f *faults) on(request string) *Fault {
	var hit *Fault
	for i := range f.list {
		if !strings.HasPrefix(request, f.list[i].On) {
			continue
		}
		f.seen[i]++
		if n := f.list[i].Nth; hit == nil && (n == 0 || n == f.seen[i]) {
			hit = &f.list[i]
		}
	}
	return hit
}
