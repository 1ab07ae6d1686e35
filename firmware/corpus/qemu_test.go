package corpus

import (
	"context"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/mprof/mprof/sim"
)

// result is the value of sink where the program ends.
type result struct{ sink uint32 }

var printed = regexp.MustCompile(`RESULT (\d+) (\d+)`)

// onQEMU runs a program on QEMU until it ends.
func onQEMU(t *testing.T, path string) result {
	t.Helper()
	for _, tool := range []string{"gdb-multiarch", "qemu-system-arm"} {
		if _, err := exec.LookPath(tool); err != nil {
			give := t.Skipf
			if os.Getenv("CI") == "true" {
				give = t.Fatalf
			}
			give("%v (Debian and Ubuntu: apt install gdb-multiarch qemu-system-arm)", err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "gdb-multiarch", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-ex", "set architecture armv7e-m",
		"-ex", "target remote | exec qemu-system-arm -M mps2-an386 -S -display none -monitor none -serial none -kernel "+path+" -gdb stdio",
		"-ex", "break "+Done, "-ex", "break Default_Handler", "-ex", "continue",
		"-ex", `python print("RESULT", int(gdb.parse_and_eval("$pc")), int(gdb.parse_and_eval("sink")))`, "-ex", "kill", path)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	m := printed.FindSubmatch(out)
	if m == nil || string(m[1]) != fmt.Sprint(address(t, path, Done)&^1) {
		t.Fatalf("%s was not reached on QEMU: %v\n%s", Done, err, out)
	}
	v, err := strconv.ParseUint(string(m[2]), 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return result{uint32(v)}
}

// onBoard runs a program on the simulated board until it ends.
func onBoard(t *testing.T, path string) result {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	board, err := sim.New(sim.Options{ELF: data})
	if err != nil {
		t.Fatal(err)
	}
	done, sink := address(t, path, Done), address(t, path, "sink")
	core := board.Core()
	core.SetDebugEnabled(true)
	core.SetBreakpoints([]uint32{done})
	core.Run(20_000_000)
	if !core.Halted() {
		t.Fatalf("%s was not reached on the board", Done)
	}
	return result{binary.LittleEndian.Uint32(core.Memory(sink))}
}

func address(t *testing.T, path, name string) uint32 {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Name == name {
			return uint32(s.Value)
		}
	}
	t.Fatal(fmt.Errorf("%s has no symbol %s", path, name))
	return 0
}

// All programs end on both, and those that no timer interrupts with the same
// result.
func TestRunsOnQEMU(t *testing.T) {
	timed := map[string]bool{"interrupts": true, "threads": true, "floats": true, "bare": true, "described": true}
	for _, p := range Some(testing.Short()) {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			path := p.ELF(t)
			board, qemu := onBoard(t, path), onQEMU(t, path)
			if board != qemu && !timed[p.Source] {
				t.Errorf("sink is 0x%08x on the board and 0x%08x on QEMU", board.sink, qemu.sink)
			}
		})
	}
}
