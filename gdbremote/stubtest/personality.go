package stubtest

import (
	"fmt"
	"strings"

	"github.com/mprof/mprof/snapshot"
)

// Register is one register as a server describes it.
type Register struct {
	Name string // as the server calls it
	Core string // as the Core does; "": the same
	Bits int
	Num  int
}

// Personality is what a server is like. The zero value answers nothing but the
// least that gdb needs.
type Personality struct {
	Name     string
	Features string // the answer to qSupported; "": the request is not known
	Version  string // what "monitor version" prints; "": it is not known
	// Files of the description, target.xml among them. nil: there is none.
	Files     map[string]string
	Registers []Register // in the order of their numbers
	InG       int        // how many of them g has; 0: there is no g
	VCont     string     // the answer to vCont?
	Greeting  string     // a packet for whoever connects
	Thread    string     // "": 1
	Reply     string     // format of a stop reply, as in "T%02xthread:01;"
	Signal    byte       // of a halt that was asked for
	MostRead  int        // bytes of one m; 0: no limit

	HaltsOnConnect bool
	NumbersLater   bool // p is refused until target.xml was read
	AnyByteHalts   bool // what comes to a running target halts it, and its first byte is lost
	AnswersRunning bool // requests are answered while the target runs
	DetachStays    bool // D leaves the target as it is
	KeepsInterrupt bool // that of a target which stands halts it behind the next resume
	NoDetach       bool // there is no D
	StrictAcks     bool // an answer is sent again until it is acknowledged
	NeedsAttach    bool // there is no target before "monitor swdp_scan" and vAttach
	RunLengths     bool // answers are run-length encoded
	Capitals       bool // digits are capitals
	QEMUQueries    bool // it knows qqemu.sstepbits
}

// coreRegisters are those that every Cortex-M server has: xPSR has number 25 where
// the description is gdb's.
func coreRegisters(xpsr int) []Register {
	var all []Register
	for i := range 13 {
		all = append(all, Register{fmt.Sprintf("r%d", i), "", 32, i})
	}
	return append(all, Register{"sp", "", 32, 13}, Register{"lr", "", 32, 14}, Register{"pc", "", 32, 15}, Register{"xpsr", "", 32, xpsr})
}

// hartRegisters are x0 to x31 under the names of the ABI, the PC and two CSRs.
func hartRegisters() []Register {
	var all []Register
	for i, name := range strings.Fields("zero ra sp gp tp t0 t1 t2 fp s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6") {
		all = append(all, Register{name, fmt.Sprintf("x%d", i), 32, i})
	}
	return append(all, Register{"pc", "", 32, 32}, Register{"mepc", "", 32, 65 + 0x341}, Register{"mcause", "", 32, 65 + 0x342})
}

// systemRegisters are OpenOCD's: CONTROL and the masks have fewer bits than bytes.
func systemRegisters(first int) []Register {
	return []Register{{"msp", "", 32, first}, {"psp", "", 32, first + 1}, {"primask", "", 1, first + 2}, {"basepri", "", 8, first + 3},
		{"faultmask", "", 1, first + 4}, {"control", "", 3, first + 5}}
}

// describe writes registers as a feature.
func describe(name string, regs []Register) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<feature name="%s">`, name)
	for _, r := range regs {
		fmt.Fprintf(&b, `<reg name="%s" bitsize="%d" regnum="%d" type="int"/>`, r.Name, r.Bits, r.Num)
	}
	return b.String() + "</feature>"
}

func document(arch string, parts ...string) string {
	return `<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target version="1.0"><architecture>` + arch + `</architecture>` +
		strings.Join(parts, "") + `</target>`
}

const include = `<xi:include href="%s"/>`

// QEMU is QEMU 7.2: a target that anybody who connects halts, that a further byte
// halts, and no registers before its description was read. (Measured on it.)
func QEMU(arch snapshot.Arch) Personality {
	p := Personality{Name: "QEMU", Features: "PacketSize=1000;qXfer:features:read+;vContSupported+;multiprocess+", VCont: "vCont;c;C;s;S",
		Greeting: "T02thread:01;", Reply: "T%02xthread:01;", Signal: 2, MostRead: 2048,
		HaltsOnConnect: true, NumbersLater: true, AnyByteHalts: true, QEMUQueries: true}
	if arch == snapshot.RV32 {
		p.Registers, p.InG = hartRegisters(), 33
		p.Files = map[string]string{"target.xml": document("riscv:rv32", fmt.Sprintf(include, "riscv-32bit-cpu.xml"), fmt.Sprintf(include, "riscv-csr.xml")),
			"riscv-32bit-cpu.xml": describe("org.gnu.gdb.riscv.cpu", p.Registers[:33]), "riscv-csr.xml": describe("org.gnu.gdb.riscv.csr", p.Registers[33:])}
		return p
	}
	p.Registers, p.InG = coreRegisters(25), 17
	p.Files = map[string]string{"target.xml": document("arm", fmt.Sprintf(include, "arm-m-profile.xml")),
		"arm-m-profile.xml": describe("org.gnu.gdb.arm.m-profile", p.Registers)}
	return p
}

// OpenOCD is OpenOCD 0.12 with a Cortex-M: g has the general registers alone, D
// leaves the target as it is, and requests are answered while it runs.
func OpenOCD() Personality {
	p := Personality{Name: "OpenOCD", Features: "PacketSize=4000;qXfer:memory-map:read-;qXfer:features:read+;qXfer:threads:read+;QStartNoAckMode+;vContSupported+",
		Version: "Open On-Chip Debugger 0.12.0\n", VCont: "vCont;c;C;s;S", Reply: "T%02x", Signal: 2,
		HaltsOnConnect: true, AnswersRunning: true, DetachStays: true, KeepsInterrupt: true}
	p.Registers, p.InG = append(coreRegisters(16), systemRegisters(17)...), 17
	p.Files = map[string]string{"target.xml": document("arm", describe("org.gnu.gdb.arm.m-profile", p.Registers[:17]), describe("org.gnu.gdb.arm.m-system", p.Registers[17:]))}
	return p
}

// BlackMagic is a Black Magic Probe: a serial port, no target before it is
// attached to, and answers that it sends until they are acknowledged.
func BlackMagic() Personality {
	p := Personality{Name: "Black Magic Probe", Features: "PacketSize=400;qXfer:memory-map:read+;qXfer:features:read+;QStartNoAckMode+",
		Version: "Black Magic Probe (Firmware v1.10.0)\n", Reply: "T%02x", Signal: 2, StrictAcks: true, NeedsAttach: true, Capitals: true}
	p.Registers, p.InG = append(coreRegisters(16), Register{"msp", "", 32, 17}, Register{"psp", "", 32, 18},
		Register{"primask", "", 8, 19}, Register{"basepri", "", 8, 20}, Register{"faultmask", "", 8, 21}, Register{"control", "", 8, 22}), 23
	p.Files = map[string]string{"target.xml": document("arm", describe("org.gnu.gdb.arm.m-profile", p.Registers[:17]), describe("org.gnu.gdb.arm.m-system", p.Registers[17:]))}
	return p
}

// JLink is SEGGER's server: a halt is a trap like any other.
func JLink() Personality {
	p := OpenOCD()
	p.Name, p.Version = "J-Link", ""
	p.Features = "PacketSize=4000;qXfer:memory-map:read-;QStartNoAckMode+;hwbreak+;qXfer:features:read+"
	p.Thread, p.Reply, p.Signal, p.VCont = "dead", "T%02xthread:0000DEAD;", 5, ""
	p.AnswersRunning, p.DetachStays, p.KeepsInterrupt = false, false, false
	return p
}

// PyOCD is pyOCD's server, without its non-stop mode: everything is in g.
func PyOCD() Personality {
	p := OpenOCD()
	p.Name, p.Version = "pyOCD", "pyOCD 0.34.3\n"
	p.Features = "qXfer:features:read+;QStartNoAckMode+;qXfer:threads:read+;PacketSize=800"
	p.Reply, p.InG, p.AnswersRunning, p.DetachStays, p.KeepsInterrupt = "T%02x07:00000000;0d:00000000;thread:1;", 23, false, false, false
	return p
}

// Renode is an emulator's server that compresses its answers and has no D.
func Renode(arch snapshot.Arch) Personality {
	p := QEMU(arch)
	p.Name, p.Features = "Renode", "PacketSize=4000;qXfer:features:read+;QStartNoAckMode+"
	p.Greeting, p.AnyByteHalts, p.QEMUQueries, p.NumbersLater, p.MostRead = "", false, false, false, 0
	p.RunLengths, p.NoDetach, p.Reply = true, true, "S%02x"
	return p
}

// NonStop is a server that halts and resumes by requests which it answers, while
// the target runs.
func NonStop(arch snapshot.Arch) Personality {
	p := QEMU(arch)
	p.Name, p.Features = "non-stop", "PacketSize=1000;qXfer:features:read+;QStartNoAckMode+;QNonStop+"
	p.Greeting, p.AnyByteHalts, p.QEMUQueries, p.HaltsOnConnect = "", false, false, false
	p.VCont, p.Signal, p.AnswersRunning = "vCont;c;C;s;S;t", 0, true
	return p
}

// Bare knows the least: no qSupported, no description.
func Bare(arch snapshot.Arch) Personality {
	p := Personality{Name: "bare", Reply: "S%02x", Signal: 2, HaltsOnConnect: true, Registers: coreRegisters(16), InG: 17}
	if arch == snapshot.RV32 {
		p.Registers, p.InG = hartRegisters(), 33
	}
	return p
}

// OldArm is Bare with the registers of old: the FPA's, and CPSR behind them.
func OldArm() Personality {
	p := Bare(snapshot.CortexM)
	p.Registers = coreRegisters(25)
	fpa := []Register{}
	for i := range 8 {
		fpa = append(fpa, Register{fmt.Sprintf("f%d", i), "", 96, 16 + i})
	}
	fpa = append(fpa, Register{"fps", "", 32, 24})
	p.Registers = append(append(p.Registers[:16:16], fpa...), p.Registers[16])
	p.InG = len(p.Registers)
	return p
}
