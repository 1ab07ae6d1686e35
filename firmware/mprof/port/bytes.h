/*
 * bytes.h: sends a packet a byte at a time, from the interrupt "a byte can be written" and from mprof_poll. The includer
 * has bool uart_writable(void), void uart_write(uint8_t) and void uart_tx_interrupt(bool on).
 */
#ifndef MPROF_BYTES_H
#define MPROF_BYTES_H

#include "../src/mprof_port.h"
#include "registers.h"

static const uint8_t *volatile sending; /* the next byte */
static volatile size_t unsent;
static volatile bool active; /* a packet is under way */
static volatile bool moving; /* serve_bytes runs: whoever interrupts it leaves it the bytes */

MPROF_BARE static void write_what_fits(void)
{
	while (unsent > 0 && uart_writable()) {
		const uint8_t *byte = sending;

		sending = byte + 1;
		unsent--;
		uart_write(*byte);
	}
}

/* The packet is over when its last byte is with the UART: no interrupt is needed that a UART with a FIFO might not
 * raise. */
MPROF_BARE static void move_bytes(void)
{
	bool over;

	moving = true;
	write_what_fits();
	over = active && unsent == 0;
	if (over) {
		active = false;
		uart_tx_interrupt(false);
	}
	moving = false;
	if (over)
		mprof_sent();
}

/* Written before the interrupt is on: a UART that interrupts when it becomes empty has something to become empty of. */
MPROF_BARE static void send_bytes(const uint8_t *bytes, size_t n)
{
	sending = bytes;
	unsent = n;
	write_what_fits();
	active = true;
	uart_tx_interrupt(true);
}

/* From mprof_port_poll. An interrupt that was missed delays a packet until here, no longer. */
MPROF_BARE static void poll_bytes(void)
{
	if (!active || moving)
		return;
	move_bytes();
	if (active)
		uart_tx_interrupt(true);
}

/* From the interrupt, which must not come again and again where the bytes are another's to move. */
MPROF_BARE static void serve_bytes(void)
{
	if (!active || moving)
		uart_tx_interrupt(false);
	else
		move_bytes();
}

#endif
