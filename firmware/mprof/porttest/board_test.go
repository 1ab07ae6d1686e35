package porttest

import (
	"debug/elf"
	"encoding/binary"
	"os"
	"testing"
	"time"

	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/trace"
)

// f405 is firmware for the simulated STM32F405, which runs on its 16 MHz
// oscillator after reset, as its buses do.
func f405(defines ...string) firmware {
	return firmware{cpu: "cortex-m4", flash: "0x08000000", port: "stm32f4", defines: append([]string{"HZ=16000000", "MPROF_CPU_HZ=16000000"}, defines...)}
}

// usart2 is f405 with USART2 on its pins.
func usart2(defines ...string) firmware {
	return f405(append([]string{"MPROF_UART_TX_PIN=0xA2", "MPROF_UART_RX_PIN=0xA3", handlers("38", "17")}, defines...)...)
}

// mps2 is firmware for the simulated MPS2, at the same clock.
func mps2(defines ...string) firmware {
	return firmware{cpu: "cortex-m3", port: "cmsdk", defines: append([]string{"HZ=16000000", "MPROF_UART_HZ=16000000"}, defines...)}
}

var onBoard = []struct {
	name, port string
	firmware   firmware
}{
	{"CMSDK", "UART0", mps2(handlers("0", "1"))},
	{"CMSDK, third UART", "UART2", mps2("MPROF_UART_NUMBER=2", handlers("4", "5"))},
	{"CMSDK polled", "UART0", mps2("MPROF_UART_BAUD=115200", "WORK=10", "POLLS=200", "VECTORS=", "MPROF_UART_POLLED=1")},
	{"STM32F4 USART2, DMA1", "USART2", usart2()},
	{"STM32F4 USART1, DMA2", "USART1", f405("MPROF_UART_NUMBER=1", "MPROF_UART_TX_PIN=0xA9", "MPROF_UART_RX_PIN=0xAA", handlers("37", "70"))},
	{"STM32F4 USART6, DMA2", "USART6", f405("MPROF_UART_NUMBER=6", "MPROF_UART_TX_PIN=0xC6", "MPROF_UART_RX_PIN=0xC7", handlers("71", "69"))},
	{"STM32F4 USART3, stream 4 and channel 7", "USART3", f405("MPROF_UART_NUMBER=3", "MPROF_DMA_STREAM=4", "MPROF_DMA_CHANNEL=7",
		"MPROF_UART_TX_PIN=0xBA", "MPROF_UART_RX_PIN=0xBB", handlers("39", "15"))},
	{"STM32F4 without DMA", "USART2", usart2("MPROF_UART_DMA=0")},
	{"STM32F4, memory in CCM", "USART2", usart2(`PLACE=__attribute__((section(".ccm")))`)},
	// APB1 at an eighth of the clock, 2 MHz: 8 samples a bit.
	{"STM32F4, APB1 prescaled", "USART2", usart2("PREPARE=*(volatile uint32_t*)0x40023808=6<<10", "MPROF_UART_BAUD=230400")},
}

func newBoard(t *testing.T, path string) *sim.Board {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	board, err := sim.New(sim.Options{ELF: data, CoreHz: 16_000_000})
	if err != nil {
		t.Fatal(err)
	}
	return board
}

// The ports' firmware on the simulated board: every record comes, and the log
// is the table of docs/firmware-ports.md.
func TestOnTheSimulatedBoard(t *testing.T) {
	for _, test := range onBoard {
		if testing.Short() && test.name != "STM32F4 USART2, DMA1" {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			path := test.firmware.build(t)
			board := newBoard(t, path)
			port, err := board.UART(test.port)
			if err != nil {
				t.Fatal(err)
			}
			converse(t, path, port, 1000)
			for _, r := range board.Remarks() {
				t.Error(r)
			}
			for _, p := range board.Ports() {
				if p.Name == test.port {
					t.Logf("%d bytes at %d baud, %.1f cycles of the core a byte in the interrupt", p.Sent, p.Baud, float64(board.Truth().Total()["mprof_port_irq"])/float64(p.Sent))
				}
			}
		})
	}
}

// A wire that stops for good, here a USART that is switched off, stops nothing
// else: what is recorded is dropped and counted.
func TestDeadWire(t *testing.T) {
	for _, kind := range []struct {
		name     string
		firmware firmware
	}{
		{"DMA", usart2("BREAK=*(volatile uint32_t*)0x4000440C=0")},
		{"interrupt", usart2("MPROF_UART_DMA=0", "BREAK=*(volatile uint32_t*)0x4000440C=0")},
		{"DMA without clock", usart2("BREAK=*(volatile uint32_t*)0x40023830=0x9")},
	} {
		t.Run(kind.name, func(t *testing.T) {
			path := kind.firmware.build(t)
			board := newBoard(t, path)
			port, err := board.UART("USART2")
			if err != nil {
				t.Fatal(err)
			}
			defer port.Close()
			rounds := variable(t, path, "rounds")
			at := func() int { return int(binary.LittleEndian.Uint32(board.Core().Memory(rounds))) }
			pass := func() int {
				before := at()
				if err := board.Sleep(t.Context(), 100*time.Millisecond); err != nil {
					t.Fatal(err)
				}
				return at() - before
			}
			if err := board.Sleep(t.Context(), time.Millisecond); err != nil {
				t.Fatal(err)
			}
			if _, err := port.Write(trace.AppendCommand(nil, trace.CommandStart)); err != nil {
				t.Fatal(err)
			}
			pass()
			pass()
			if at() < 120 {
				t.Fatalf("%d rounds in 200 ms", at())
			}
			sent := len(port.Take())
			if sent == 0 {
				t.Error("nothing came before the wire broke")
			}
			if first, second := pass(), pass(); first < 30 || second < first*9/10 {
				t.Errorf("%d rounds in 100 ms, and then %d", first, second)
			}
			if n := len(port.Take()); n != 0 {
				t.Errorf("%d bytes came after the wire broke", n)
			}
		})
	}
}

// A receiver that nobody served for 10 ms, while bytes came, goes on: the
// next commands are heard.
func TestOverrunOnTheSimulatedBoard(t *testing.T) {
	const masked = `BREAK=__asm volatile("cpsid i");for(uint32_t n=0;n<20000;n++)sink++;__asm volatile("cpsie i")`
	for _, kind := range []struct {
		name, port string
		firmware   firmware
	}{
		{"STM32F4", "USART2", usart2(masked)},
		{"CMSDK", "UART0", mps2(handlers("0", "1"), masked)},
	} {
		t.Run(kind.name, func(t *testing.T) {
			path := kind.firmware.build(t)
			board := newBoard(t, path)
			port, err := board.UART(kind.port)
			if err != nil {
				t.Fatal(err)
			}
			rounds := variable(t, path, "rounds")
			at := func() uint32 { return binary.LittleEndian.Uint32(board.Core().Memory(rounds)) }
			for wait := 0; at() < 100; wait++ {
				if err := board.Sleep(t.Context(), 200*time.Microsecond); err != nil || wait > 5000 {
					t.Fatal(at(), err)
				}
			}
			if _, err := port.Write(trace.AppendCommand(nil, trace.CommandStatus)); err != nil {
				t.Fatal(err)
			}
			before := board.Truth().Total()["mprof_port_irq"]
			if err := board.Sleep(t.Context(), time.Millisecond); err != nil {
				t.Fatal(err)
			}
			if at() != 100 || board.Truth().Total()["mprof_port_irq"] != before {
				t.Fatal("interrupts were not masked while the bytes came")
			}
			converse(t, path, port, 300)
		})
	}
}

// variable is the address of a symbol.
func variable(t *testing.T, path, name string) uint32 {
	t.Helper()
	for _, s := range symbols(t, path) {
		if s.Name == name && elf.ST_TYPE(s.Info) == elf.STT_OBJECT {
			return uint32(s.Value)
		}
	}
	t.Fatalf("%s has no %s", path, name)
	return 0
}
