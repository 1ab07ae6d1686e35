// Package session runs what mprof does with a target. In: which probe or port, which program,
// how to collect. Out: a profile at the end, a live model meanwhile, and a target
// that runs on.
package session

import "time"

// Phase is what a session is doing.
type Phase string

// The phases, in their usual order.
const (
	Idle       Phase = "idle"       // nothing is connected
	Connecting Phase = "connecting" // attaching, comparing the ELF file
	Ready      Phase = "ready"      // connected; nothing is collected
	Running    Phase = "running"
	Stopping   Phase = "stopping"
	Lost       Phase = "lost" // the target went away: what was collected stays; see State.Waiting
)

// State is what a page or a terminal shows of a session.
type State struct {
	Phase     Phase   `json:"phase"`
	Connect   Connect `json:"connect"` // what it is connected to, or was
	Device    string  `json:"device"`  // core and chip, or the name of the firmware
	Source    string  `json:"source"`  // the probe or port by its name
	ELF       string  `json:"elf"`
	Err       error   `json:"-"`         // of the latest thing that failed; nil: none
	Recording string  `json:"recording"` // file that all samples or bytes go to
	Collected bool    `json:"collected"` // there is something to save
	Waiting   bool    `json:"waiting"`   // Lost, and the run goes on when the target is back: Stop ends it
	Watched   bool    `json:"watched"`   // the run of a command line: it can be stopped and saved, no more
}

// Connect says what to connect to and how to collect.
type Connect struct {
	Kind   string   `json:"kind"`  // "samples" or "calls"
	Probe  string   `json:"probe"` // as --probe
	Port   string   `json:"port"`  // as --port
	Baud   int      `json:"baud"`  // 0: the default
	ELF    string   `json:"elf"`
	Extra  []string `json:"extra"` // other ELF files
	Rate   float64  `json:"rate"`  // samples per second; 0: the default
	Method string   `json:"method"`
	Force  bool     `json:"force"` // though the ELF file is not what runs
}

// Start says how long to collect.
type Start struct {
	Duration time.Duration `json:"duration"` // 0: until Stop
}

// Choice is something that can be connected to.
type Choice struct {
	Name    string `json:"name"`    // for --probe or --port
	Label   string `json:"label"`   // for people
	Problem string `json:"problem"` // what keeps this user from it, "" nothing
}

// Choices are the probes and ports of this machine, and the simulated ones.
type Choices struct {
	Probes []Choice `json:"probes"`
	Ports  []Choice `json:"ports"`
}
