package target

import (
	"bytes"
	"path"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/firmware/examples"
	"github.com/mprof/mprof/symbol"
)

// BuiltInTraced is the name that profiles of the built-in traced firmware carry.
const BuiltInTraced = "firmware/examples/logger/logger.elf"

// OpenBuiltInTraced reads the ELF file of the built-in traced firmware.
func OpenBuiltInTraced() (*symbol.Program, error) {
	image, err := symbol.New(bytes.NewReader(examples.DemoELF), int64(len(examples.DemoELF)), BuiltInTraced)
	if err != nil {
		return nil, err
	}
	image.SetSource(BuiltInTracedSource)
	return symbol.NewProgram(image)
}

// tracedImage is the ELF file as a whole, which the simulated board runs; "" is the
// built-in one.
func tracedImage(path string) ([]byte, error) {
	if path == "" {
		return examples.DemoELF, nil
	}
	return ReadELF(path)
}

// BuiltInTracedSource is the text of a file of the built-in firmware, which firmware/demo
// has most of.
func BuiltInTracedSource(name string) (string, bool) { return demo.Source(path.Clean(name)) }
