/*
 * cmsdk.c: the UART of Arm's Cortex-M System Design Kit, as on the MPS2 boards and their models (Arm DDI 0479D 4.3;
 * application note AN385 for addresses, vectors and the 25 MHz).
 *
 * MPROF_UART_NUMBER    0 to 2; 0
 * MPROF_UART_BAUD      bits per second; 921600
 * MPROF_UART_HZ        clock of the peripheral bus; 25 MHz
 * MPROF_UART_BASE, MPROF_UART_RX_LINE, MPROF_UART_TX_LINE    where they are elsewhere
 * MPROF_UART_POLLED    1: no interrupts, mprof_poll moves the bytes: call it more often than a byte takes
 *
 * In the vector table UARTRX0_Handler and UARTTX0_Handler call mprof_port_irq(), irq.h. With MPROF_UART_HANDLER a
 * function of that name does, for both.
 */
#include "../src/mprof_port.h"
#include "irq.h"
#include "registers.h"

#ifndef MPROF_UART_NUMBER
#define MPROF_UART_NUMBER 0
#endif
#ifndef MPROF_UART_BAUD
#define MPROF_UART_BAUD 921600u
#endif
#ifndef MPROF_UART_HZ
#define MPROF_UART_HZ 25000000u
#endif
#ifndef MPROF_UART_BASE
#define MPROF_UART_BASE (0x40004000u + 0x1000u * MPROF_UART_NUMBER)
#endif
#ifndef MPROF_UART_RX_LINE
#define MPROF_UART_RX_LINE (2u * MPROF_UART_NUMBER)
#endif
#ifndef MPROF_UART_TX_LINE
#define MPROF_UART_TX_LINE (2u * MPROF_UART_NUMBER + 1u)
#endif
#ifndef MPROF_UART_POLLED
#define MPROF_UART_POLLED 0
#endif

/* DDI 0479D 4.3 */
#define UART_DATA (MPROF_UART_BASE + 0x00)
#define UART_STATE (MPROF_UART_BASE + 0x04)
#define UART_CTRL (MPROF_UART_BASE + 0x08)
#define UART_INT (MPROF_UART_BASE + 0x0C)
#define UART_BAUDDIV (MPROF_UART_BASE + 0x10)

#define STATE_TX_FULL (1u << 0)
#define STATE_RX_FULL (1u << 1)
#define STATE_TX_OVERRUN (1u << 2)
#define STATE_RX_OVERRUN (1u << 3)
#define CTRL_TX (1u << 0)
#define CTRL_RX (1u << 1)
#define CTRL_TX_INTERRUPT (1u << 2)
#define CTRL_RX_INTERRUPT (1u << 3)
#define INT_TX (1u << 0)
#define INT_RX (1u << 1)
#define INT_OVERRUNS (3u << 2)

static const uint8_t *volatile sending; /* the next byte; NULL: no packet */
static volatile size_t unsent;

/* The divider has 20 bits and is 16 at least. */
MPROF_BARE void mprof_port_init(void)
{
	uint32_t divider = (MPROF_UART_HZ + MPROF_UART_BAUD / 2) / MPROF_UART_BAUD;

	mprof_set_register(UART_CTRL, 0);
	mprof_set_register(UART_BAUDDIV, divider < 16 ? 16 : divider);
	mprof_set_register(UART_STATE, STATE_TX_OVERRUN | STATE_RX_OVERRUN);
	(void)mprof_register(UART_DATA);
	mprof_set_register(UART_INT, INT_TX | INT_RX | INT_OVERRUNS);
#if MPROF_UART_POLLED
	mprof_set_register(UART_CTRL, CTRL_TX | CTRL_RX);
#else
	mprof_enable_interrupt(MPROF_UART_RX_LINE);
	mprof_enable_interrupt(MPROF_UART_TX_LINE);
	mprof_set_register(UART_CTRL, CTRL_TX | CTRL_RX | CTRL_TX_INTERRUPT | CTRL_RX_INTERRUPT);
#endif
}

MPROF_BARE static void send_next_byte(void)
{
	const uint8_t *byte = sending;

	sending = byte + 1;
	unsent--;
	mprof_set_register(UART_DATA, *byte);
}

MPROF_BARE static void finish(void)
{
	sending = NULL;
	mprof_sent();
}

/* An overrun keeps the byte that was there; its flag stands until it is cleared. */
MPROF_BARE static int receive(void)
{
	uint32_t state = mprof_register(UART_STATE);

	if ((state & STATE_RX_OVERRUN) != 0) {
		mprof_set_register(UART_STATE, STATE_RX_OVERRUN);
		mprof_set_register(UART_INT, INT_OVERRUNS);
	}
	return (state & STATE_RX_FULL) != 0 ? (int)(mprof_register(UART_DATA) & 0xFF) : -1;
}

#if MPROF_UART_POLLED

MPROF_BARE void mprof_port_send(const uint8_t *bytes, size_t n)
{
	unsent = n;
	sending = bytes;
}

MPROF_BARE void mprof_port_poll(void)
{
	if (sending == NULL)
		return;
	while (unsent > 0 && (mprof_register(UART_STATE) & STATE_TX_FULL) == 0)
		send_next_byte();
	if (unsent == 0)
		finish();
}

MPROF_BARE int mprof_port_receive(void)
{
	return receive();
}

MPROF_BARE void mprof_port_irq(void)
{
}

#else

/* The interrupt comes when the data register becomes empty, not while it is: the first byte calls for the others. It
 * may be there before this returns, and then finds the byte counted. */
MPROF_BARE void mprof_port_send(const uint8_t *bytes, size_t n)
{
	unsent = n;
	sending = bytes;
	if (n == 0)
		finish();
	else
		send_next_byte();
}

MPROF_BARE void mprof_port_poll(void)
{
}

MPROF_BARE int mprof_port_receive(void)
{
	return -1;
}

/* Cleared before the work: what happens during it raises the interrupt again. */
MPROF_BARE void mprof_port_irq(void)
{
	uint32_t pending = mprof_register(UART_INT);
	int byte;

	mprof_set_register(UART_INT, pending & (INT_TX | INT_RX));
	while ((byte = receive()) >= 0)
		mprof_received((uint8_t)byte);
	if ((pending & INT_TX) == 0 || sending == NULL)
		return;
	if (unsent > 0)
		send_next_byte();
	else
		finish();
}

#endif

#ifdef MPROF_UART_HANDLER
void MPROF_UART_HANDLER(void);
MPROF_BARE void MPROF_UART_HANDLER(void)
{
	mprof_port_irq();
}
#endif
