package profile

import (
	"time"

	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/unwind"
)

// blocks is what the builder knows of samples that come in blocks of PCs.
type blocks struct {
	stacks map[uint32]StackIndex // by PC; None: it is no sample
	asleep StackIndex
	locked StackIndex
	bins   bins
}

// asleepLabel stands for samples of a core that slept: what PCSR gives then is
// not architected, so that no function is named.
const asleepLabel = "<asleep>"

// AddBlock takes a snapshot that holds a block of PCs. Words that are no PC of
// the program are counted apart; so are those of a core that somebody has
// halted, as missed samples.
func (b *Builder) AddBlock(s *snapshot.Snapshot) { b.changing(func() { b.addBlock(s) }) }

func (b *Builder) addBlock(s *snapshot.Snapshot) {
	if b.blocks.stacks == nil {
		b.blocks = blocks{stacks: map[uint32]StackIndex{}, asleep: None, locked: None}
	}
	b.asked += uint64(s.Samples())
	quiet := *s
	quiet.State &^= snapshot.AlreadyHalted // it shows in the words
	b.note(&quiet)
	n := time.Duration(len(s.Block.PCs))
	for i, pc := range s.Block.PCs {
		at := s.Time + time.Duration(i)*s.Block.Spacing
		weight := s.Weight*time.Duration(i+1)/n - s.Weight*time.Duration(i)/n
		b.addPC(s.State, pc, at, max(0, weight))
	}
	if s.Block.Lost > 0 {
		b.missed(s.Miss, s.Time+n*s.Block.Spacing, s.Block.Lost)
	}
}

func (b *Builder) addPC(state snapshot.State, pc uint32, at, weight time.Duration) {
	if state&snapshot.AlreadyHalted != 0 && pc == pcsrOnes {
		b.missed(snapshot.Stopped, at, 1)
		return
	}
	stack := b.blockStack(state, pc)
	if stack == None {
		return
	}
	if b.missing != nil {
		b.endMisses(at)
	}
	b.missedLast = 0
	if state&snapshot.Sleeping != 0 {
		b.taken.Sleeping++
	}
	row := Sample{Time: at, Weight: weight, Count: 1, Stack: stack, State: state & snapshot.Sleeping}
	b.blocks.bins.add(row)
	b.show(row)
}

const pcsrOnes = 0xFFFFFFFF

// blockStack is the stack of one PC, which is a single function with what is
// inlined there.
func (b *Builder) blockStack(state snapshot.State, pc uint32) StackIndex {
	k := &b.blocks
	if state&snapshot.Sleeping != 0 {
		if k.asleep == None {
			k.asleep = b.label(None, asleepLabel, Idle)
		}
		return k.asleep
	}
	stack, known := k.stacks[pc]
	if !known {
		stack = None
		if pc != 0 && pc != pcsrOnes && (b.options.InCode == nil || b.options.InCode(pc&^1)) {
			stack = b.physical(None, []unwind.Frame{{PC: pc &^ 1, Kind: unwind.Leaf}}, 0, Thread, false)
		}
		if len(k.stacks) < mostPCs {
			k.stacks[pc] = stack
		}
	}
	if stack != None {
		return stack
	}
	if state&snapshot.Lockup != 0 {
		if k.locked == None {
			k.locked = b.label(None, cutLabel(unwind.InLockup, false), Unknown)
		}
		return k.locked
	}
	switch pc {
	case 0:
		b.taken.NoPCs.Zero++
	case pcsrOnes:
		b.taken.NoPCs.Ones++
	default:
		b.taken.NoPCs.Outside++
	}
	return None
}

// mostPCs bounds what is remembered of PCs: the instructions of 8 MiB of code.
const mostPCs = 1 << 22
