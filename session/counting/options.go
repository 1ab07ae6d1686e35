package counting

import (
	"time"

	"github.com/mprof/mprof/session/target"
)

// Options say where the counters are and when they are read. At most one of Port, From and
// Target.Probe is set; without any of them the probe is the one that is connected.
type Options struct {
	Target   target.Options
	Port     string        // the UART of firmware that links firmware/mprof as well, as target.OpenPort takes it
	Baud     int           // bits per second of a serial port
	From     string        // of a target that serves its gmon.out by TFTP: tftp://HOST[:PORT]/gmon.out
	ELF      string        // says where the counters are; with From it may be ""
	Extra    []string      // ELF files beside the application's
	Force    bool          // go on though the ELF file is not what runs on the target
	Halt     bool          // stop the core while it is read, so that all counters are of one moment
	Reset    bool          // have the firmware clear its counters each time they are read
	Every    time.Duration // between readings, each of what was counted since the one before; 0: there is one
	Duration time.Duration // count from now on for so long; 0: all since profile_on, and with Every until the context ends

	// Opened is told which probe was opened, before it is used. May be nil.
	Opened func(*target.Target)
	// Idle is told why an interval has no reading: counters.ErrNotStarted, counters.ErrOff. May be nil.
	Idle func(error)
}
