/*
 * uart_irq.h: what an application provides to uart_irq.c, for a UART that mprof has no port for. Examples of a few
 * chips: docs/firmware-ports.md.
 *
 * With MPROF_UART_HEADER='"my_uart.h"' that file has them, as static functions or as macros, instead of these.
 */
#ifndef MPROF_UART_IRQ_H
#define MPROF_UART_IRQ_H

#include <stdbool.h>
#include <stdint.h>

#include "irq.h"
#include "registers.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef MPROF_UART_HEADER
#include MPROF_UART_HEADER
#else

/* Baud rate, pins, clocks, receive interrupt on, transmit interrupt off, interrupt in the NVIC with its priority. */
MPROF_BARE void mprof_uart_init(void);

/* Whether a byte can be written now, and to write it. */
MPROF_BARE bool mprof_uart_writable(void);
MPROF_BARE void mprof_uart_write(uint8_t byte);

/* The interrupt "a byte can be written", on or off. A UART may raise it as long as that is so, or each time it becomes so;
 * the latter kind keeps what happened while it was off, or waits for the next mprof_poll. */
MPROF_BARE void mprof_uart_tx_interrupt(bool on);

/* The next byte received, -1 where there is none. Clears errors, overrun above all. */
MPROF_BARE int mprof_uart_read(void);

#endif

#ifdef __cplusplus
}
#endif
#endif
