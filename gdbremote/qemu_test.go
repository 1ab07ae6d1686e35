package gdbremote

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/mprof/mprof/sim/qemu"
	"github.com/mprof/mprof/snapshot"
)

// The programs count in a register and in memory: what a halted one says of the two
// belongs together, and a running one goes on.
const countM = `
.syntax unified
.section .vectors,"a"
.word 0x20001000
.word start+1
.text
.thumb_func
.global start
start:	ldr r1, =0x20000100
	movs r0, #0
loop:	adds r0, r0, #1
	str r0, [r1]
	b loop
`

const countV = `
.global start
start:	li s1, 0x80001000
	li s2, 0
	la t0, trap
	csrw mtvec, t0
	ecall
	.balign 4
trap:	addi s2, s2, 1
	sw s2, 0(s1)
	j trap
`

// build assembles a program.
func build(t *testing.T, source string, command ...string) string {
	t.Helper()
	qemu.Require(t, command[0])
	dir := t.TempDir()
	in, out := filepath.Join(dir, "program.S"), filepath.Join(dir, "program.elf")
	if err := os.WriteFile(in, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command(command[0], append(command[1:], "-nostdlib", in, "-o", out)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

func armProgram(t *testing.T) string {
	return build(t, countM, "arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-Wl,--section-start=.vectors=0,-Ttext=0x100,-e,start")
}

func hartProgram(t *testing.T) string {
	return build(t, countV, "riscv64-unknown-elf-gcc", "-march=rv32imac_zicsr", "-mabi=ilp32", "-Wl,-Ttext=0x80000000,-e,start")
}

func connect(t *testing.T, socket string, o Options) *Client {
	t.Helper()
	o.Timeout = time.Minute // a busy machine
	conn, err := Dial(t.Context(), socket)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Connect(t.Context(), conn, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

type board struct {
	arch    snapshot.Arch
	name    string
	elf     string
	counter snapshot.Reg
	addr    uint32
	extra   []snapshot.Reg
}

func armBoard(t *testing.T) board {
	return board{snapshot.CortexM, "mps2-an385", armProgram(t), snapshot.R0, 0x20000100, nil}
}

func hartBoard(t *testing.T) board {
	return board{snapshot.RV32, "virt", hartProgram(t), snapshot.X0 + 18, 0x80001000,
		[]snapshot.Reg{snapshot.MEPC, snapshot.MCAUSE}}
}

// sample halts, reads and resumes, and returns the counter.
func (b board) sample(t *testing.T, c *Client) uint32 {
	t.Helper()
	ctx := t.Context()
	stop, err := c.Halt(ctx)
	if err != nil || stop.Signal != SignalInt {
		t.Fatalf("halt: %v, %v", stop, err)
	}
	regs, memory, err := c.Registers(ctx, b.extra, []Window{{b.addr, 4}, {0xf0000000, 16}, {b.addr, 5000}})
	if err != nil {
		t.Fatal(err)
	}
	n, ok := regs.Value(b.counter)
	stored := binary.LittleEndian.Uint32(memory[0])
	if !ok || n != stored && n != stored+1 {
		t.Fatalf("register %v %d, memory %d", ok, n, stored)
	}
	if memory[1] != nil || len(memory[2]) != 5000 || !bytes.Equal(memory[2][:4], memory[0]) {
		t.Fatalf("windows of %d and %d bytes", len(memory[1]), len(memory[2]))
	}
	if _, ok := regs.Value(snapshot.PC); !ok {
		t.Fatal("no PC")
	}
	for _, r := range b.extra {
		if _, ok := regs.Value(r); !ok {
			t.Errorf("no %v", r)
		}
	}
	if err := c.Resume(ctx); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestQEMU: halt, registers, memory, resume and detach on two architectures; the
// target goes on in between and afterwards.
func TestQEMU(t *testing.T) {
	for _, b := range []board{armBoard(t), hartBoard(t)} {
		t.Run(b.arch.String(), func(t *testing.T) {
			m := qemu.Start(t, qemu.Options{Board: b.name, ELF: b.elf, Silent: true, GDB: true, Icount: qemu.WallClock})
			c := connect(t, m.GDB, Options{Arch: b.arch})
			t.Log(c.Description(), c.Remarks())
			if !c.Halted() || running(t, m) {
				t.Error("QEMU stops the target when somebody connects")
			}
			if err := c.Resume(t.Context()); err != nil {
				t.Fatal(err)
			}
			last := uint32(0)
			for range 50 {
				n := last
				for n == last {
					n = b.sample(t, c)
				}
				last = n
			}
			if err := c.ReadMemory(t.Context(), b.addr, make([]byte, 4)); err == nil {
				t.Error("read while the target runs")
			}
			if err := c.Detach(t.Context()); err != nil || c.LeftBy() != "D" {
				t.Fatal(err, c.LeftBy())
			}
			for range 3 {
				if time.Sleep(20 * time.Millisecond); !running(t, m) {
					t.Fatal("the target stands")
				}
			}
		})
	}
}

func running(t *testing.T, m *qemu.Machine) bool {
	t.Helper()
	is, err := m.Running()
	if err != nil {
		t.Fatal(err)
	}
	return is
}
