//go:build linux

package strangers

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/mprof/mprof/sim"
)

// python is the distribution's, which has the distribution's pyOCD.
const python = "/usr/bin/python3"

// pyocd is a program of pyOCD's library, attached to a rig's board.
type pyocd struct {
	t      testing.TB
	cmd    *exec.Cmd
	input  io.WriteCloser
	output *bufio.Reader
	log    bytes.Buffer
}

func startPyOCD(r *rig) *pyocd {
	t := r.t
	t.Helper()
	if out, err := exec.Command(python, "-c", "import pyocd, usb.core").CombinedOutput(); err != nil {
		missing(t, fmt.Sprintf("pyOCD is not there: install the package python3-pyocd: %s", out))
	}
	p := &pyocd{t: t, cmd: exec.Command(python, "testdata/pyocd_client.py")}
	p.cmd.Stderr = &p.log
	var err error
	if p.input, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.output = bufio.NewReader(out)
	r.start(p.cmd)
	return p
}

// do evaluates an expression, in which t is the target, into result.
func (p *pyocd) do(result any, format string, args ...any) {
	p.t.Helper()
	expression := fmt.Sprintf(format, args...)
	fmt.Fprintln(p.input, expression)
	line, err := p.output.ReadBytes('\n')
	if err != nil {
		p.input.Close()
		_ = p.cmd.Wait()
		p.t.Fatalf("%s: %v\n%s", expression, err, p.log.String())
	}
	if result == nil {
		return
	}
	if err := json.Unmarshal(line, result); err != nil {
		p.t.Fatalf("%s: %v: %s", expression, err, line)
	}
}

// end lets pyOCD go, which must have had nothing to complain of.
func (p *pyocd) end() {
	p.t.Helper()
	p.input.Close()
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("pyOCD: %v", err)
	}
	if s := strings.TrimSpace(p.log.String()); s != "" {
		p.t.Errorf("pyOCD says: %s", s)
	}
}

// TestPyOCD: Debian's pyOCD, which knows HID alone, by way of pyusb and libusb.
func TestPyOCD(t *testing.T) {
	r := newRig(t, sim.Options{Model: "daplink-hid", Seed: 1})
	p := startPyOCD(r)
	r.running()
	p.do(nil, "t.halt()")
	for name, sel := range coreRegisters {
		var v uint32
		if p.do(&v, "t.read_core_register(%q)", strings.ToLower(name)); v != r.register(sel) {
			t.Errorf("%s: pyOCD reads 0x%08x, the core holds 0x%08x", name, v, r.register(sel))
		}
	}
	p.checkMemory(r)
	p.checkRuns(r)
	p.do(nil, "t.resume()")
	p.end()
	if s := r.log.report(); s != "" {
		t.Errorf("the probe reported errors:\n%s", s)
	}
	r.running()
}

// checkMemory compares flash with the ELF file, and RAM with what was written.
func (p *pyocd) checkMemory(r *rig) {
	p.t.Helper()
	addr, want := flash(p.t)
	var got []byte
	var numbers []int
	p.do(&numbers, "t.read_memory_block8(0x%08x, %d)", addr+1, 3000)
	for _, n := range numbers {
		got = append(got, byte(n))
	}
	if !bytes.Equal(got, want[1:3001]) {
		p.t.Error("pyOCD reads other bytes in flash than the ELF file has")
	}
	p.do(nil, "t.write_memory_block32(0x%08x, [0x11223344, 0x55667788])", scratch)
	p.do(nil, "t.write_memory(0x%08x, 0xa5, 8)", scratch+5)
	p.do(nil, "t.flush()") // it keeps writes back
	if a, b := r.word(scratch), r.word(scratch+4); a != 0x11223344 || b != 0x5566a588 {
		p.t.Errorf("the RAM holds 0x%08x 0x%08x", a, b)
	}
}

// checkRuns steps, runs into a breakpoint, and resets.
func (p *pyocd) checkRuns(r *rig) {
	p.t.Helper()
	pc := func() (v uint32) {
		p.t.Helper()
		if p.do(&v, `t.read_core_register("pc")`); v != r.register(regPC) {
			p.t.Errorf("pyOCD thinks of 0x%08x, the core is at 0x%08x", v, r.register(regPC))
		}
		return v
	}
	for range 3 {
		before := r.instructions()
		p.do(nil, "t.step()")
		if pc(); r.instructions() == before {
			p.t.Error("a step took no instruction")
		}
	}
	handler := function(p.t, "SysTick_Handler")
	p.do(nil, "t.set_breakpoint(0x%08x)", handler)
	p.do(nil, "t.resume()")
	p.do(nil, "wait_halted()")
	if pc() != handler {
		p.t.Errorf("halted at 0x%08x, the breakpoint is at 0x%08x", pc(), handler)
	}
	p.do(nil, "t.remove_breakpoint(0x%08x)", handler)
	for _, software := range []string{"True", "False"} {
		p.do(nil, "t.resume()")
		p.do(nil, "t.reset_stop_on_reset(software_reset=%s)", software)
		if entry := function(p.t, "Reset_Handler"); pc() != entry {
			p.t.Errorf("halted at 0x%08x after reset, Reset_Handler is at 0x%08x", pc(), entry)
		}
	}
}
