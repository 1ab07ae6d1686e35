//go:build linux

package strangers

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// hidapi is the library that lets a program reach HID devices by libusb. The
// distribution's OpenOCD is linked to the variant for hidraw; both have the
// same functions, so that the one which is loaded first serves.
const hidapi = "libhidapi-libusb.so.0"

// openocdConfig is a board with a Cortex-M behind a CMSIS-DAP probe. The
// commands come and go by standard input and output: no ports are opened.
var openocdConfig = []string{
	"adapter driver cmsis-dap",
	"transport select swd",
	"adapter speed 4000",
	"telnet_port disabled",
	"swd newdap board cpu -expected-id 0x0be12477",
	"dap create board.dap -chain-position board.cpu",
	"target create board.core cortex_m -dap board.dap",
}

// openocdArgs is OpenOCD's command line for a board, with further commands.
func openocdArgs(commands ...string) []string {
	var args []string
	for _, c := range append(openocdConfig[:len(openocdConfig):len(openocdConfig)], commands...) {
		args = append(args, "-c", c)
	}
	return args
}

// openocd is OpenOCD attached to a rig's board.
type openocd struct {
	t      testing.TB
	cmd    *exec.Cmd
	input  io.WriteCloser
	output *bufio.Reader
	log    syncBuffer
}

// startOpenOCD attaches, after further commands for its configuration.
func startOpenOCD(r *rig, config ...string) *openocd {
	r.t.Helper()
	return startConfigured(r, openocdArgs(config...)...)
}

// startConfigured attaches to the board that the arguments describe.
func startConfigured(r *rig, config ...string) *openocd {
	t := r.t
	t.Helper()
	path := tool(t, "openocd", "openocd")
	var preload []string
	if r.board.Model().HID {
		preload = []string{library(t, hidapi, "libhidapi-libusb0")}
	}
	// Without polling, packets go out only as commands ask for them.
	args := append(config[:len(config):len(config)], "-c", "gdb_port disabled", "-c", "tcl_port pipe", "-c", "init", "-c", "poll off")
	args = append(append(r.environ(preload...), path), args...)
	o := &openocd{t: t, cmd: exec.Command("env", args...)}
	o.cmd.Stderr = &o.log
	var err error
	if o.input, err = o.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := o.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	o.output = bufio.NewReader(out)
	r.start(o.cmd)
	return o
}

// endOfCommand separates commands, and their results, in OpenOCD's Tcl protocol.
const endOfCommand = 0x1a

// do runs a command and returns its result.
func (o *openocd) do(format string, args ...any) string {
	o.t.Helper()
	command := fmt.Sprintf(format, args...)
	if _, err := fmt.Fprintf(o.input, "%s%c", command, endOfCommand); err != nil {
		o.t.Fatalf("%s: %v\n%s", command, err, o.end())
	}
	result, err := o.output.ReadString(endOfCommand)
	if err != nil {
		o.t.Fatalf("%s: %v\n%s", command, err, o.end())
	}
	return strings.TrimSpace(strings.TrimSuffix(result, string(rune(endOfCommand))))
}

// end waits for OpenOCD, which must have been told to shut down or have failed.
func (o *openocd) end() string {
	o.input.Close()
	_ = o.cmd.Wait()
	return o.log.String()
}

// shutdown lets the target go and ends OpenOCD. Its log must have neither
// errors nor warnings other than those which expected names.
func (o *openocd) shutdown(expected ...string) string {
	o.t.Helper()
	o.do("shutdown")
	log := o.end()
	checkLog(o.t, log, expected...)
	return log
}

// checkLog fails the test where OpenOCD's log has an error or a warning that
// nobody expects. That it was late itself is said of this machine.
func checkLog(t testing.TB, log string, expected ...string) {
	t.Helper()
	expected = append(expected, "keep_alive() was not invoked in the")
	for line := range strings.Lines(log) {
		bad := strings.HasPrefix(line, "Error") || strings.HasPrefix(line, "Warn")
		for _, e := range expected {
			bad = bad && !strings.Contains(line, e)
		}
		if bad {
			t.Errorf("OpenOCD says: %s", strings.TrimSpace(line))
		}
	}
}

// registers reads all core registers.
func (o *openocd) registers(names ...string) map[string]uint32 {
	o.t.Helper()
	values := map[string]uint32{}
	// { name value name value }
	fields := strings.Fields(o.do("get_reg {%s}", strings.Join(names, " ")))
	for i := 0; i+1 < len(fields); i += 2 {
		values[fields[i]] = o.number(fields[i+1])
	}
	return values
}

// words reads memory.
func (o *openocd) words(addr uint32, n int) []uint32 {
	o.t.Helper()
	var words []uint32
	for _, f := range strings.Fields(o.do("read_memory 0x%08x 32 %d", addr, n)) {
		words = append(words, o.number(f))
	}
	if len(words) != n {
		o.t.Fatalf("%d words at 0x%08x, got %v", n, addr, words)
	}
	return words
}

func (o *openocd) number(s string) uint32 {
	o.t.Helper()
	v, err := strconv.ParseUint(s, 0, 32)
	if err != nil {
		o.t.Fatalf("OpenOCD answers %q, want a number", s)
	}
	return uint32(v)
}
