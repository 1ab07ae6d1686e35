package stubtest

import (
	"fmt"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/mprof/mprof/sim/qemu"
	"github.com/mprof/mprof/snapshot"
)

// gdb runs commands on a server.
func gdb(t *testing.T, s *Stub, arch string, commands ...string) string {
	t.Helper()
	qemu.Require(t, "gdb-multiarch")
	args := []string{"-nx", "-batch", "-iex", "set remotetimeout 60", "-ex", "set architecture " + arch, "-ex", "target remote " + s.Listen(t)}
	for _, c := range commands {
		args = append(args, "-ex", c)
	}
	out, err := exec.CommandContext(t.Context(), "gdb-multiarch", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// TestGDB: gdb takes every personality for a GDB server, reads what the core has,
// writes it, runs and leaves.
func TestGDB(t *testing.T) {
	const m, v = snapshot.CortexM, snapshot.RV32
	counter := map[snapshot.Arch]string{m: "r3", v: "x9"}
	shown := map[snapshot.Arch]string{m: "r3", v: "s1"}
	names := map[snapshot.Arch]string{m: "armv7e-m", v: "riscv:rv32"}
	for _, c := range []struct {
		is   Personality
		arch snapshot.Arch
		more []string // registers beyond the general ones
	}{
		{QEMU(m), m, nil}, {QEMU(v), v, []string{"mepc", "mcause"}}, {OpenOCD(), m, []string{"msp", "psp"}}, {JLink(), m, []string{"msp"}},
		{PyOCD(), m, []string{"psp"}}, {Renode(m), m, nil}, {Renode(v), v, []string{"mcause"}}, {Bare(v), v, nil},
	} {
		t.Run(c.is.Name+" "+c.arch.String(), func(t *testing.T) {
			core := NewCore(c.arch, func(core *Core) { core.SetNamed(counter[c.arch], core.Register(counter[c.arch])+1) })
			core.Map(0x20000000, make([]byte, 4096))
			core.Store(0x20000010, []byte{0x78, 0x56, 0x34, 0x12, 0x7d, 0x24, 0x23, 0x2a})
			core.Set(snapshot.PC, 0x20000100)
			core.SetNamed(counter[c.arch], 41)
			commands := []string{"x/2xw 0x20000010", "set *(int *)0x20000020 = 0x2a232425", "continue", fmt.Sprintf("printf \"%%d at 0x%%x\\n\", $%s, $pc", shown[c.arch])}
			for i, r := range c.more {
				core.SetNamed(r, 0x1000+uint32(i))
				commands = append(commands, fmt.Sprintf("printf \"more 0x%%x\\n\", $%s", r))
			}
			if !c.is.NoDetach {
				commands = append(commands, "detach")
			}
			go func() { // a breakpoint, once it runs
				for !core.Running() {
					time.Sleep(time.Millisecond)
				}
				core.Stop(5)
			}()
			got := gdb(t, New(core, c.is), names[c.arch], commands...)
			wants := []string{`(?m)^0x20000010:\s+0x12345678\s+0x2a23247d$`, `(?m)^42 at 0x20000100$`, "received signal SIGTRAP"}
			for i := range c.more {
				wants = append(wants, fmt.Sprintf("(?m)^more 0x%x$", 0x1000+i))
			}
			for _, want := range wants {
				if !regexp.MustCompile(want).MatchString(got) {
					t.Errorf("gdb does not say %s", want)
				}
			}
			if regexp.MustCompile(`(?i)\b(malformed|unexpected|timed out|bogus|too (long|short))\b`).MatchString(got) {
				t.Error("gdb complains")
			}
			word := make([]byte, 4)
			if core.Load(0x20000020, word); string(word) != "\x25\x24\x23\x2a" {
				t.Errorf("written: %x", word)
			}
			if !c.is.NoDetach && !c.is.DetachStays && !core.Running() {
				t.Error("detach left the core halted")
			}
			if t.Failed() {
				t.Log(got)
			}
		})
	}
}
