package lockstep

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// disassemble shows the instruction at an address and a few before it: the
// bytes, and what objdump makes of them where it is installed.
func disassemble(flash []byte, pc uint32) string {
	if int(pc)+4 > len(flash) {
		return fmt.Sprintf("  0x%08x is outside of the program\n", pc)
	}
	first := pc - min(pc, 16)
	end := min(int(pc)+8, len(flash))
	raw := fmt.Sprintf("  bytes at 0x%08x: % x\n", pc, flash[pc:min(int(pc)+4, len(flash))])
	f, err := os.CreateTemp("", "lockstep")
	if err != nil {
		return raw
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if _, err := f.Write(flash[first:end]); err != nil {
		return raw
	}
	run := func(from uint32) []string {
		out, err := exec.Command("arm-none-eabi-objdump", "-D", "-b", "binary", "-marm", "-Mforce-thumb",
			fmt.Sprintf("--adjust-vma=0x%x", first), fmt.Sprintf("--start-address=0x%x", from), f.Name()).Output()
		if err != nil {
			return nil
		}
		return strings.Split(string(out), "\n")
	}
	var b strings.Builder
	b.WriteString(raw)
	// Before the instruction the halfwords may be read out of step; from it on
	// they are right.
	for _, line := range run(first) {
		if at, ok := addressOf(line); ok && at < pc {
			fmt.Fprintf(&b, "    %s\n", strings.TrimSpace(line))
		}
	}
	for _, line := range run(pc) {
		if at, ok := addressOf(line); ok && at == pc {
			fmt.Fprintf(&b, "  > %s\n", strings.TrimSpace(line))
		}
	}
	return b.String()
}

// addressOf reads the address that begins a line of a disassembly.
func addressOf(line string) (uint32, bool) {
	head, _, ok := strings.Cut(strings.TrimSpace(line), ":\t")
	var at uint32
	if _, err := fmt.Sscanf(head, "%x", &at); err != nil {
		return 0, false
	}
	return at, ok
}
