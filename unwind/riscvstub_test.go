package unwind

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// emulator is QEMU with a RISC-V program, stepped by the gdb remote protocol.
type emulator struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
	csr  map[string]int // numbers of registers beyond x0-x31 and pc
}

// emulate loads an ELF file into QEMU's virt machine and stops it before the
// first instruction.
func emulate(t *testing.T, path string) *emulator {
	t.Helper()
	dir, err := os.MkdirTemp("", "hart")
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "gdb")
	cmd := exec.Command(tool(t, "qemu-system-riscv32"), "-M", "virt", "-bios", "none", "-kernel", path, "-display", "none", "-monitor", "none",
		"-serial", "none", "-S", "-gdb", "unix:"+socket+",server=on,wait=off")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	t.Cleanup(func() { cmd.Process.Kill(); <-ended; os.RemoveAll(dir) })
	e := &emulator{t: t, csr: map[string]int{}}
	for e.conn == nil {
		if e.conn, err = net.Dial("unix", socket); err == nil {
			break
		}
		select {
		case <-ended:
			t.Fatalf("qemu-system-riscv32 ended: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
	t.Cleanup(func() { e.conn.Close() })
	e.in = bufio.NewReader(e.conn)
	e.ask("Qqemu.sstep=5")      // step with interrupts, without timers
	e.description("target.xml") // or the server does not number what is in the other
	for _, m := range csrNumber.FindAllStringSubmatch(e.description("riscv-csr.xml"), -1) {
		e.csr[m[1]], _ = strconv.Atoi(m[2])
	}
	if len(e.csr) != 3 {
		t.Fatalf("QEMU numbers %v", e.csr)
	}
	return e
}

// ask sends a packet and returns the answer.
func (e *emulator) ask(format string, args ...any) string {
	e.t.Helper()
	body := fmt.Sprintf(format, args...)
	sum := byte(0)
	for _, c := range []byte(body) {
		sum += c
	}
	if _, err := fmt.Fprintf(e.conn, "$%s#%02x", body, sum); err != nil {
		e.t.Fatal(err)
	}
	for {
		c, err := e.in.ReadByte()
		if err != nil {
			e.t.Fatal(err)
		}
		if c != '$' {
			continue
		}
		answer, err := e.in.ReadString('#')
		if err != nil {
			e.t.Fatal(err)
		}
		if _, err := e.in.Discard(2); err != nil {
			e.t.Fatal(err)
		}
		if _, err := e.conn.Write([]byte("+")); err != nil {
			e.t.Fatal(err)
		}
		return answer[:len(answer)-1]
	}
}

var csrNumber = regexp.MustCompile(`<reg name="(mepc|mcause|mip)"[^>]* regnum="(\d+)"`)

// description reads a part of the description of registers.
func (e *emulator) description(name string) (text string) {
	for {
		part := e.ask("qXfer:features:read:%s:%x,800", name, len(text))
		if part == "" {
			return text
		}
		text += part[1:]
		if part[0] == 'l' {
			return text
		}
	}
}

func (e *emulator) words(answer string) []uint32 {
	p, err := hex.DecodeString(answer)
	if err != nil {
		e.t.Fatalf("answer %q", answer)
	}
	out := make([]uint32, len(p)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(p[4*i:])
	}
	return out
}

// registers are x0-x31 and the PC.
func (e *emulator) registers() []uint32 {
	regs := e.words(e.ask("g"))
	if len(regs) < 33 {
		e.t.Fatalf("%d registers", len(regs))
	}
	return regs[:33]
}

func (e *emulator) readCSR(name string) uint32 { return e.words(e.ask("p%x", e.csr[name]))[0] }

func (e *emulator) writeCSR(name string, v uint32) {
	var p [4]byte
	binary.LittleEndian.PutUint32(p[:], v)
	if got := e.ask("P%x=%x", e.csr[name], p); got != "OK" {
		e.t.Fatalf("write %s: answer %q", name, got)
	}
}

// memory reads n bytes, 1 KiB at a time: answers have a limit.
func (e *emulator) memory(addr, n uint32) (out []byte) {
	for at := uint32(0); at < n; at += 1 << 10 {
		size := min(n-at, 1<<10)
		answer := e.ask("m%x,%x", addr+at, size)
		p, err := hex.DecodeString(answer)
		if err != nil || len(p) != int(size) {
			e.t.Fatalf("read 0x%08x+%d: answer %q", addr+at, size, answer)
		}
		out = append(out, p...)
	}
	return out
}

func (e *emulator) step() {
	if got := e.ask("s"); got == "" || got[0] != 'T' {
		e.t.Fatalf("step: answer %q", got)
	}
}
