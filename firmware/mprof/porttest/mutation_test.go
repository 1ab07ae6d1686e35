package porttest

import (
	"errors"
	"testing"
)

// mistakes that the models must find, each in one line of a port: where none of
// the scenarios fails, they prove nothing of that line.
var mistakes = []struct {
	name     string
	test     string // of tests
	mutation mutation
}{
	{"cache not cleaned", "STM32H7 USART3", mutation{"stm32f7h7.c", "mprof_set_register(SCB_DCCMVAC, line);", ";"}},
	{"cache not cleaned", "STM32F7 USART3", mutation{"stm32f7h7.c", "mprof_set_register(SCB_DCCMVAC, line);", ";"}},
	{"last line not cleaned", "STM32H7 USART3", mutation{"stm32f7h7.c", "line <= last", "line < (last & ~31u)"}},
	{"line of the first byte not found", "STM32H7 USART3", mutation{"stm32f7h7.c", "line = first & ~(CACHE_LINE - 1)", "line = (first + 31) & ~(CACHE_LINE - 1)"}},
	{"cleaned after the start", "STM32H7 USART3", mutation{"stm32_send.h", "\tuart_publish(bytes, n);\n", ""}},
	{"DTCM by DMA, no recovery", "STM32H7 USART3", mutation{"stm32_send.h", "(flags & DMA_TEIF) != 0", "0"}},
	{"no check of CCM, no recovery", "STM32F4 USART2", mutation{"stm32_send.h", "(flags & DMA_TEIF) != 0", "0"}},
	{"FIFO errors believed", "STM32F4 USART2", mutation{"stm32_send.h", "(flags & (DMA_TEIF | DMA_TCIF)) == 0", "0"}},
	{"rest counted wrong", "STM32F4 USART2", mutation{"stm32_send.h", "bytes + (streamed - left)", "bytes"}},
	{"flags not cleared before a start", "STM32F4 USART2", mutation{"stm32_dma.h", "\tdma_stop();\n\tdma_clear(DMA_FLAGS);\n\tmprof_set_register(DMA_PAR", "\tmprof_set_register(DMA_PAR"}},
	{"flags not cleared when served", "STM32F4 USART2", mutation{"stm32_send.h", "\tdma_clear(flags);\n", ""}},
	{"flags of another stream", "STM32F4 USART1", mutation{"stm32_dma.h", "6u * (MPROF_DMA_STREAM & 1)", "6u * (MPROF_DMA_STREAM >> 3)"}},
	{"a length off by one", "STM32F4 USART2", mutation{"stm32_dma.h", "mprof_set_register(DMA_NDTR, n);", "mprof_set_register(DMA_NDTR, n - 1);"}},
	{"no address", "STM32F4 USART2", mutation{"stm32_dma.h", "mprof_set_register(DMA_M0AR, memory);", "(void)memory;"}},
	{"wrong direction", "STM32F4 USART2", mutation{"stm32_dma.h", "DMA_MINC | DMA_TO_PERIPHERAL |", "DMA_MINC |"}},
	{"no increment", "STM32F4 USART2", mutation{"stm32_dma.h", "DMA_MINC | DMA_TO_PERIPHERAL |", "DMA_TO_PERIPHERAL |"}},
	{"no error interrupt", "STM32F4 USART2", mutation{"stm32_dma.h", "DMA_TCIE | DMA_TEIE |", "DMA_TCIE |"}},
	{"USART does not ask the DMA", "STM32F4 USART2", mutation{"stm32_send.h", "\tmprof_set_bits(UART_CR3, UART_CR3_DMAT);\n", ""}},
	{"DMA has no clock", "STM32F4 USART2", mutation{"stm32f4.c", "MPROF_DMA == 1 ? 1u << 21 : 1u << 22", "1u << 22"}},
	{"USART has no clock", "STM32F7 USART3", mutation{"stm32f7h7.c", "mprof_set_bits(clock, 1u << UART_CLOCK_BIT);", ""}},
	{"no request in DMAMUX", "STM32H7 USART1", mutation{"stm32f7h7.c", "mprof_set_register(DMAMUX_CCR, UART_REQUEST);", ""}},
	{"no TRBUFF", "STM32H7 USART1", mutation{"stm32f7h7.c", "? 0 : 1u << 20", "? 0 : 0"}},
	{"transmit interrupt left on", "STM32F4 without DMA", mutation{"stm32_send.h", "\t\tmprof_clear_bits(UART_CR1, UART_CR1_TXEIE);", "\t\t;"}},
	{"overrun without a byte not cleared", "STM32F4 USART2", mutation{"stm32f4.c", "(UART_SR_RXNE | UART_SR_ORE | UART_SR_FE | UART_SR_NF)", "UART_SR_RXNE"}},
	{"a byte that is none", "STM32F4 USART2", mutation{"stm32f4.c", "(status & UART_SR_RXNE) != 0 && ", ""}},
	{"framing error taken", "STM32F4 USART2", mutation{"stm32f4.c", " && (status & UART_SR_FE) == 0", ""}},
	{"errors not cleared", "STM32F7 USART3", mutation{"stm32f7h7.c", "mprof_set_register(UART_ICR, status & UART_ERRORS);", ";"}},
	{"framing error taken", "STM32H7 USART3", mutation{"stm32f7h7.c", "if ((status & UART_FE) == 0)", "if (1)"}},
	{"boot loader's byte taken", "STM32F7 USART3", mutation{"stm32f7h7.c", "\t(void)mprof_register(UART_RDR);\n", ""}},
	{"wrong prescaler", "STM32F4 USART2", mutation{"stm32_uart.h", "hz >> ((field & 3) + 1)", "hz >> (field & 3)"}},
	{"no 8 samples", "STM32F4 USART2", mutation{"stm32_uart.h", "\t*cr1 |= UART_CR1_OVER8;\n", ""}},
	{"HPRE above 16", "STM32H7 USART3", mutation{"stm32f7h7.c", "hz >>= hpre - 6;", "hz >>= hpre - 7;"}},
	{"no DMA interrupt", "STM32F7 USART3", mutation{"stm32f7h7.c", "\tmprof_enable_interrupt(DMA_LINE);\n", ""}},
	{"interrupt not cleared", "CMSDK", mutation{"cmsdk.c", "mprof_set_register(UART_INT, pending & (INT_TX | INT_RX));", ";"}},
	{"first byte not written", "CMSDK", mutation{"cmsdk.c", "\telse\n\t\tsend_next_byte();\n}\n\nMPROF_BARE void mprof_port_poll", "}\n\nMPROF_BARE void mprof_port_poll"}},
	{"overrun not cleared", "CMSDK", mutation{"cmsdk.c", "\t\tmprof_set_register(UART_STATE, STATE_RX_OVERRUN);\n", ""}},
	{"no look before writing", "CMSDK polled", mutation{"cmsdk.c", "unsent > 0 && (mprof_register(UART_STATE) & STATE_TX_FULL) == 0", "unsent > 0"}},
	{"no look before writing", "generic, level", mutation{"bytes.h", "unsent > 0 && uart_writable()", "unsent > 0"}},
	{"nothing to become empty of", "generic, edge", mutation{"bytes.h", "\twrite_what_fits();\n\tactive = true;", "\tactive = true;"}},
	{"a missed interrupt", "generic, an interrupt missed", mutation{"bytes.h", "\tmove_bytes();\n\tif (active)\n\t\tuart_tx_interrupt(true);\n", ""}},
	{"whoever interrupts moves bytes too", "generic, an interrupt missed", mutation{"bytes.h", "\tmoving = true;\n", ""}},
	{"an interrupt for another's bytes", "generic, level", mutation{"bytes.h", "\tif (!active || moving)\n\t\tuart_tx_interrupt(false);\n\telse\n\t\tmove_bytes();", "\tif (active && !moving)\n\t\tmove_bytes();"}},
	{"mprof_sent not called", "generic, edge, FIFO", mutation{"bytes.h", "\tif (over)\n\t\tmprof_sent();\n", ""}},
}

// The models see mistakes.
func TestMistakesAreSeen(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles every mistake")
	}
	for _, mistake := range mistakes {
		t.Run(mistake.name+", "+mistake.test, func(t *testing.T) {
			t.Parallel()
			for _, test := range tests {
				if test.name != mistake.test {
					continue
				}
				program := test.machine.build(t, mistake.mutation)
				wrong, err := verdicts(program, test.list)
				if errors.Join(append(wrong, err)...) == nil {
					t.Error("no scenario fails")
				}
				return
			}
			t.Errorf("there is no test %q", mistake.test)
		})
	}
}
