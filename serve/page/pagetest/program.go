package pagetest

import (
	"fmt"
	"strings"

	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/unwind"
)

// An invented firmware: functions of 256 bytes each, call paths, and how the time goes.

// codeStart is where function 0 begins; number i follows i*codeSize bytes later.
const (
	codeStart = 0x08000000
	codeSize  = 0x100
	// inlineAt is where the code of a function begins that is inlined into another.
	inlineAt = 0x80
)

type function struct {
	name   string
	file   string
	line   int
	inline int // the function that is inlined into it, 0: none
}

// The functions by their numbers.
const (
	fMain = iota
	fIdle
	fWait
	fProcessBlock
	fFilterStep
	fFIR
	fMemcpy
	fReport
	fFormatNumber
	fCRC32
	fSysTick
	fRunTimers
	fReceive
	fRingPush
	fADC
	fSample
)

var functions = []function{
	fMain:         {"main", "src/main.c", 40, 0},
	fIdle:         {"idle", "src/main.c", 30, fWait},
	fWait:         {"wait_for_interrupt", "src/cpu.h", 31, 0},
	fProcessBlock: {"process_block", "src/sensors.c", 78, 0},
	fFilterStep:   {"filter_step", "src/filter.c", 12, fFIR},
	fFIR:          {"fir", "src/filter.c", 33, 0},
	fMemcpy:       {"memcpy", "", 0, 0},
	fReport:       {"report", "src/telemetry.c", 67, 0},
	fFormatNumber: {"format_number", "src/telemetry.c", 21, 0},
	fCRC32:        {"crc32", "src/crc.c", 9, 0},
	fSysTick:      {"SysTick_Handler", "src/timer.c", 28, fRunTimers},
	fRunTimers:    {"run_timers", "src/timer.c", 22, 0},
	fReceive:      {"receive", "src/navigation.c", 45, fRingPush},
	fRingPush:     {"ring_push", "src/ring.h", 31, 0},
	fADC:          {"ADC_IRQHandler", "src/adc.c", 14, 0},
	fSample:       {"isr_adc", "src/adc.c", 31, 0},
}

// Exceptions by their numbers (IPSR).
const (
	excSysTick = 15
	excADC     = 34
)

// address is that of a function's code, or where it is inlined.
func address(f int) uint32 {
	for outer, at := range functions {
		if at.inline == f && f != fMain {
			return codeStart + uint32(outer)*codeSize + inlineAt
		}
	}
	return codeStart + uint32(f)*codeSize
}

// code names the functions.
type code struct{}

func (code) Lookup(pc uint32) []symbol.Location {
	i := int(pc-codeStart) / codeSize
	if pc < codeStart || i >= len(functions) {
		return nil
	}
	at := located(i, pc)
	if inner := functions[i].inline; inner != 0 && pc%codeSize >= inlineAt {
		at.CallLine = functions[i].line + 1
		in := located(inner, pc)
		in.Low, in.High, in.Inlined = at.Low, at.High, true
		return []symbol.Location{in, at}
	}
	return []symbol.Location{at}
}

func located(i int, pc uint32) symbol.Location {
	f := functions[i]
	low := uint32(codeStart + codeSize*i)
	l := symbol.Location{Function: symbol.Function{Name: f.name, Linkage: f.name, File: f.file, Line: f.line, Low: low, High: low + codeSize}, CallFile: f.file}
	if f.file != "" {
		l.CallLine = f.line + 2 + int(pc%inlineAt)/32
	}
	return l
}

func (code) Handler(exc uint16) string {
	return map[uint16]string{excSysTick: "SysTick", excADC: "ADC"}[exc]
}

func (c code) HandlerAt(exc uint16, _ uint32) (string, string) { return c.Handler(exc), "" }
func (code) Region(uint32) string                              { return "" }

// path is where a sample may find the core, innermost function first; 0x10000+n is the boundary of
// exception n.
type path struct {
	share float64
	stack []int
}

const boundary = 0x10000

var (
	inMain    = []int{fMain}
	inSysTick = []int{fRunTimers, fSysTick, boundary + excSysTick, fFilterStep, fProcessBlock, fMain}
	inADC     = []int{fADC, boundary + excADC, fWait, fIdle, fMain}
)

var paths = []path{
	{0.01, inMain},
	{0.37, []int{fWait, fIdle, fMain}},
	{0.08, []int{fProcessBlock, fMain}},
	{0.11, []int{fFilterStep, fProcessBlock, fMain}},
	{0.14, []int{fFIR, fFilterStep, fProcessBlock, fMain}},
	{0.02, []int{fMemcpy, fProcessBlock, fMain}},
	{0.02, []int{fReport, fMain}},
	{0.07, []int{fFormatNumber, fReport, fMain}},
	{0.04, []int{fCRC32, fReport, fMain}},
	{0.02, inSysTick},
	{0.03, append([]int{fReceive}, inSysTick...)},
	{0.01, append([]int{fRingPush, fReceive}, inSysTick...)},
	{0.03, inADC},
	{0.05, append([]int{fSample}, inADC...)},
}

// frames are a path as it is unwound: physical functions, and the boundaries.
func (p *path) frames(offset uint32) (frames []unwind.Frame) {
	kind := unwind.Leaf
	for i, f := range p.stack {
		if f >= boundary {
			frames = append(frames, unwind.Frame{ExcNum: uint16(f - boundary), Kind: unwind.Exception})
			kind = unwind.Interrupted
			continue
		}
		if i > 0 && p.stack[i-1] < boundary && functions[f].inline == p.stack[i-1] {
			continue // the same physical frame
		}
		frames = append(frames, unwind.Frame{PC: address(f) + 4 + offset, Kind: kind})
		kind, offset = unwind.Caller, 0
	}
	return frames
}

// Source invents a file.
func source(file string) (string, bool) {
	names := map[int]string{}
	for _, f := range functions {
		if f.file == file && file != "" {
			names[f.line] = f.name
		}
	}
	var text strings.Builder
	for i := 1; i <= 120; i++ {
		if name, ok := names[i]; ok {
			fmt.Fprintf(&text, "static void %s(void)\n", name)
		} else {
			fmt.Fprintf(&text, "\tx[%d] = y[%d] * gain + (x[%d] >> 2);\n", i, i, i-1)
		}
	}
	return text.String(), len(names) > 0
}
