package gdbremote

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/gdbremote/stubtest"
	"github.com/mprof/mprof/snapshot"
)

const ramAt = 0x20000000

// simulated is a core whose every run leaves a number in its registers and memory.
func simulated(arch snapshot.Arch) *stubtest.Core {
	n := uint32(0)
	core := stubtest.NewCore(arch, func(c *stubtest.Core) {
		n++
		fill(c, n)
	})
	core.Map(ramAt, make([]byte, 64<<10))
	fill(core, 0)
	return core
}

// pattern is register r after n runs.
func pattern(r snapshot.Reg, n uint32) uint32 { return n<<16 | uint32(r)<<8 | 0x23 }

func fill(c *stubtest.Core, n uint32) {
	for r := range snapshot.NumRegs {
		c.Set(snapshot.Reg(r), pattern(snapshot.Reg(r), n))
	}
	c.SetNamed("control", 0x2)
	c.SetNamed("primask", 0x1)
	c.SetNamed("faultmask", 0)
	c.SetNamed("basepri", 0x40)
	c.Store(ramAt, words(n))
}

// words is memory after n runs, with every byte that needs an escape.
func words(n uint32) []byte {
	p := make([]byte, 5000)
	for i := range p {
		p[i] = byte(i) ^ byte(n)
	}
	binary.LittleEndian.PutUint32(p, n)
	return p
}

type server struct {
	is     stubtest.Personality
	arch   snapshot.Arch
	extra  []snapshot.Reg // what it has beyond the least
	o      Options
	leftBy string
}

var armExtra = []snapshot.Reg{snapshot.MSP, snapshot.PSP, snapshot.CONTROL}
var hartExtra = []snapshot.Reg{snapshot.MEPC, snapshot.MCAUSE}

func servers() []server {
	const m, v = snapshot.CortexM, snapshot.RV32
	upload := stubtest.OpenOCD()
	upload.Name, upload.Features = "binary upload", upload.Features+";binary-upload+"
	noG := stubtest.OpenOCD()
	noG.Name, noG.InG = "no g", 0
	return []server{
		{stubtest.QEMU(m), m, nil, Options{}, "D"},
		{stubtest.QEMU(v), v, hartExtra, Options{}, "D"},
		{stubtest.OpenOCD(), m, armExtra, Options{}, "vCont;c and D"},
		{stubtest.BlackMagic(), m, armExtra, Options{Monitor: []string{"swdp_scan"}, Attach: "1"}, "D"},
		{stubtest.JLink(), m, armExtra, Options{}, "D"},
		{stubtest.PyOCD(), m, armExtra, Options{}, "D"},
		{stubtest.Renode(m), m, nil, Options{}, "vCont;c"},
		{stubtest.Renode(v), v, hartExtra, Options{}, "vCont;c"},
		{stubtest.NonStop(m), m, nil, Options{}, "vCont;c and D"},
		{stubtest.NonStop(v), v, hartExtra, Options{}, "vCont;c and D"},
		{stubtest.Bare(m), m, nil, Options{}, "D"},
		{stubtest.Bare(v), v, hartExtra, Options{}, "D"},
		{stubtest.OldArm(), m, nil, Options{}, "D"},
		{upload, m, armExtra, Options{}, "vCont;c and D"},
		{noG, m, armExtra, Options{}, "vCont;c and D"},
	}
}

// TestServers: every kind of server is halted, read, written, resumed and left
// running, and every value is the core's.
func TestServers(t *testing.T) {
	for _, s := range servers() {
		t.Run(s.is.Name+" "+s.arch.String(), func(t *testing.T) {
			core := simulated(s.arch)
			core.Start()
			stub := stubtest.New(core, s.is)
			c := connectTo(t, stub, s)
			t.Log(c.Description(), c.Remarks())
			if c.Halted() == core.Running() {
				t.Fatalf("halted: %v, the core runs: %v", c.Halted(), core.Running())
			}
			for range 5 {
				if err := c.Resume(t.Context()); err != nil {
					t.Fatal(err)
				}
				stop, err := c.Halt(t.Context())
				if err != nil || stop.Already || stop.Signal != s.is.Signal {
					t.Fatalf("%+v, %v", stop, err)
				}
				s.check(t, c, core)
			}
			s.checkWrite(t, c, core)
			if err := c.Detach(t.Context()); err != nil || c.LeftBy() != s.leftBy {
				t.Errorf("%v, left by %q", err, c.LeftBy())
			}
			awaitRunning(t, core)
		})
	}
}

// awaitRunning waits for what a resume that is not answered does.
func awaitRunning(t *testing.T, core *stubtest.Core) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !core.Running(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the core was left halted")
		}
	}
}

// connectTo connects in the time that it takes; Options.Timeout is for what comes after that.
func connectTo(t *testing.T, stub *stubtest.Stub, s server) *Client {
	t.Helper()
	o := s.o
	o.Arch, o.Timeout = s.arch, time.Minute
	conn, err := Dial(t.Context(), stub.Listen(t))
	if err != nil {
		t.Fatal(err)
	}
	c, err := Connect(t.Context(), conn, o)
	if err != nil {
		t.Fatal(err)
	}
	c.timeout = cmp.Or(s.o.Timeout, time.Minute)
	t.Cleanup(func() { c.Close() })
	return c
}

// check compares what is read of a halted core with the core.
func (s server) check(t *testing.T, c *Client, core *stubtest.Core) {
	t.Helper()
	regs, memory, err := c.Registers(t.Context(), s.extra, []Window{{ramAt, 5000}, {0x40000000, 8}, {ramAt + 0xfff8, 16}, {ramAt + 4, 0}})
	if err != nil {
		t.Fatal(err)
	}
	n := uint32(core.Halts())
	for _, r := range append(base(s.arch), s.extra...) {
		want := pattern(r, n)
		if r == snapshot.CONTROL {
			want = 0x02_00_40_01
		}
		if v, ok := regs.Value(r); !ok || v != want {
			t.Fatalf("%v is 0x%08x (%v), want 0x%08x", r, v, ok, want)
		}
		if !c.Has(r) {
			t.Fatalf("no %v", r)
		}
	}
	if !bytes.Equal(memory[0], words(n)) {
		t.Fatalf("memory of %d bytes: %x", len(memory[0]), memory[0][:min(16, len(memory[0]))])
	}
	if memory[1] != nil || memory[2] != nil || memory[3] != nil {
		t.Errorf("memory that there is not: %d, %d, %d bytes", len(memory[1]), len(memory[2]), len(memory[3]))
	}
}

func (s server) checkWrite(t *testing.T, c *Client, core *stubtest.Core) {
	t.Helper()
	data := words(77)
	if err := c.WriteMemory(t.Context(), ramAt+0x2001, data); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(data))
	if !core.Load(ramAt+0x2001, got) || !bytes.Equal(got, data) {
		t.Error("the core has something else than what was written")
	}
	clear(got)
	if err := c.ReadMemory(t.Context(), ramAt+0x2001, got); err != nil || !bytes.Equal(got, data) {
		t.Errorf("read back: %v", err)
	}
	var refused *RefusedError
	if err := c.ReadMemory(t.Context(), 0x40000000, got[:4]); !errors.As(err, &refused) || err.Error() != "gdbremote: read 0x40000000+4: refused (E14)" {
		t.Error(err)
	}
	if err := c.WriteMemory(t.Context(), 0x40000000, got[:4]); !errors.As(err, &refused) || err.Error() != "gdbremote: write 0x40000000+4: refused (E14)" {
		t.Error(err)
	}
	if err := c.ReadMemory(t.Context(), 0xfffffffe, got[:4]); err == nil {
		t.Error("read past the end of the address space")
	}
}

// A server of another architecture is refused, and the target runs afterwards.
func TestArchitecture(t *testing.T) {
	wide := stubtest.QEMU(snapshot.RV32)
	wide.Files = map[string]string{"target.xml": `<target><architecture>riscv:rv64</architecture><feature name="org.gnu.gdb.riscv.cpu"><reg name="pc" bitsize="64"/></feature></target>`}
	pc := stubtest.QEMU(snapshot.CortexM)
	pc.Files = map[string]string{"target.xml": `<target><architecture>i386:x86-64</architecture><feature name="org.gnu.gdb.i386.core"><reg name="rip" bitsize="64"/></feature></target>`}
	big := stubtest.QEMU(snapshot.CortexM)
	big.Files = map[string]string{"target.xml": `<target><architecture>arm</architecture><feature name="org.gnu.gdb.arm.core"><reg name="r0" bitsize="32"/><reg name="pc" bitsize="32"/><reg name="cpsr" bitsize="32" regnum="25"/></feature></target>`}
	for _, s := range []struct {
		is   stubtest.Personality
		arch snapshot.Arch
		says string
	}{
		{stubtest.QEMU(snapshot.RV32), snapshot.CortexM, "riscv:rv32"},
		{stubtest.QEMU(snapshot.CortexM), snapshot.RV32, "arm"},
		{stubtest.Bare(snapshot.CortexM), snapshot.RV32, "68 bytes"},
		{stubtest.Bare(snapshot.RV32), snapshot.CortexM, "132 bytes"},
		{stubtest.OldArm(), snapshot.RV32, "168 bytes"},
		{wide, snapshot.RV32, "rv64"}, {pc, snapshot.CortexM, "x86-64"}, {big, snapshot.CortexM, "org.gnu.gdb.arm.core"},
	} {
		core := simulated(s.arch)
		core.Start()
		_, err := Connect(t.Context(), stubtest.New(core, s.is).Conn(t), Options{Arch: s.arch, Timeout: time.Minute})
		var wrong *ArchError
		if !errors.As(err, &wrong) || wrong.Program != s.arch || !strings.Contains(err.Error(), s.says) {
			t.Errorf("%s for %v: %v", s.is.Name, s.arch, err)
		}
		awaitRunning(t, core)
	}
}

// A server without a target says so, and a monitor command that it refuses is told.
func TestNoTarget(t *testing.T) {
	core := simulated(snapshot.CortexM)
	_, err := Connect(t.Context(), stubtest.New(core, stubtest.BlackMagic()).Conn(t), Options{Timeout: time.Minute})
	if !errors.Is(err, ErrNoTarget) {
		t.Error(err)
	}
	_, err = Connect(t.Context(), stubtest.New(core, stubtest.BlackMagic()).Conn(t), Options{Timeout: time.Minute, Attach: "1"})
	var refused *RefusedError
	if !errors.As(err, &refused) || refused.Packet != "vAttach;1" {
		t.Error(err)
	}
	_, err = Connect(t.Context(), stubtest.New(core, stubtest.BlackMagic()).Conn(t), Options{Timeout: time.Minute, Monitor: []string{"make coffee"}})
	if !errors.As(err, &refused) || err.Error() != "gdbremote: monitor make coffee: refused (E01)" {
		t.Error(err)
	}
}

// A target that halts by itself is told as such, before and after it is asked to.
func TestUnsolicitedStops(t *testing.T) {
	for _, s := range servers() {
		core := simulated(s.arch)
		stub := stubtest.New(core, s.is)
		c := connectTo(t, stub, s)
		for range 3 {
			if err := c.Resume(t.Context()); err != nil {
				t.Fatal(err)
			}
			awaitRunning(t, core)
			core.Stop(SignalTrap)
			time.Sleep(20 * time.Millisecond) // both orders are right: the packet may be here or under way
			stop, err := c.Halt(t.Context())
			if err != nil || !stop.Already || stop.Signal != SignalTrap {
				t.Fatalf("%s: %+v, %v", s.is.Name, stop, err)
			}
			s.check(t, c, core)
		}
		if err := c.Detach(t.Context()); err != nil {
			t.Errorf("%s: %v", s.is.Name, err)
		}
		awaitRunning(t, core)
	}
}

// What is asked of a running target goes only to servers that answer then.
func TestRunningTarget(t *testing.T) {
	for _, s := range servers() {
		core := simulated(s.arch)
		stub := stubtest.New(core, s.is)
		c := connectTo(t, stub, s)
		if err := c.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		awaitRunning(t, core)
		err := c.ReadMemory(t.Context(), ramAt, make([]byte, 4))
		if can := s.is.AnswersRunning; can != (err == nil) || !can && !errors.Is(err, ErrRunning) {
			t.Errorf("%s: %v", s.is.Name, err)
		}
		if !core.Running() {
			t.Errorf("%s: the core was halted", s.is.Name)
		}
		if _, _, err := c.Registers(t.Context(), nil, nil); !errors.Is(err, ErrRunning) {
			t.Errorf("%s: %v", s.is.Name, err)
		}
	}
}

// One exchange is one write where the server takes it.
func TestPipelined(t *testing.T) {
	core := simulated(snapshot.CortexM)
	stub := stubtest.New(core, stubtest.OpenOCD())
	stub.Delay(time.Millisecond)
	var order []bool
	c := connectTo(t, stub, server{o: Options{Log: func(sent bool, _ []byte) { order = append(order, sent) }}})
	order = nil
	if _, _, err := c.Registers(context.Background(), armExtra, []Window{{ramAt, 64}}); err != nil {
		t.Fatal(err)
	}
	if i := slices.Index(order, false); i != 8 || slices.Contains(order[i:], true) { // g, msp, psp, four parts of control, m
		t.Errorf("%v", order)
	}
}
