package armv7m

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// log is a Tracer that writes down what it hears.
type log struct {
	core  *Core
	lines []string
}

func (l *log) add(format string, args ...any) {
	l.lines = append(l.lines, fmt.Sprintf("%d ", l.core.Cycles())+fmt.Sprintf(format, args...))
}

func (l *log) Call(from, to, ret, sp uint32) { l.add("call %x>%x ret %x sp %x", from, to, ret, sp) }
func (l *log) Jump(from, to, sp uint32)      { l.add("jump %x>%x sp %x", from, to, sp) }
func (l *log) Enter(exc int, ret, frame, excReturn, to uint32) {
	l.add("enter %d ret %x frame %x %x to %x", exc, ret, frame, excReturn, to)
}
func (l *log) Leave(exc int, frame, excReturn, to uint32) {
	l.add("leave %d frame %x %x to %x", exc, frame, excReturn, to)
}

// traced is machine with a log.
func traced(t *testing.T, cfg Config, code ...uint16) (*Core, *log) {
	t.Helper()
	l := &log{}
	cfg.Tracer = l
	c := machine(t, cfg, code...)
	l.core = c
	return c, l
}

func (l *log) check(t *testing.T, want ...string) {
	t.Helper()
	if d := cmp.Diff(want, l.lines); d != "" {
		t.Errorf("trace (-want +got)\n%s", d)
	}
	l.lines = nil
}

// handler writes code at the handler of exc.
func handler(c *Core, exc int, code ...uint16) {
	for i, h := range code {
		c.WriteBus(0x1000+0x20*uint32(exc)+2*uint32(i), 2, uint32(h))
	}
}

func poke(t *testing.T, c *Core, addr, v uint32) {
	t.Helper()
	if !c.WriteBus(addr, 4, v) {
		t.Fatalf("write 0x%08x", addr)
	}
}

func peek(t *testing.T, c *Core, addr uint32) uint32 {
	t.Helper()
	v, ok := c.ReadBus(addr, 4)
	if !ok {
		t.Fatalf("read 0x%08x", addr)
	}
	return v
}

// irq enables external interrupt n at priority p.
func irq(t *testing.T, c *Core, n int, p uint32) {
	t.Helper()
	poke(t, c, scsBase+regISER+uint32(n/32*4), 1<<(n%32))
	if !c.WriteBus(scsBase+regIPR+uint32(n), 1, p) {
		t.Fatal("IPR")
	}
}

const (
	bx   = 0x4770 // BX LR
	nop  = 0xbf00
	wfi  = 0xbf30
	wfe  = 0xbf20
	self = 0xe7fe // B to itself
)

// TestEntryAndReturn: B1.5.6, B1.5.8: the frame, EXC_RETURN, cycle counts.
func TestEntryAndReturn(t *testing.T) {
	c, l := traced(t, Config{}, nop, nop, nop, self)
	handler(c, 16, nop, bx)
	irq(t, c, 0, 0x40)
	for i := range uint8(13) {
		c.WriteReg(i, 0x100+uint32(i))
	}
	c.WriteReg(14, 0x1234567)
	c.WriteReg(16, psrC|psrT|1<<19)
	c.Run(2)
	c.Pend(0)
	c.Step() // the entry
	if c.Cycles() != 2+costEntry || c.pc != 0x1200 || c.ipsr != 16 || c.r[lr] != excReturnMSP {
		t.Errorf("cycles %d pc %x ipsr %d lr %x", c.Cycles(), c.pc, c.ipsr, c.r[lr])
	}
	for i, want := range []uint32{0x100, 0x101, 0x102, 0x103, 0x10c, 0x1234567, 0x104, psrC | psrT | 1<<19} {
		if v := peek(t, c, 0x20007fe0+4*uint32(i)); v != want {
			t.Errorf("frame word %d: 0x%x, want 0x%x", i, v, want)
		}
	}
	c.WriteReg(0, 99) // the handler's own
	c.Run(100)
	if c.r[0] != 0x100 || c.r[12] != 0x10c || c.r[sp] != 0x20008000 || c.xpsr() != psrC|psrT|1<<19 {
		t.Errorf("after return: r0 %x r12 %x sp %x xpsr %x", c.r[0], c.r[12], c.r[sp], c.xpsr())
	}
	l.check(t,
		"14 enter 16 ret 104 frame 20007fe0 fffffff9 to 1200",
		"28 leave 16 frame 20007fe0 fffffff9 to 104")
}

// TestStackAlignment: CCR.STKALIGN, B1.5.7.
func TestStackAlignment(t *testing.T) {
	for _, x := range []struct{ align, frame, bit9 uint32 }{{ccrSTKALIGN, 0x20007fd8, 1}, {0, 0x20007fdc, 0}} {
		c, l := traced(t, Config{}, self)
		handler(c, 16, bx)
		irq(t, c, 0, 0)
		poke(t, c, scsBase+regCCR, x.align)
		c.WriteReg(13, 0x20007ffc)
		c.Pend(0)
		c.Step()
		if psr := peek(t, c, c.r[sp]+28); c.r[sp] != x.frame || psr>>9&1 != x.bit9 {
			t.Errorf("STKALIGN %x: frame %x, xPSR %x", x.align, c.r[sp], psr)
		}
		c.Step()
		if c.r[sp] != 0x20007ffc {
			t.Errorf("STKALIGN %x: SP %x after return", x.align, c.r[sp])
		}
		l.lines = nil
	}
}

// TestProcessStack: entry from Thread mode on PSP, return to it.
func TestProcessStack(t *testing.T) {
	c, l := traced(t, Config{}, self)
	handler(c, 11, bx)
	c.WriteReg(18, 0x20004000)
	c.WriteReg(20, 2<<24)
	c.WriteBus(0x100, 4, self<<16|0xdf00)
	c.Step()
	c.Step()
	psp, _ := c.ReadReg(18)
	msp, _ := c.ReadReg(17)
	now, _ := c.ReadReg(13)
	if psp != 0x20003fe0 || msp != 0x20008000 || now != msp || c.control != 0 {
		t.Errorf("in handler: PSP %x MSP %x SP %x CONTROL %x", psp, msp, now, c.control)
	}
	c.Step()
	if c.r[sp] != 0x20004000 || c.control != 2 || c.pc != 0x102 {
		t.Errorf("after return: SP %x CONTROL %x PC %x", c.r[sp], c.control, c.pc)
	}
	l.check(t,
		"13 enter 11 ret 102 frame 20003fe0 fffffffd to 1160",
		"26 leave 11 frame 20003fe0 fffffffd to 102")
}

// TestNesting: a more urgent interrupt preempts a handler, a less urgent one
// and one of the same priority wait and are tail-chained (B1.5.4, B1.5.12).
func TestNesting(t *testing.T) {
	c, l := traced(t, Config{}, nop, self)
	irq(t, c, 0, 0x80)
	irq(t, c, 1, 0x40)
	irq(t, c, 2, 0x80)
	for i := range 3 {
		handler(c, 16+i, nop, nop, bx)
	}
	c.Pend(0)
	c.Step()
	c.Step()
	c.Pend(2)
	c.Step() // nothing more urgent: an instruction
	c.Pend(1)
	for range 4 {
		c.Step()
	}
	l.check(t,
		"12 enter 16 ret 100 frame 20007fe0 fffffff9 to 1200",
		"26 enter 17 ret 1204 frame 20007fc0 fffffff1 to 1220",
		"41 leave 17 frame 20007fc0 fffffff1 to 1204")
	for range 4 {
		c.Step()
	}
	l.check(t,
		"50 leave 16 frame 20007fe0 fffffff9 to 0",
		"50 enter 18 ret 100 frame 20007fe0 fffffff9 to 1240",
		"65 leave 18 frame 20007fe0 fffffff9 to 100")
	if c.r[sp] != 0x20008000 || !c.active.empty() || !c.pending.empty() {
		t.Errorf("SP %x active %v pending %v", c.r[sp], c.active, c.pending)
	}
}

// TestLateArrival: SysTick fires during stacking for a less urgent interrupt
// and is entered first, with the one frame; the other is tail-chained.
func TestLateArrival(t *testing.T) {
	c, l := traced(t, Config{}, nop, self)
	irq(t, c, 0, 0x80)
	handler(c, 15, bx)
	handler(c, 16, bx)
	poke(t, c, scsBase+regSYSTRVR, 1000)
	poke(t, c, scsBase+regSYSTCSR, csrENABLE|csrTICKINT)
	c.Run(1)
	c.stValue = 6 // about to expire, 6 cycles from now
	c.planSysTick()
	c.Pend(0)
	for range 4 {
		c.Step()
	}
	l.check(t,
		"13 enter 15 ret 102 frame 20007fe0 fffffff9 to 11e0",
		"22 leave 15 frame 20007fe0 fffffff9 to 0",
		"22 enter 16 ret 102 frame 20007fe0 fffffff9 to 1200",
		"35 leave 16 frame 20007fe0 fffffff9 to 102")
}

// TestInvalidReturn: INVPC for EXC_RETURN that is not legal, B1.5.8.
func TestInvalidReturn(t *testing.T) {
	for _, x := range []struct {
		what  string
		exRet uint32
		setUp func(c *Core)
	}{
		{"EXC_RETURN 0xfffffff5", 0xfffffff5, func(*Core) {}},
		{"floating-point frame without FPU", 0xffffffe9, func(*Core) {}},
		{"handler not active", excReturnMSP, func(c *Core) { c.active.drop(16) }},
		{"to Thread while nested", excReturnMSP, func(c *Core) {
			c.active.add(20)
			c.priority[20] = 0xf0
		}},
		{"to Handler with IPSR 0 in the frame", excReturnHandler, func(*Core) {}},
		{"to Thread with an exception in the frame", excReturnMSP, func(c *Core) {
			c.WriteBus(0x20007fe0+28, 4, psrT|16)
		}},
	} {
		c := machine(t, Config{}, self)
		handler(c, 16, bx)
		irq(t, c, 0, 0x40)
		poke(t, c, scsBase+regSHCSR, 1<<18)
		c.Pend(0)
		c.Step()
		x.setUp(c)
		c.WriteReg(14, x.exRet)
		c.Step()
		if c.ipsr != excUsageFault {
			c.Step()
		}
		if c.ipsr != excUsageFault || c.cfsr != ufsrINVPC {
			t.Errorf("%s: IPSR %d CFSR %x", x.what, c.ipsr, c.cfsr)
		}
	}
}

// TestSVCInIT: the frame holds EPSR.IT as it is after the SVC, and the block
// goes on after the return.
func TestSVCInIT(t *testing.T) {
	// ITTE EQ; SVCEQ 0; MOVEQ r0,#1; MOVNE r0,#2; B .
	c := machine(t, Config{}, 0xbf06, 0xdf00, 0x2001, 0x2002, self)
	handler(c, 11, bx)
	c.WriteReg(16, psrZ|psrT)
	c.Run(100)
	if c.r[0] != 1 || c.pc != 0x108 || c.it != 0 {
		t.Errorf("r0 %d pc %x it %x", c.r[0], c.pc, c.it)
	}
}
