package porttest

import (
	"testing"

	"github.com/mprof/mprof/sim/qemu"
)

var an385 = []string{"HZ=25000000", handlers("0", "1")}

// netduinoplus2 has an STM32F405 without DMA, whose USART raises no interrupt
// for sending.
var netduinoplus2 = []string{"HZ=168000000", "MPROF_CPU_HZ=168000000", "MPROF_UART_DMA=0", "MPROF_UART_NUMBER=1", handlers("37")}

var onQEMU = []struct {
	name, board string
	firmware    firmware
}{
	{"CMSDK", "mps2-an385", firmware{cpu: "cortex-m3", port: "cmsdk", defines: an385}},
	{"CMSDK by name", "mps2-an385", firmware{cpu: "cortex-m3", port: "cmsdk",
		defines: []string{"HZ=25000000", "DECLARE=UART0_Handler", "MPROF_UART_HANDLER=UART0_Handler", "VECTORS=[16]=UART0_Handler,[17]=UART0_Handler"}}},
	{"CMSDK polled", "mps2-an385", firmware{cpu: "cortex-m3", port: "cmsdk", defines: []string{"HZ=25000000", "VECTORS=", "MPROF_UART_POLLED=1"}}},
	{"CMSDK on a Cortex-M0", "mps2-an385", firmware{cpu: "cortex-m0", port: "cmsdk", defines: an385}},
	{"CMSDK with link time optimisation", "mps2-an385", firmware{cpu: "cortex-m3", port: "cmsdk", defines: an385, optimise: "-O2 -flto"}},
	{"CMSDK not optimised", "mps2-an385", firmware{cpu: "cortex-m3", port: "cmsdk", defines: an385, optimise: "-O0"}},
	{"CMSDK by clang", "mps2-an386", firmware{cpu: "cortex-m4", port: "cmsdk", defines: an385, clang: true}},
	{"CMSDK by clang with O2", "mps2-an386", firmware{cpu: "cortex-m4", port: "cmsdk", defines: an385, clang: true, optimise: "-O2"}},
	{"STM32F4 without DMA", "netduinoplus2", firmware{cpu: "cortex-m4", flash: "0x08000000", port: "stm32f4", defines: netduinoplus2}},
	{"nRF51 by five functions", "microbit", firmware{cpu: "cortex-m0", port: "uart_irq", defines: []string{"HZ=16000000", handlers("2")}, extra: "nrf51.c"}},
	{"PL011 by five functions", "lm3s6965evb", firmware{cpu: "cortex-m3", port: "uart_irq", extra: "pl011.c",
		defines: []string{"HZ=12500000", "PL011_BASE=0x4000C000u", "PL011_VECTOR=5", handlers("5")}}},
	{"PL011 polled", "lm3s6965evb", firmware{cpu: "cortex-m3", port: "uart_irq", extra: "pl011.c",
		defines: []string{"HZ=12500000", "PL011_BASE=0x4000C000u", "PL011_VECTOR=7", "VECTORS=", "MPROF_UART_POLLED=1"}}},
}

// The ports' firmware on QEMU: every record comes, however late this machine reads it.
func TestOnQEMU(t *testing.T) {
	for _, test := range onQEMU {
		if testing.Short() && test.name != "CMSDK" {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			qemu.Require(t, qemu.Command)
			path := test.firmware.build(t)
			m := qemu.Start(t, qemu.Options{Board: test.board, ELF: path, Pipe: true})
			converse(t, path, m.Pipe, 1000)
		})
	}
}
