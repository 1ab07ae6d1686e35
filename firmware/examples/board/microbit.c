/*
 * microbit.c: BBC micro:bit, an nRF51822 with a Cortex-M0, and its UART for mprof's port for any UART (uart_irq.c), and TIMER1 for gprof.
 * nRF51 Series Reference Manual 3.0: TIMER 18.2, UART 29.10, instance table 7.1.
 */
#include <stdbool.h>

#include "core.h"
#include "gprof_port.h"
#include "mprof_port.h"
#include "uart_irq.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

enum { UART0 = 2, TIMER1 = 9, SWI0 = 20 }; /* interrupts; SWI0 is there for software */

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

#define TIMER1_START REGISTER(0x40009000u)
#define TIMER1_STOP REGISTER(0x40009004u)
#define TIMER1_CLEAR REGISTER(0x4000900Cu)
#define TIMER1_COMPARE0 REGISTER(0x40009140u)
#define TIMER1_SHORTS REGISTER(0x40009200u)
#define TIMER1_INTENSET REGISTER(0x40009304u)
#define TIMER1_PRESCALER REGISTER(0x40009510u)
#define TIMER1_CC0 REGISTER(0x40009540u)

/* TIMER1 has 16 bits, and here microseconds. */
struct gprof_interval gprof_timer_start(uint32_t interval_us) {
	struct gprof_interval i = {1000000, interval_us > 0xFFFF ? 0xFFFF : interval_us};
	TIMER1_PRESCALER = 4;
	TIMER1_CC0 = i.period;
	TIMER1_SHORTS = 1; /* COMPARE0 clears the counter */
	TIMER1_INTENSET = 1u << 16;
	TIMER1_CLEAR = 1;
	core_enable_interrupt(TIMER1, 0);
	TIMER1_START = 1;
	return i;
}

void gprof_timer_stop(void) { TIMER1_STOP = 1; }
void gprof_timer_clear(void) { TIMER1_COMPARE0 = 0; }

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
	[TIMER1] = gprof_irq,
	[SWI0] = board_alarm,
};
