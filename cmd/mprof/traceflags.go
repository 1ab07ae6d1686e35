package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/session/tracing"
	"github.com/mprof/mprof/trace"
	"github.com/mprof/mprof/trace/calls"
)

// traceFlags is the command line of mprof trace.
type traceFlags struct {
	tracing.Options
	outputs []string
	record  string
	crc     string
	sort    string
	top     int
	quiet   bool
	json    bool
	gmon    gmonFlag
	live    liveFlags
	watch   watch
	// onScreen: the run is shown in the terminal, so nothing else is printed meanwhile, and nothing has
	// to be written in the end.
	onScreen bool

	order export.Order // of --sort
}

const (
	defaultKeep = calls.DefaultKeep
	defaultTop  = 20
	highestBaud = 100_000_000
)

func (f *traceFlags) add(cmd *cobra.Command) {
	f.addPort(cmd)
	flags := cmd.Flags()
	flags.Var((*durationFlag)(&f.Duration), "duration", "how long to trace: 60, 60s, 2m (default until Ctrl-C)")
	flags.StringArrayVarP(&f.outputs, "output", "o", nil, "file to write; may be repeated; the extension names the format:\n"+formatHelp()+"\n(default "+defaultOutput+")")
	flags.StringVar(&f.record, "record", "", "keep all bytes that came from the target in this file")
	flags.StringVar(&f.From, "from", "", "play such a file, or what another host kept of the same protocol, instead of a port; - is standard input")
	flags.BoolVar(&f.Demo, "demo", false, "play a built-in recording of a built-in firmware")
	addExtraELF(flags, &f.Extra, "none")
	addGmon(flags, &f.gmon)
	f.live.add(flags)
	flags.BoolVar(&f.Force, "force", false, "go on when the ELF file is not what runs on the target")
	flags.StringVar(&f.sort, "sort", string(export.ByTotal), "column by which functions are listed, the largest first: "+strings.Join(orderNames(), ", "))
	flags.IntVar(&f.top, "top", defaultTop, "how many functions are listed; 0: all")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print errors only")
	flags.BoolVar(&f.json, "json", false, "print the summary as JSON")
	_ = cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(orderNames(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.MarkFlagFilename("output")
	_ = cmd.MarkFlagFilename("record", "bin")
	_ = cmd.MarkFlagFilename("from", "bin")
	cmd.ValidArgsFunction = completeELF
}

// addPort defines the flags of everything that traces a port.
func (f *traceFlags) addPort(cmd *cobra.Command) {
	f.Keep, f.Version = defaultKeep, versionString()
	flags := cmd.Flags()
	flags.StringVar(&f.Port, "port", "", "where the firmware's UART is: /dev/ttyUSB0, COM3, tcp:HOST:PORT, a pty, or sim for the simulated board (mprof list shows serial ports)")
	flags.IntVar(&f.Baud, "baud", tracing.DefaultBaud, "bits per second of a serial port")
	flags.Var((*keepFlag)(&f.Keep), "keep", "how many of the newest calls the timeline shows: 200000, 50k, 2M; times and counts are of all calls (default 200k)")
	flags.Lookup("keep").DefValue = ""
	flags.BoolVar(&f.NoCalibrate, "no-calibrate", false, "leave what tracing costs in the times")
	flags.StringVar(&f.crc, "crc", "", "how packets are framed, for firmware that is not mprof's: "+trace.VariantNames+" (default auto)")
	flags.BoolVar(&f.Cycles, "cycles", false, "times in cycles of the target's timer instead of about 1 µs: a call takes more bytes on the line")
	flags.BoolVar(&f.Version1, "v1", false, "do not ask the firmware for records of version 2")
	_ = cmd.RegisterFlagCompletionFunc("port", completePorts)
}

func orderNames() (names []string) {
	for _, o := range export.Orders {
		names = append(names, string(o))
	}
	return names
}

// prepare checks everything that can be checked before the port is opened.
func (f *traceFlags) prepare(cmd *cobra.Command, args []string) error {
	if err := f.checkSource(cmd, args); err != nil {
		return usageError{err}
	}
	if err := f.live.check(); err != nil {
		return err
	}
	var err error
	if f.Variant, err = trace.ParseVariant(f.crc); err != nil {
		return usageError{fmt.Errorf("--crc: %w", err)}
	}
	if f.order, err = export.ParseOrder(f.sort); err != nil {
		return usageError{fmt.Errorf("--sort: %w", err)}
	}
	if f.top < 0 {
		return usageError{fmt.Errorf("--top %d: how many functions? 0 lists all", f.top)}
	}
	if len(f.outputs) == 0 && !f.onScreen {
		f.outputs = []string{defaultOutput}
	}
	if err := checkOutputs(f.outputs); err != nil {
		return err
	}
	for _, o := range append([]string{f.From}, f.outputs...) {
		if f.record != "" && filepath.Clean(o) == filepath.Clean(f.record) {
			return usageError{fmt.Errorf("--record %s is the name of another file of this run", f.record)}
		}
	}
	f.ELF, f.Recording, f.RecordingWanted = firstOf(args), f.record, f.record != ""
	if f.RecordingWanted {
		return export.CheckWritable(f.record)
	}
	f.Recording = recordingBeside(f.outputs, ".bin")
	return nil
}

// needPort are the flags that make no sense without a port.
var needPort = []string{"baud", "duration", "record", "v1", "cycles", "live"}

// checkSource wants one source of bytes, and an ELF file where it does not bring
// its own.
func (f *traceFlags) checkSource(cmd *cobra.Command, args []string) error {
	sources := 0
	for _, given := range []bool{f.Port != "", f.From != "", f.Demo} {
		if given {
			sources++
		}
	}
	switch {
	case len(args) > 1:
		return fmt.Errorf("trace takes one ELF file, got %d: %s", len(args), strings.Join(args, ", "))
	case sources == 0:
		return errors.New("which port? name it, as in: mprof trace --port /dev/ttyUSB0 --baud 921600 app.elf; --from FILE plays a recording, --demo a built-in one")
	case sources > 1:
		return errors.New("--port, --from and --demo exclude each other")
	case f.Cycles && f.Version1:
		return errors.New("--cycles needs records of version 2: those of version 1 (--v1) are in microseconds")
	case f.Demo && len(args) > 0:
		return errors.New("--demo brings its own ELF file")
	case f.BuiltIn() && len(args) == 0 && len(f.Extra) > 0:
		return errors.New("there is nothing beside the built-in firmware: --extra-elf needs an ELF file of the application")
	case f.Baud <= 0 || f.Baud > highestBaud:
		return fmt.Errorf("--baud %d is not between 1 and %d", f.Baud, highestBaud)
	}
	for _, name := range needPort {
		if f.Port == "" && cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s is for a port; a recording is played to its end", name)
		}
	}
	return nil
}

// keepFlag is a number of calls: 200000, 200k, 2M.
type keepFlag int

func (k *keepFlag) String() string { return strconv.Itoa(int(*k)) }
func (k *keepFlag) Type() string   { return "calls" }

// mostKept bounds what fits into a file that viewers still load, and into memory.
const mostKept = 50_000_000

func (k *keepFlag) Set(s string) error {
	digits, factor := s, uint64(1)
	for suffix, by := range map[string]uint64{"k": 1e3, "M": 1e6} {
		if d, ok := strings.CutSuffix(s, suffix); ok {
			digits, factor = d, by
		}
	}
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil {
		return fmt.Errorf("%q is no number of calls: write 200000, 50k or 2M", s)
	}
	if n*factor > mostKept {
		return fmt.Errorf("%q is more than %d", s, mostKept)
	}
	*k = keepFlag(n * factor)
	return nil
}
