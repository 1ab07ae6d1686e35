package reliability

import (
	"bytes"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/unwind"
)

// newUnwinder is one for the program of the board. It panics where the embedded
// file is damaged.
func newUnwinder() *unwind.Unwinder {
	image, err := symbol.New(bytes.NewReader(demo.ELF), int64(len(demo.ELF)), "demo.elf")
	if err != nil {
		panic(err)
	}
	p := unwind.Program{ReadCode: image.ReadCode, Function: func(pc uint32) (unwind.Range, bool) {
		r, ok := image.Bounds(pc)
		return unwind.Range(r), ok
	}}
	p.DebugFrame, _, _ = image.Section(".debug_frame")
	p.EHFrame, p.EHFrameAt, _ = image.Section(".eh_frame")
	for _, r := range image.CodeRanges() {
		p.Code = append(p.Code, unwind.Range(r))
	}
	if pc, ok := image.ResetHandler(); ok {
		p.Outermost = append(p.Outermost, pc)
	}
	u, err := unwind.New(p)
	if err != nil {
		panic(err)
	}
	return u
}
