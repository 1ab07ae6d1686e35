package main

import (
	"bytes"
	"path"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/firmware/examples"
	"github.com/mprof/mprof/symbol"
)

// Names that profiles of the built-in traced firmware carry.
const (
	tracedDemoPath = "firmware/examples/logger/logger.elf"
	demoRecording  = "the built-in recording"
)

// builtIn tells whether the run is of the built-in traced firmware.
func (f *traceFlags) builtIn(args []string) bool {
	return f.demo || isSimPort(f.port) && len(args) == 0
}

// openTracedDemo reads the ELF file of the built-in traced firmware.
func openTracedDemo() (*symbol.Program, error) {
	image, err := symbol.New(bytes.NewReader(examples.DemoELF), int64(len(examples.DemoELF)), tracedDemoPath)
	if err != nil {
		return nil, err
	}
	return symbol.NewProgram(image)
}

// tracedImage is the ELF file as a whole, which the simulated board runs.
func (f *traceFlags) tracedImage(args []string) ([]byte, error) {
	if f.builtIn(args) {
		return examples.DemoELF, nil
	}
	return rawImage(args)
}

// tracedSource is the text of a file of the built-in firmware, which firmware/demo
// has most of.
func tracedSource(name string) (string, bool) { return demo.Source(path.Clean(name)) }
