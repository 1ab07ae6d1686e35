/*
 * mprof_port.h: between the module and a port. A port is a UART and, where the core has no cycle counter, a timer. Ports are
 * compiled without -finstrument-functions: mprof_port_time runs within the hooks.
 */
#ifndef MPROF_PORT_H
#define MPROF_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a port provides. */

/* Starts the UART (baud rate, pins and clocks are the port's own settings). Called once, from mprof_init. */
void mprof_port_init(void);

/* Begins to send n bytes, which stay as they are until the port calls mprof_sent. Never called while a transfer is under
 * way. From mprof_poll or mprof_sent. */
void mprof_port_send(const uint8_t *bytes, size_t n);

/* The next byte from the host, -1 where there is none; for ports that do not call mprof_received. Called from mprof_poll. */
int mprof_port_receive(void);

/* Keeps a polled port going: called from every mprof_poll. Ports with interrupts or DMA do nothing. */
void mprof_port_poll(void);

/* With MPROF_TIME_PORT: a free-running timer that counts up and wraps at 2^32, and its frequency. Called by the hooks. */
uint32_t mprof_port_time(void);
uint32_t mprof_port_time_hz(void);

/* What the module provides to ports. */

/* The transfer is complete; may begin the next one. Safe in any context. */
void mprof_sent(void);

/* A byte came from the host. Safe in one interrupt. */
void mprof_received(uint8_t byte);

#ifdef __cplusplus
}
#endif
#endif
