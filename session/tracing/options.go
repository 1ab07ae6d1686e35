package tracing

import (
	"errors"
	"os"
	"time"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/trace"
	"github.com/mprof/mprof/trace/calls"
)

// Options say what a run traces and how: one of a port, a recording and the built-in
// recording.
type Options struct {
	Port        string         // as target.OpenPort takes it
	Baud        int            // bits per second of a serial port
	From        string         // recording; - is standard input
	Demo        bool           // the built-in recording
	ELF         string         // "": functions are addresses; on the simulated board a built-in firmware
	Extra       []string       // ELF files beside the application's
	Duration    time.Duration  // 0: until the context ends
	Keep        int            // newest calls that the timeline shows
	NoCalibrate bool           // leave what tracing costs in the times
	Variant     *trace.Variant // how packets are framed; nil: to be detected
	Version1    bool           // do not ask for records of version 2
	Cycles      bool           // times in cycles of the target's timer
	Force       bool           // go on though the ELF file is not what runs on the target

	// Recording is the file that all bytes of a port go to as they come; "" none. If it
	// is not wanted for itself, a run goes on without it where it cannot be written.
	Recording       string
	RecordingWanted bool

	Command []string // that the profile names
	Version string   // of mprof

	// Program is in place of the ELF files, where somebody has read them before.
	Program *symbol.Program
	// Growing: what From names is still being written, and is read as far as it goes now.
	Growing bool
	// Source is what the profile names in place of From; "": From.
	Source string
	// Started is when what From names began; zero: not known.
	Started time.Time

	// Progress is told how the run goes whenever something came. May be nil.
	Progress func(Progress)
	// Model is shown the run while it goes on. May be nil.
	Model *live.Model
}

// DefaultBaud is what the firmware's examples set.
const DefaultBaud = 921600

// Progress is how far a run is.
type Progress struct {
	At     time.Duration // since its start, on the host's clock
	Calls  uint64
	Lost   uint64 // records, for certain
	Buffer uint32 // of the target, bytes; 0: not known
	Used   uint32 // of it at most
	Read   int64  // bytes of a recording; of a port -1
	Size   int64  // of a recording; 0: not known
}

// BuiltIn tells whether the run is of the built-in traced firmware.
func (o *Options) BuiltIn() bool {
	return o.Demo || target.IsSim(o.Port) && o.ELF == ""
}

// program is what the options name: nil without an ELF file.
func (o *Options) program() (*symbol.Program, error) {
	switch {
	case o.Program != nil:
		return o.Program, nil
	case o.BuiltIn() || o.ELF == target.BuiltInTraced && len(o.Extra) == 0 && missing(o.ELF):
		return target.OpenBuiltInTraced() // mprof sim names it by that path, wherever it is run
	case o.ELF == "" && len(o.Extra) == 0:
		return nil, nil
	case o.ELF == "":
		return nil, &target.UsageError{Err: errors.New("--extra-elf is for what is on the chip beside the application: name the application's ELF file, too")}
	}
	return target.OpenProgram(o.ELF, o.Extra)
}

// missing tells whether there is no such file.
func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, os.ErrNotExist)
}

// builder makes the profile of calls of a program, which may be nil.
func (o *Options) builder(of *symbol.Program, started time.Time) *calls.Builder {
	var sym profile.Symbolizer = nameless{new(symbol.Image)}
	b := calls.Options{Options: profile.Options{Start: started}, Keep: o.Keep, NoCalibrate: o.NoCalibrate}
	if b.Keep == 0 {
		b.Keep = -1
	}
	if of != nil {
		mappings := of.Mappings()
		sym, b.Mapping, b.Others, b.Source = of, mappings[0], mappings[1:], sourceOf(of)
	}
	return calls.NewBuilder(sym, b)
}

// sourceOf reads the source files of a program; nil has none.
func sourceOf(of *symbol.Program) func(file string) (string, bool) {
	switch {
	case of == nil:
		return nil
	case of.App().Path() == target.BuiltInTraced:
		return target.BuiltInTracedSource
	}
	return of.Source
}

// nameless knows no function, but the exceptions of the architecture.
type nameless struct{ *symbol.Image }

// Lookup finds nothing.
func (nameless) Lookup(uint32) []symbol.Location { return nil }

// Region finds nothing: an address is a better name.
func (nameless) Region(uint32) string { return "" }
