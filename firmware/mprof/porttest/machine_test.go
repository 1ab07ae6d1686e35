package porttest

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// requireTools skips without a tool; where CI is set, it fails.
func requireTools(t *testing.T, packages string, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			give := t.Skipf
			if os.Getenv("CI") == "true" {
				give = t.Fatalf
			}
			give("%v (Debian and Ubuntu: apt install %s)", err, packages)
		}
	}
}

// mutation is a mistake in a port: a text of one of its files and what stands
// there instead.
type mutation struct{ file, old, new string }

// machine is a port with the model of its hardware, as a program of the PC
// (testdata/machine.c).
type machine struct {
	port, model string
	defines     []string
}

var (
	stm32f4 = machine{"stm32f4", "stm32", []string{"MPROF_CPU_HZ=168000000", "MODEL_F4",
		"UART=0x40004400", "LINE=38", "CLOCK=0x40023840", "CLOCKBIT=17", "DMA=0x40026000", "STREAM=6", "CHANNEL=4", "DMALINE=17"}}
	stm32f4usart1 = machine{"stm32f4", "stm32", []string{"MPROF_CPU_HZ=84000000", "MPROF_UART_NUMBER=1", "MODEL_F4",
		"UART=0x40011000", "LINE=37", "CLOCK=0x40023844", "CLOCKBIT=4", "DMA=0x40026400", "STREAM=7", "CHANNEL=4", "DMALINE=70"}}
	stm32f4usart6 = machine{"stm32f4", "stm32", []string{"MPROF_CPU_HZ=84000000", "MPROF_UART_NUMBER=6", "MODEL_F4",
		"UART=0x40011400", "LINE=71", "CLOCK=0x40023844", "CLOCKBIT=5", "DMA=0x40026400", "STREAM=6", "CHANNEL=5", "DMALINE=69"}}
	stm32f4uart5 = machine{"stm32f4", "stm32", []string{"MPROF_CPU_HZ=84000000", "MPROF_UART_NUMBER=5", "MODEL_F4",
		"UART=0x40005000", "LINE=53", "CLOCK=0x40023840", "CLOCKBIT=20", "DMA=0x40026000", "STREAM=7", "CHANNEL=4", "DMALINE=47"}}
	// Another stream serves USART3_TX too, on channel 7 (RM0090 10.3.3).
	stm32f4usart3 = machine{"stm32f4", "stm32", []string{"MPROF_CPU_HZ=84000000", "MPROF_UART_NUMBER=3", "MPROF_DMA_STREAM=4", "MPROF_DMA_CHANNEL=7", "MODEL_F4",
		"UART=0x40004800", "LINE=39", "CLOCK=0x40023840", "CLOCKBIT=18", "DMA=0x40026000", "STREAM=4", "CHANNEL=7", "DMALINE=15"}}
	stm32f4interrupt = machine{"stm32f4", "stm32", append([]string{"MPROF_UART_DMA=0"}, stm32f4.defines...)}
	stm32f7          = machine{"stm32f7h7", "stm32", []string{"MPROF_STM32F7", "MPROF_CPU_HZ=216000000", "MPROF_UART_NUMBER=3", "MODEL_F7",
		"UART=0x40004800", "LINE=39", "CLOCK=0x40023840", "CLOCKBIT=18", "DMA=0x40026000", "STREAM=3", "CHANNEL=4", "DMALINE=14"}}
	stm32f7uart7 = machine{"stm32f7h7", "stm32", []string{"MPROF_STM32F7", "MPROF_CPU_HZ=216000000", "MPROF_UART_NUMBER=7", "MODEL_F7",
		"UART=0x40007800", "LINE=82", "CLOCK=0x40023840", "CLOCKBIT=30", "DMA=0x40026000", "STREAM=1", "CHANNEL=5", "DMALINE=12"}}
	stm32h7 = machine{"stm32f7h7", "stm32", []string{"MPROF_STM32H7", "MPROF_CPU_HZ=480000000", "MPROF_UART_NUMBER=3", "MODEL_H7",
		"UART=0x40004800", "LINE=39", "CLOCK=0x580244E8", "CLOCKBIT=18", "DMA=0x40020000", "STREAM=3", "REQUEST=46", "DMALINE=14"}}
	stm32h7usart1 = machine{"stm32f7h7", "stm32", []string{"MPROF_STM32H7", "MPROF_CPU_HZ=400000000", "MPROF_UART_NUMBER=1", "MODEL_H7",
		"UART=0x40011000", "LINE=37", "CLOCK=0x580244F0", "CLOCKBIT=4", "DMA=0x40020400", "STREAM=7", "REQUEST=42", "DMALINE=70"}}
	cmsdk       = machine{"cmsdk", "cmsdk", nil}
	cmsdkPolled = machine{"cmsdk", "cmsdk", []string{"MPROF_UART_POLLED=1"}}
	level       = machine{"uart_irq", "generic", []string{"DEPTH=1"}}
	levelFIFO   = machine{"uart_irq", "generic", []string{"DEPTH=16"}}
	edge        = machine{"uart_irq", "generic", []string{"DEPTH=1", "EDGE"}}
	edgeFIFO    = machine{"uart_irq", "generic", []string{"DEPTH=32", "EDGE"}}
	forgetful   = machine{"uart_irq", "generic", []string{"DEPTH=2", "FORGETFUL"}}
)

// copySources copies the module's C files into a new folder, so that paths
// between them hold, and applies mutations.
func copySources(t *testing.T, mutations []mutation) string {
	t.Helper()
	dir := t.TempDir()
	for _, folder := range []string{"src", "port"} {
		files, err := filepath.Glob(filepath.Join("..", folder, "*.[ch]"))
		if err != nil || len(files) == 0 {
			t.Fatal(folder, err)
		}
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range mutations {
				if m.file != filepath.Base(f) {
					continue
				}
				if n := bytes.Count(text, []byte(m.old)); n != 1 {
					t.Fatalf("%q stands %d times in %s, not once", m.old, n, m.file)
				}
				text = bytes.Replace(text, []byte(m.old), []byte(m.new), 1)
			}
			if err := os.WriteFile(filepath.Join(dir, folder, filepath.Base(f)), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// build compiles the machine for the PC.
func (m machine) build(t *testing.T, mutations ...mutation) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the machine wants memory at addresses of its own, as Linux gives it")
	}
	requireTools(t, "gcc libc6-dev", "cc")
	dir := copySources(t, mutations)
	program := filepath.Join(dir, "machine")
	args := []string{"-std=c99", "-Wall", "-Wextra", "-DMPROF_REGISTERS_ELSEWHERE"}
	if len(mutations) == 0 {
		args = append(args, "-Werror", "-O1", "-fsanitize=undefined", "-fno-sanitize-recover")
	}
	for _, d := range m.defines {
		args = append(args, "-D"+d)
	}
	args = append(args, "-I"+filepath.Join(dir, "src"), "-I"+filepath.Join(dir, "port"),
		filepath.Join(dir, "port", m.port+".c"), "testdata/"+m.model+".c", "testdata/machine.c", "-o", program)
	if text, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		t.Fatalf("cc %v: %v\n%s", args, err, text)
	}
	return program
}

// outcome is what a machine printed.
type outcome struct {
	out, in                    []byte
	sent, interrupts, barriers int
	registers                  map[uint32]uint32
	lines                      map[int]int // priority of an interrupt line that is enabled
	complaints                 []string
}

// run obeys scripts, each from a machine that was just switched on.
func run(program string, scripts []string) ([]*outcome, error) {
	const end = "===\n"
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program)
	cmd.Stdin = strings.NewReader(strings.Join(scripts, end) + end)
	cmd.WaitDelay = 5 * time.Second
	text, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, text[bytes.LastIndex(text, []byte(end))+1:])
	}
	printed := strings.Split(strings.TrimSuffix(string(text), end), end)
	if len(printed) != len(scripts) {
		return nil, fmt.Errorf("%d outcomes of %d scripts: %s", len(printed), len(scripts), text)
	}
	var list []*outcome
	for _, text := range printed {
		o := &outcome{registers: map[uint32]uint32{}, lines: map[int]int{}}
		for line := range strings.Lines(text) {
			verb, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			if err := o.take(verb, rest); err != nil {
				return nil, fmt.Errorf("%q: %w", line, err)
			}
		}
		list = append(list, o)
	}
	return list, nil
}

func (o *outcome) take(verb, rest string) (err error) {
	switch verb {
	case "out":
		o.out, err = hex.DecodeString(rest)
	case "in":
		o.in, err = hex.DecodeString(rest)
	case "sent":
		_, err = fmt.Sscan(rest, &o.sent)
	case "interrupts":
		_, err = fmt.Sscan(rest, &o.interrupts)
	case "barriers":
		_, err = fmt.Sscan(rest, &o.barriers)
	case "register":
		var address, value uint32
		_, err = fmt.Sscanf(rest, "%x %x", &address, &value)
		o.registers[address] = value
	case "line":
		var line, on, priority int
		if _, err = fmt.Sscan(rest, &line, &on, &priority); on == 1 {
			o.lines[line] = priority
		}
	default:
		o.complaints = append(o.complaints, verb+" "+rest)
	}
	return err
}
