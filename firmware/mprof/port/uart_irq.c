/*
 * uart_irq.c: any UART that can interrupt, a byte at a time. The application provides five functions, uart_irq.h, and calls
 * mprof_port_irq() from the UART's vector.
 * A UART whose transmit interrupt is missed now and then, or has none, sends from mprof_poll.
 *
 * MPROF_UART_POLLED    1: no interrupts: mprof_poll moves the bytes; call it more often than a byte takes
 */
#include "../src/mprof_port.h"
#include "uart_irq.h"

#ifndef MPROF_UART_POLLED
#define MPROF_UART_POLLED 0
#endif

#define uart_writable mprof_uart_writable
#define uart_write mprof_uart_write
#define uart_tx_interrupt mprof_uart_tx_interrupt
#include "bytes.h"

MPROF_BARE void mprof_port_init(void)
{
	mprof_uart_init();
}

MPROF_BARE void mprof_port_send(const uint8_t *bytes, size_t n)
{
	send_bytes(bytes, n);
}

MPROF_BARE void mprof_port_poll(void)
{
	poll_bytes();
}

MPROF_BARE void mprof_port_irq(void)
{
#if !MPROF_UART_POLLED
	int byte;

	while ((byte = mprof_uart_read()) >= 0)
		mprof_received((uint8_t)byte);
#endif
	serve_bytes();
}

MPROF_BARE int mprof_port_receive(void)
{
#if MPROF_UART_POLLED
	return mprof_uart_read();
#else
	return -1;
#endif
}

#ifdef MPROF_UART_HANDLER
void MPROF_UART_HANDLER(void);
MPROF_BARE void MPROF_UART_HANDLER(void)
{
	mprof_port_irq();
}
#endif
