/*
 * microbit.c: BBC micro:bit, an nRF51822 with a Cortex-M0, and its UART for mprof's port for any UART (uart_irq.c).
 * nRF51 Series Reference Manual 3.0: TIMER 18.2, UART 29.10, instance table 7.1.
 */
#include <stdbool.h>

#include "core.h"
#include "mprof_port.h"
#include "uart_irq.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

enum { UART0 = 2, SWI0 = 20 }; /* interrupts; SWI0 is there for software */

#define TIMER0_START REGISTER(0x40008000u)
#define TIMER0_CAPTURE0 REGISTER(0x40008040u)
#define TIMER0_BITMODE REGISTER(0x40008508u)
#define TIMER0_PRESCALER REGISTER(0x40008510u)
#define TIMER0_CC0 REGISTER(0x40008540u)

/* An interrupt between the two gives the later time, as if it had come before. */
NOTRACE uint32_t mprof_port_time(void) {
	TIMER0_CAPTURE0 = 1;
	return TIMER0_CC0;
}

NOTRACE uint32_t mprof_port_time_hz(void) { return 16000000; }

void board_init(void) {
	TIMER0_BITMODE = 3; /* 32 bits */
	TIMER0_PRESCALER = 0;
	TIMER0_START = 1;
	core_priorities();
	core_enable_interrupt(SWI0, PRIORITY_ALARM);
}

void board_start_tick(uint32_t hz) { core_start_systick(BOARD_HZ / hz); }

void board_raise_alarm(void) { CORE_NVIC_ISPR0 = 1u << SWI0; }

#define UART_STARTRX REGISTER(0x40002000u)
#define UART_STARTTX REGISTER(0x40002008u)
#define UART_RXDRDY REGISTER(0x40002108u)
#define UART_TXDRDY REGISTER(0x4000211Cu)
#define UART_INTENSET REGISTER(0x40002304u)
#define UART_INTENCLR REGISTER(0x40002308u)
#define UART_ENABLE REGISTER(0x40002500u)
#define UART_PSELTXD REGISTER(0x4000250Cu)
#define UART_PSELRXD REGISTER(0x40002514u)
#define UART_RXD REGISTER(0x40002518u)
#define UART_TXD REGISTER(0x4000251Cu)
#define UART_BAUDRATE REGISTER(0x40002524u)

#define RXDRDY (1u << 2)
#define TXDRDY (1u << 7)

static volatile bool busy; /* a byte is under way, whose TXDRDY has not been seen */

NOTRACE void mprof_uart_init(void) {
	UART_PSELTXD = 24;
	UART_PSELRXD = 25;
	UART_BAUDRATE = 0x10000000; /* 1 Mbit/s */
	UART_ENABLE = 4;
	UART_STARTRX = 1;
	UART_STARTTX = 1;
	UART_INTENSET = RXDRDY;
	core_enable_interrupt(UART0, PRIORITY_UART);
}

NOTRACE bool mprof_uart_writable(void) {
	if (busy && UART_TXDRDY) {
		UART_TXDRDY = 0;
		busy = false;
	}
	return !busy;
}

NOTRACE void mprof_uart_write(uint8_t byte) {
	busy = true;
	UART_TXD = byte;
}

NOTRACE void mprof_uart_tx_interrupt(bool on) {
	if (on)
		UART_INTENSET = TXDRDY;
	else
		UART_INTENCLR = TXDRDY;
}

NOTRACE int mprof_uart_read(void) {
	if (!UART_RXDRDY)
		return -1;
	UART_RXDRDY = 0;
	return (int)(UART_RXD & 0xFF);
}

__attribute__((section(".isr_vector.chip"), used)) static void (*const vectors[32])(void) = {
	[UART0] = mprof_port_irq,
	[SWI0] = board_alarm,
};
