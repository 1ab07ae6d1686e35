package live

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/unwind"
)

// firmware is an invented program: functions of 256 bytes each, one line for 4 of them. Those at the
// end of the list are static ones that share their names, and inline another.
type firmware struct{ functions int }

const codeStart = 0x08000000

func (f firmware) at(i int) symbol.Function {
	name := fmt.Sprintf("work%d", i)
	if i >= f.functions-4 {
		name = "init"
	}
	low := uint32(codeStart + 0x100*i)
	return symbol.Function{Name: name, Linkage: name, File: fmt.Sprintf("src/part%d/file.c", i%5+i/7), Line: 100*i + 1, Low: low, High: low + 0x100}
}

func (f firmware) Lookup(pc uint32) []symbol.Location {
	i := int(pc-codeStart) / 0x100
	if pc < codeStart || i >= f.functions {
		return nil
	}
	at := f.at(i)
	line := at.Line + int(pc%0x100)/4
	if i >= f.functions-4 && pc%0x100 >= 0x80 {
		inner := symbol.Function{Name: "spin", Linkage: "spin", File: "src/spin.h", Line: 7, Low: at.Low, High: at.High}
		return []symbol.Location{{Function: inner, CallFile: inner.File, CallLine: 8, Inlined: true}, {Function: at, CallFile: at.File, CallLine: line}}
	}
	return []symbol.Location{{Function: at, CallFile: at.File, CallLine: line}}
}

func (firmware) Handler(exc uint16) string                         { return fmt.Sprintf("IRQ %d", int(exc)-16) }
func (f firmware) HandlerAt(exc uint16, _ uint32) (string, string) { return f.Handler(exc), "" }
func (firmware) Region(uint32) string                              { return "" }

// sampler takes random samples of it.
type sampler struct {
	random *rand.Rand
	code   firmware
	now    time.Duration
	frames []unwind.Frame
}

func newSampler(seed uint64) *sampler {
	return &sampler{random: rand.New(rand.NewPCG(seed, 1)), code: firmware{functions: 40}}
}

func (s *sampler) pc() uint32 {
	i := int(s.random.ExpFloat64() * float64(s.code.functions) / 4)
	return codeStart + uint32(i*0x100+s.random.IntN(64)*4)
}

// add takes one, or misses it.
func (s *sampler) add(b *profile.Builder) {
	weight := time.Duration(500+s.random.IntN(1000)) * time.Microsecond
	s.now += weight
	snap := &snapshot.Snapshot{Time: s.now, Weight: weight, Halted: time.Duration(20_000+s.random.IntN(30_000)) * time.Nanosecond}
	if s.random.IntN(50) == 0 {
		snap.Miss = snapshot.Miss(1 + s.random.IntN(int(snapshot.NumMisses)-1))
		b.Add(snap, nil, unwind.Stop{Reason: unwind.NoSample})
		return
	}
	if s.random.IntN(8) == 0 {
		snap.State = snapshot.Sleeping
	}
	if s.random.IntN(200) == 0 {
		snap.State |= snapshot.Reset
	}
	s.frames = append(s.frames[:0], unwind.Frame{PC: s.pc(), Kind: unwind.Leaf})
	for n := s.random.IntN(6); n > 0; n-- {
		s.frames = append(s.frames, unwind.Frame{PC: s.pc() + 2, Kind: unwind.Caller})
	}
	if s.random.IntN(10) == 0 {
		s.frames = append(s.frames, unwind.Frame{ExcNum: uint16(16 + s.random.IntN(3)), Kind: unwind.Exception}, unwind.Frame{PC: s.pc(), Kind: unwind.Interrupted})
	}
	stop := unwind.Stop{}
	if s.random.IntN(20) == 0 {
		stop = unwind.Stop{Reason: unwind.NotCaptured, Addr: 0x20001000}
	}
	b.Add(snap, s.frames, stop)
}

// addBlock takes a row of PCs, most of which are the same.
func (s *sampler) addBlock(b *profile.Builder) {
	n := 1 + s.random.IntN(100)
	block := &snapshot.Block{Spacing: 5 * time.Microsecond}
	pc := s.pc()
	for range n {
		if s.random.IntN(20) == 0 {
			pc = s.pc()
		}
		block.PCs = append(block.PCs, pc)
	}
	snap := &snapshot.Snapshot{Time: s.now, Block: block, Weight: time.Duration(n) * block.Spacing}
	if s.random.IntN(5) == 0 {
		snap.State = snapshot.Sleeping
	}
	b.AddBlock(snap)
	s.now += time.Duration(n)*block.Spacing + time.Duration(s.random.IntN(20))*time.Microsecond
}

func newBuilder(code firmware) *profile.Builder {
	return profile.NewBuilder(code, profile.Options{Period: time.Millisecond})
}
