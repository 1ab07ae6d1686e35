package unwind

import (
	"encoding/binary"
	"testing"

	"github.com/mprof/mprof/sim/qemu"
	"github.com/mprof/mprof/snapshot"
)

// m33 is QEMU's Cortex-M33 with the Security Extension, stepped by the gdb remote
// protocol (GDB manual, appendix E).
type m33 struct {
	t    *testing.T
	stub *qemu.Stub
	// gadget is the address of the instructions that read the registers of both
	// security states: see testdata/cmse_secure.c.
	gadget uint32
	regs   [17]uint32 // R0-R15, xPSR
}

func startM33(t *testing.T, elf string, gadget uint32) *m33 {
	t.Helper()
	m := &m33{t: t, stub: stubOf(t, "mps2-an505", elf), gadget: gadget}
	m.step(stepQuiet, 0)
	m.read()
	return m
}

// Bits of QEMU's sstep: 1 step, 2 mask interrupts, 4 stop timers.
const (
	stepRun   = 5
	stepQuiet = 7
)

func (m *m33) step(how, n int) {
	m.t.Helper()
	must(m.t, m.stub.AskOK("Qqemu.sstep=%x", how))
	for range n {
		must(m.t, m.stub.Step())
	}
}

// read takes the registers as they are.
func (m *m33) read() {
	m.t.Helper()
	must(m.t, m.stub.Registers(m.regs[:]))
}

func (m *m33) write(regs [17]uint32) {
	m.t.Helper()
	var p []byte
	for _, v := range regs {
		p = binary.LittleEndian.AppendUint32(p, v)
	}
	must(m.t, m.stub.AskOK("G%x", p))
}

// memory needs the core in Secure state.
func (m *m33) memory(addr uint32, n int) []byte {
	m.t.Helper()
	p := make([]byte, n)
	must(m.t, m.stub.ReadMemory(addr, p))
	return p
}

// inSecure tells the state by the PC, bit 28 of the address: but a gateway is
// entered in Non-secure state.
func (m *m33) inSecure() bool {
	const gateways = 0x10008000 // 8 bytes each, of which SG is the first
	pc := m.regs[15]
	return pc&(1<<28) != 0 && !(pc >= gateways && pc < gateways+0x100 && pc%8 == 0)
}

const (
	ispr  = 0xe000e200 // NVIC_ISPR0
	quiet = 0x3820fff0 // unused RAM
	// elsewhere is some Non-secure code, with the bit that BXNS goes by.
	elsewhere = 0x00200100
)

// look runs the gadget: the snapshot of the core, with the registers of both
// states and both stacks. Interrupts in pend become pending.
func (m *m33) look(pend uint32) *snapshot.Snapshot {
	m.t.Helper()
	saved := m.regs
	in := saved
	in[15], in[6], in[7] = m.gadget+4, quiet, 0
	in[16] &^= 0x0600fc00 // no IT block
	if pend != 0 {
		in[6], in[7] = ispr, pend
	}
	isSecure := m.inSecure()
	if !isSecure {
		in[15] = m.gadget
	}
	m.write(in)
	m.step(stepQuiet, 0)
	for range 8 { // QEMU may execute SG and the next in one step
		if m.regs[15] == m.gadget+gadgetBXNS {
			break
		}
		must(m.t, m.stub.Step())
		m.read()
	}
	if m.regs[15] != m.gadget+gadgetBXNS {
		m.t.Fatalf("the gadget led to %x", m.regs)
	}
	s := &snapshot.Snapshot{}
	r := &m.regs
	for reg, v := range map[snapshot.Reg]uint32{snapshot.MSPS: r[0], snapshot.PSPS: r[1], snapshot.MSPNS: r[2], snapshot.PSPNS: r[3],
		snapshot.CONTROLS: r[4] << 24, snapshot.CONTROLNS: r[5] << 24} {
		s.Regs.Set(reg, v)
	}
	now := map[snapshot.Reg]uint32{snapshot.MSP: r[2], snapshot.PSP: r[3], snapshot.CONTROL: r[5] << 24}
	if isSecure {
		now = map[snapshot.Reg]uint32{snapshot.MSP: r[0], snapshot.PSP: r[1], snapshot.CONTROL: r[4] << 24}
	}
	for reg, v := range now {
		s.Regs.Set(reg, v)
	}
	for reg, v := range saved {
		s.Regs.Set(snapshot.Reg(reg), v)
	}
	for _, base := range []uint32{0x38200000, 0x28000000} {
		s.Windows = append(s.Windows, snapshot.Window{Addr: base + 0x800, Data: m.memory(base+0x800, 0x1800)})
	}
	if !isSecure { // back to where it was
		back := *r // R13 is the Secure stack pointer here
		back[14] = elsewhere
		m.write(back)
		m.step(stepQuiet, 1)
	}
	m.write(saved)
	m.read()
	if m.regs != saved {
		m.t.Fatalf("the core is not as it was: %x, %x", m.regs, saved)
	}
	return s
}

// gadgetBXNS is the offset of its last instruction: SG, six MRS of 4 bytes, STR.
const gadgetBXNS = 4 + 6*4 + 2

// next executes one instruction, or takes an exception.
func (m *m33) next() {
	m.t.Helper()
	m.step(stepRun, 1)
	m.read()
}
