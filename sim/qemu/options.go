package qemu

import (
	"fmt"
	"os"
	"path/filepath"
)

// Commands of the emulator.
const (
	Command      = "qemu-system-arm"
	CommandRISCV = "qemu-system-riscv32" // its board is virt
)

// NsPerInstruction is how long an instruction takes on the clock of a machine without
// Options.Icount. Its timers follow that clock.
const NsPerInstruction = 1 << icountShift

const icountShift = 5

// WallClock is the value of Options.Icount for timers that follow the wall clock, and
// instructions that take as long as they take.
const WallClock = "none"

// Options says what runs.
type Options struct {
	Board  string // as for qemu-system-arm -M
	ELF    string // path
	Flash  []byte // in place of ELF: what the flash holds, from its first byte
	Count  *Count // what the plugin notes; nil: no plugin
	Silent bool   // without a serial port
	Pipe   bool   // the first serial port is no pty but Machine.Pipe
	GDB    bool   // with a gdb server
	Halted bool   // before the first instruction
	Icount string // as for -icount; "": see NsPerInstruction
	Args   []string
	File   *os.File // descriptor 3 of the process; nil: none
}

func (o *Options) command() string {
	if o.Board == "virt" {
		return CommandRISCV
	}
	return Command
}

func (m *Machine) arguments(o Options) ([]string, error) {
	kernel := o.ELF
	if o.Flash != nil {
		kernel = filepath.Join(m.dir, "flash.bin")
		if err := os.WriteFile(kernel, o.Flash, 0o600); err != nil {
			return nil, fmt.Errorf("qemu: %w", err)
		}
	}
	args := []string{"-M", o.Board, "-kernel", kernel, "-display", "none", "-monitor", "unix:" + m.socket() + ",server=on,wait=off", "-serial"}
	switch {
	case o.Silent:
		args = append(args, "none")
	case o.Pipe:
		pipe, err := m.openPipes()
		if err != nil {
			return nil, err
		}
		args = append(args, pipe)
	default:
		args = append(args, "pty")
	}
	if o.command() == CommandRISCV {
		args = append(args, "-bios", "none")
	}
	switch o.Icount {
	case "":
		args = append(args, "-icount", fmt.Sprintf("shift=%d,align=on", icountShift))
	case WallClock:
	default:
		args = append(args, "-icount", o.Icount)
	}
	if o.GDB {
		m.GDB = filepath.Join(m.dir, "gdb")
		args = append(args, "-gdb", "unix:"+m.GDB+",server=on,wait=off")
	}
	if o.Halted {
		args = append(args, "-S")
	}
	if o.Count != nil {
		plugin, err := m.prepareCount(o)
		if err != nil {
			return nil, err
		}
		args = append(args, "-plugin", plugin)
	}
	return append(args, o.Args...), nil
}
