package main

import (
	"debug/elf"
	"slices"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/shares"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// TestTrapsHaveNames: a sample of a RISC-V trap handler has mcause's name for the
// trap in the profile, as in mprof stack.
func TestTrapsHaveNames(t *testing.T) {
	boards := shares.Boards()
	path := boards[slices.IndexFunc(boards, func(b shares.Board) bool { return b.Name == "virt" })].ELF(t)
	image, err := symbol.OpenAny(path)
	if err != nil {
		t.Fatal(err)
	}
	of := alone(image)
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	address := map[string]uint32{}
	for _, s := range symbols {
		address[s.Name] = uint32(s.Value)
	}
	snap := &snapshot.Snapshot{Weight: time.Millisecond}
	for reg, v := range map[snapshot.Reg]uint32{snapshot.PC: address["trap"], snapshot.X0 + 1: address["main"], snapshot.X0 + 2: 0x80100100,
		snapshot.MEPC: address["amber"], snapshot.MCAUSE: 1<<31 | 7} {
		snap.Regs.Set(reg, v)
	}
	s, err := sampling.NewStacks(of, profile.Options{}, sampling.Unwinding{})
	if err != nil {
		t.Fatal(err)
	}
	s.Add(snap)
	p := s.Profile(profile.Acquisition{}, time.Millisecond)
	const want = "<exception: machine timer interrupt>"
	if !slices.ContainsFunc(p.Functions, func(f profile.Function) bool { return f.Name == want }) {
		t.Errorf("no %s among %+v", want, p.Functions)
	}
}
