package gdbremote

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/mprof/mprof/snapshot"
)

// layout says where registers are: their numbers for p, and their places in the
// answer to g, which holds them in the order of their numbers without gaps
// (GDB manual, E.2 "Packets", g).
type layout struct {
	core      string // what the server calls the processor
	described bool   // the server gave the registers itself
	at        [snapshot.NumRegs]place
	have      snapshot.RegSet
	// The parts of a CONTROL that are registers of their own, top byte first.
	controls map[snapshot.Reg][4]place
	inG      int // bytes of the answer to g; -1: not known; 0: the server has no g
}

// place is where a register is.
type place struct {
	num    int
	offset int // in the answer to g
	size   int // bytes; 0: there is no such register
}

// layoutOf makes a layout of a description, or of what servers without one have.
func layoutOf(d described, arch snapshot.Arch) (layout, error) {
	if len(d.registers) == 0 {
		return layout{inG: -1}, nil
	}
	if is, known := archOf(d); !known || is != arch {
		return layout{}, &ArchError{Program: arch, Stub: stubArch(d)}
	}
	slices.SortStableFunc(d.registers, func(a, b describedRegister) int { return cmp.Compare(a.num, b.num) })
	l := layout{core: d.arch, described: true, inG: -1}
	offset := 0
	for _, r := range d.registers {
		p := place{num: r.num, offset: offset, size: (r.bits + 7) / 8}
		offset += p.size
		l.add(arch, r.name, p)
	}
	if !l.have.Has(snapshot.PC) {
		return layout{}, &ArchError{Program: arch, Stub: stubArch(d) + " without a program counter"}
	}
	return l, nil
}

// add enters a register by its name. Names of the Arm and RISC-V features: GDB
// manual, G.5 "Standard Target Features".
func (l *layout) add(arch snapshot.Arch, name string, p place) {
	reg, part, ok := registerNamed(arch, name)
	if !ok || l.at[reg].size != 0 && part == 0 || p.size > 8 {
		return
	}
	if part > 0 || isControl(reg) {
		parts := l.controls[reg]
		parts[part] = p
		if l.controls == nil {
			l.controls = map[snapshot.Reg][4]place{}
		}
		l.controls[reg] = parts
		if part > 0 {
			return
		}
	}
	l.at[reg] = p
	l.have.Add(reg)
}

func isControl(r snapshot.Reg) bool {
	return r == snapshot.CONTROL || r == snapshot.CONTROLS || r == snapshot.CONTROLNS
}

// archOf finds the architecture of a description by its features, and else by the
// names of its registers.
func archOf(d described) (snapshot.Arch, bool) {
	names := map[string]int{}
	for _, r := range d.registers {
		names[r.name] = r.bits
	}
	riscv := strings.HasPrefix(d.arch, "riscv") || slices.Contains(d.features, "org.gnu.gdb.riscv.cpu")
	mprofile := slices.Contains(d.features, "org.gnu.gdb.arm.m-profile")
	_, xpsr := names["xpsr"]
	for _, known := range []string{"armv6-m", "armv6s-m", "armv7-m", "armv7e-m", "armv8-m", "armv8.1-m"} {
		mprofile = mprofile || strings.HasPrefix(d.arch, known)
	}
	switch {
	case riscv:
		return snapshot.RV32, names["pc"] == 32
	case mprofile, xpsr && names["r0"] == 32:
		return snapshot.CortexM, true
	}
	return 0, false
}

// stubArch is what the error about an architecture says of the server.
func stubArch(d described) string {
	text := strconv.Quote(d.arch)
	if d.arch == "" {
		text = "of an unnamed architecture"
	}
	if len(d.features) > 0 {
		text += " (" + d.features[0] + ")"
	}
	return text
}

// abiNames of x0 to x31 (RISC-V psABI, "Integer Register Convention").
var abiNames = strings.Fields("zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6")

// registerNamed translates a name. part is the place within a CONTROL, top byte
// first.
func registerNamed(arch snapshot.Arch, name string) (reg snapshot.Reg, part int, ok bool) {
	if arch == snapshot.RV32 {
		reg, ok = hartRegister(name)
		return reg, 0, ok
	}
	if reg, ok = coreRegister(name); ok {
		return reg, 0, true
	}
	for reg, suffix := range map[snapshot.Reg]string{snapshot.CONTROL: "", snapshot.CONTROLS: "_s", snapshot.CONTROLNS: "_ns"} {
		for i, part := range [4]string{"control", "faultmask", "basepri", "primask"} {
			if name == part+suffix {
				return reg, i, true
			}
		}
	}
	return 0, 0, false
}

func hartRegister(name string) (snapshot.Reg, bool) {
	switch name {
	case "pc":
		return snapshot.PC, true
	case "mepc":
		return snapshot.MEPC, true
	case "mcause":
		return snapshot.MCAUSE, true
	case "fp":
		return snapshot.X0 + 8, true
	}
	if i := slices.Index(abiNames, name); i >= 0 {
		return snapshot.X0 + snapshot.Reg(i), true
	}
	if n, ok := numbered(name, "x", 31); ok {
		return snapshot.X0 + snapshot.Reg(n), true
	}
	return 0, false
}

var coreNames = map[string]snapshot.Reg{"sp": snapshot.SP, "r13": snapshot.SP, "lr": snapshot.LR, "r14": snapshot.LR, "pc": snapshot.PC, "r15": snapshot.PC,
	"xpsr": snapshot.XPSR, "cpsr": snapshot.XPSR, "msp": snapshot.MSP, "psp": snapshot.PSP, "fpscr": snapshot.FPSCR,
	"msp_ns": snapshot.MSPNS, "psp_ns": snapshot.PSPNS, "msp_s": snapshot.MSPS, "psp_s": snapshot.PSPS,
	"msplim_s": snapshot.MSPLIMS, "psplim_s": snapshot.PSPLIMS, "msplim_ns": snapshot.MSPLIMNS, "psplim_ns": snapshot.PSPLIMNS}

func coreRegister(name string) (snapshot.Reg, bool) {
	if reg, ok := coreNames[name]; ok {
		return reg, true
	}
	n, ok := numbered(name, "r", 12)
	return snapshot.Reg(n), ok
}

// numbered takes "x7" apart.
func numbered(name, prefix string, most int) (int, bool) {
	text, ok := strings.CutPrefix(name, prefix)
	n, err := strconv.Atoi(text)
	return n, ok && err == nil && n >= 0 && n <= most && text == strconv.Itoa(n)
}
