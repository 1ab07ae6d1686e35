package disasm_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// need skips where a tool is not installed; where CI=true it fails.
func need(t testing.TB, tool, debian string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil {
		give := t.Skipf
		if os.Getenv("CI") == "true" {
			give = t.Fatalf
		}
		give("%v (Debian and Ubuntu: apt install %s)", err, debian)
	}
}

// line is one of objdump -d.
type line struct {
	addr uint32
	hex  string
	text string
}

// objdump disassembles a file, with all its zeros.
func objdump(t testing.TB, tool string, args ...string) (lines []line) {
	t.Helper()
	need(t, tool, "binutils-arm-none-eabi binutils-riscv64-unknown-elf")
	version, err := exec.Command(tool, "--version").Output()
	if first, _, _ := strings.Cut(string(version), "\n"); !strings.Contains(first, " 2.40") && os.Getenv("CI") != "true" {
		t.Skipf("%s (%v): the text is that of 2.40, others word it differently", first, err)
	}
	out, err := exec.Command(tool, append([]string{"-d", "-z"}, args...)...).Output()
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	s := bufio.NewScanner(bytes.NewReader(out))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		at, rest, ok := strings.Cut(s.Text(), ":\t")
		addr, err := strconv.ParseUint(strings.TrimSpace(at), 16, 32)
		if !ok || err != nil {
			continue
		}
		hex, text, _ := strings.Cut(rest, "\t")
		lines = append(lines, line{uint32(addr), strings.TrimSpace(hex), text})
	}
	return lines
}

// assemble makes an object file of words of 32 bits, or halfwords, each an instruction.
func assemble(t testing.TB, arch string, words []uint32) string {
	t.Helper()
	need(t, "arm-none-eabi-as", "binutils-arm-none-eabi")
	var s strings.Builder
	fmt.Fprintf(&s, ".syntax unified\n.arch %s\n.thumb\n", arch)
	for _, w := range words {
		if w>>16 == 0 {
			fmt.Fprintf(&s, ".inst.n 0x%04x\n", w)
		} else {
			fmt.Fprintf(&s, ".inst.w 0x%08x\n", w)
		}
	}
	return run(t, s.String(), "arm-none-eabi-as")
}

// assembleRISCV does so for RISC-V.
func assembleRISCV(t testing.TB, words []uint32) string {
	t.Helper()
	need(t, "riscv64-unknown-elf-as", "binutils-riscv64-unknown-elf")
	var s strings.Builder
	s.WriteString(".option norelax\n")
	for _, w := range words {
		if w&3 != 3 {
			fmt.Fprintf(&s, ".insn 2, 0x%04x\n", w)
		} else {
			fmt.Fprintf(&s, ".insn 4, 0x%08x\n", w)
		}
	}
	return run(t, s.String(), "riscv64-unknown-elf-as", "-march=rv32imafdc_zicsr_zifencei_zba_zbb_zbc_zbs", "-mabi=ilp32")
}

// run assembles a text.
func run(t testing.TB, text, tool string, args ...string) (object string) {
	t.Helper()
	object = filepath.Join(t.TempDir(), "words.o")
	c := exec.Command(tool, append(args, "-o", object, "-")...)
	c.Stdin = strings.NewReader(text)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%.2000s", tool, err, out)
	}
	return object
}
