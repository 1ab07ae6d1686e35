package main

import (
	"errors"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/trace"
	"github.com/mprof/mprof/trace/calls"
)

// traceOptions say what a run traces and how: one of a port, a recording and the built-in
// recording.
type traceOptions struct {
	port        string         // as target.OpenPort takes it
	baud        int            // bits per second of a serial port
	from        string         // recording; - is standard input
	demo        bool           // the built-in recording
	elf         string         // "": functions are addresses; on the simulated board a built-in firmware
	extra       []string       // ELF files beside the application's
	duration    time.Duration  // 0: until the context ends
	keep        int            // newest calls that the timeline shows
	noCalibrate bool           // leave what tracing costs in the times
	variant     *trace.Variant // how packets are framed; nil: to be detected
	version1    bool           // do not ask for records of version 2
	cycles      bool           // times in cycles of the target's timer
	force       bool           // go on though the ELF file is not what runs on the target

	// recording is the file that all bytes of a port go to as they come; "" none. If it
	// is not wanted for itself, a run goes on without it where it cannot be written.
	recording       string
	recordingWanted bool

	command []string // that the profile names
	version string   // of mprof

	// progress is told how the run goes whenever something came. May be nil.
	progress func(traceProgress)
}

// traceProgress is how far a run is.
type traceProgress struct {
	at     time.Duration // since its start, on the host's clock
	calls  uint64
	lost   uint64 // records, for certain
	buffer uint32 // of the target, bytes; 0: not known
	used   uint32 // of it at most
	read   int64  // bytes of a recording; of a port -1
	size   int64  // of a recording; 0: not known
}

// builtIn tells whether the run is of the built-in traced firmware.
func (o *traceOptions) builtIn() bool {
	return o.demo || isSim(o.port) && o.elf == ""
}

// program is what the options name: nil without an ELF file.
func (o *traceOptions) program() (*symbol.Program, error) {
	switch {
	case o.builtIn():
		return openTracedDemo()
	case o.elf == "" && len(o.extra) == 0:
		return nil, nil
	case o.elf == "":
		return nil, &UsageError{errors.New("--extra-elf is for what is on the chip beside the application: name the application's ELF file, too")}
	}
	return openProgram(o.elf, o.extra)
}

// builder makes the profile of calls of a program, which may be nil.
func (o *traceOptions) builder(of *symbol.Program, started time.Time) *calls.Builder {
	var sym profile.Symbolizer = nameless{new(symbol.Image)}
	b := calls.Options{Options: profile.Options{Start: started}, Keep: o.keep, NoCalibrate: o.noCalibrate}
	if b.Keep == 0 {
		b.Keep = -1
	}
	if of != nil {
		mappings := of.Mappings()
		sym, b.Mapping, b.Others, b.Source = of, mappings[0], mappings[1:], of.Source
	}
	if o.builtIn() {
		b.Source = tracedSource
	}
	return calls.NewBuilder(sym, b)
}

// nameless knows no function, but the exceptions of the architecture.
type nameless struct{ *symbol.Image }

// Lookup finds nothing.
func (nameless) Lookup(uint32) []symbol.Location { return nil }

// Region finds nothing: an address is a better name.
func (nameless) Region(uint32) string { return "" }
