//go:build linux

package strangers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/sim"
)

// gdbScript goes from reset to main, to a function deep in it, into a handler,
// and leaves.
var gdbScript = []string{
	"monitor reset halt", "maintenance flush register-cache", "info registers",
	"break main", "continue",
	"x/2xw 0x08000000",
	"stepi", "stepi", `printf "at 0x%08x\n", $pc`,
	"break json_parse", "continue", "bt",
	"delete",
	"tbreak kernel_tick", "continue", "bt",
	`printf "crc %08x\n", firmware_crc`,
	"monitor resume", "detach",
}

// TestGDB: gdb by way of OpenOCD's gdb server, the two joined by a pipe.
func TestGDB(t *testing.T) {
	r := newPacedRig(t, sim.Options{Seed: 1})
	dir := t.TempDir()
	got := runGDB(r, dir, demo.ELF, gdbScript...)
	sp, reset := resetVector(t)
	for _, want := range []string{
		fmt.Sprintf(`(?m)^sp +0x%08x `, sp),
		fmt.Sprintf(`(?m)^pc +0x%x `, reset),
		`Breakpoint 1, main \(\) at .*main\.c`,
		fmt.Sprintf(`0x8000000.*:\s0x%08x\s0x%08x`, sp, reset|1),
		fmt.Sprintf(`(?m)^at 0x%08x`, function(t, "main")+4), // two instructions of two bytes
		`Breakpoint 2, json_parse \(.*`,
		`(?m)^#0  json_parse .*\n#1 .* settings_apply .*\n#2 .* main \(\)`,
		`(?m)^#0  kernel_tick .*\n#1 .* SysTick_Handler .*\n#2  <signal handler called>`,
		`(?m)^crc [0-9a-f]{8}$`,
	} {
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("gdb does not say %q", want)
		}
	}
	for line := range strings.Lines(got) {
		if regexp.MustCompile(`(?i)\b(error|warning|cannot|corrupt|refused)`).MatchString(line) {
			t.Errorf("gdb says: %s", line)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
	checkFaults(r, filepath.Join(dir, "openocd.log"))
	r.running()
}

// runGDB runs a script on the program of an ELF and returns what gdb says.
// OpenOCD's log is in dir.
func runGDB(r *rig, dir string, image []byte, script ...string) string {
	t := r.t
	t.Helper()
	gdb := tool(t, "gdb-multiarch", "gdb-multiarch")
	server := []string{"env"}
	for _, v := range r.environ() {
		server = append(server, quote(v))
	}
	server = append(server, quote(tool(t, "openocd", "openocd")))
	// The board's flash is no flash bank of OpenOCD's, so that gdb cannot know
	// that it takes no breakpoint instructions.
	for _, a := range openocdArgs("tcl_port disabled", "gdb_port pipe", "gdb_breakpoint_override hard", "log_output "+filepath.Join(dir, "openocd.log")) {
		server = append(server, quote(a))
	}
	elf := filepath.Join(dir, "program.elf")
	if err := os.WriteFile(elf, image, 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"-nx", "-batch", "-iex", "set remotetimeout 60", "-ex", "set width 0", "-ex", "target extended-remote | " + strings.Join(server, " ")}
	for _, s := range script {
		args = append(args, "-ex", s)
	}
	cmd := exec.CommandContext(t.Context(), gdb, append(args, elf)...)
	cmd.Dir = "../.." // where the sources are
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("gdb: %v\n%s", err, out)
	}
	return string(out)
}

// checkFaults: gdb looks for code at the EXC_RETURN value in the handler's LR,
// where there is no memory. The probe reports FAULT for that, OpenOCD an error
// with the address, and there are no other errors.
func checkFaults(r *rig, path string) {
	t := r.t
	t.Helper()
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	checkLog(t, string(log), "Only resetting the Cortex-M core", "Failed to read memory at 0xfffffff")
	for line := range strings.Lines(r.log.report()) {
		const fault = "04" // the acknowledge
		if !strings.HasSuffix(strings.TrimSpace(line), fault) {
			t.Errorf("the probe reported an error: %s", line)
		}
	}
}

// resetVector is the initial SP and the address of the first instruction.
func resetVector(t testing.TB) (sp, pc uint32) {
	_, b := flash(t)
	word := func(i int) uint32 {
		return uint32(b[i]) | uint32(b[i+1])<<8 | uint32(b[i+2])<<16 | uint32(b[i+3])<<24
	}
	return word(0), word(4) &^ 1
}

// quote makes a string one word of a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
