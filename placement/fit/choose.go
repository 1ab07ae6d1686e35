package fit

import (
	"cmp"
	"debug/elf"
	"slices"

	"github.com/mprof/mprof/placement"
)

// Sizes of the veneers of GNU ld for branches that do not reach
// (bfd/elf32-arm.c, elf32_arm_stub_long_branch_thumb2_only and _thumb_only): LDR PC and an
// address; or PUSH, LDR, MOV, POP, BX and an address. All branches of a section to one target share
// one. Veneers are aligned to 8 bytes, behind the code.
const (
	veneerThumb2 = 8
	veneerThumb1 = 16
	veneerAlign  = 8
	sectionAlign = 8 // of the end of the section
)

// Reach of branches (ARMv7-M ARM, A7.7.18: BL; RISC-V Unprivileged ISA: JAL), bytes.
const (
	reachThumb = 1 << 24
	reachRISCV = 1 << 20
)

// veneer is the size of one. ARMv6-M, ARMv6S-M and ARMv8-M baseline (Tag_CPU_arch 11, 12,
// 16) have no LDR that writes PC.
func (a *analysis) veneer() int64 {
	switch a.image.CPUArch() {
	case 11, 12, 16:
		return veneerThumb1
	}
	return veneerThumb2
}

// far tells whether branches between the code and RAM do not reach.
func (a *analysis) far() bool {
	reach := int64(reachThumb)
	if a.image.Machine() == elf.EM_RISCV {
		reach = reachRISCV
	}
	for _, r := range a.image.CodeRanges() {
		if inRAM(a.image, r.Low) {
			continue
		}
		for _, d := range []int64{int64(a.ram) - int64(r.Low), int64(a.ram) + a.report.Budget - int64(r.Low), int64(a.ram) - int64(r.High), int64(a.ram) + a.report.Budget - int64(r.High)} {
			if d >= reach || -d >= reach {
				return true
			}
		}
	}
	return false
}

// choose makes a problem of the units and takes its answer.
func (a *analysis) choose() error {
	far, riscv := a.far(), a.image.Machine() == elf.EM_RISCV
	pad := int64(sectionAlign)
	if far && !riscv {
		pad += veneerAlign
	}
	p := placement.Problem{Budget: max(0, a.report.Budget-pad)}
	items := make([]int, len(a.report.Units)) // by unit: its item, -1: stays
	var unitOf []int
	for i, u := range a.report.Units {
		items[i] = -1
		if u.State == Movable {
			items[i] = len(p.Items)
			unitOf = append(unitOf, i)
			p.Items = append(p.Items, placement.Item{Size: u.Size, Value: u.Samples})
		}
	}
	if far {
		a.bridge(&p, items, riscv)
	}
	choice, err := placement.Choose(p)
	if err != nil {
		return err
	}
	a.take(choice, unitOf)
	if len(choice.Items) > 0 {
		a.report.Size += pad
	}
	if far && !riscv {
		a.report.Veneers, a.report.Enter = len(choice.Bridges), a.entered()
	}
	return nil
}

// bridge adds what calls out of RAM need. Thumb: a bridge is a veneer, which all
// callers of an address share. RISC-V: a bridge is what the calls of one function to
// another grow by.
func (a *analysis) bridge(p *placement.Problem, items []int, riscv bool) {
	shared := map[uint32]int{} // by address: the bridge to it
	for i, item := range items {
		if item < 0 {
			continue
		}
		for _, c := range a.report.Units[i].calls {
			to := a.target(c.to)
			if to < 0 || to == i || a.report.Units[to].State == InRAM {
				continue
			}
			b, ok := shared[c.to]
			if riscv || !ok {
				b = len(p.Bridges)
				shared[c.to] = b
				size := a.veneer()
				if riscv {
					size = c.grows
				}
				p.Bridges = append(p.Bridges, placement.Bridge{Size: size, To: items[to]})
			}
			p.Items[item].Bridges = append(p.Items[item].Bridges, b)
		}
	}
}

// take fills the report with what was chosen.
func (a *analysis) take(choice placement.Choice, unitOf []int) {
	r := a.report
	for _, item := range choice.Items {
		r.Moved = append(r.Moved, unitOf[item])
	}
	slices.SortFunc(r.Moved, func(i, j int) int {
		return cmp.Or(cmp.Compare(r.Units[j].Samples, r.Units[i].Samples), cmp.Compare(r.Units[i].Parts[0].Low, r.Units[j].Parts[0].Low))
	})
	r.Size, r.Moving, r.Exact, r.AtMost = choice.Size, choice.Value, choice.Exact(), choice.Bound
	r.Covered = a.share(func(i int) bool { return slices.Contains(r.Moved, i) })
	r.InRAM = a.share(func(i int) bool { return r.Units[i].State == InRAM })
}

// entered counts the functions to move that something in flash branches to.
func (a *analysis) entered() int {
	called := map[int]bool{}
	for i := range a.report.Units {
		if a.report.Units[i].State == InRAM || slices.Contains(a.report.Moved, i) {
			continue
		}
		for _, c := range a.report.Units[i].calls {
			if to := a.target(c.to); to >= 0 && slices.Contains(a.report.Moved, to) {
				called[to] = true
			}
		}
	}
	return len(called)
}
