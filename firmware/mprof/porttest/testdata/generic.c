/*
 * generic.c: a UART behind the five functions of uart_irq.h. DEPTH bytes fit into it; its transmit interrupt is a level
 * (there is room), or with EDGE an event (a byte has left and the FIFO is at half or below), which is kept while it is off; with
 * FORGETFUL an event that is lost while the interrupt is off, and every second time.
 */
#include <string.h>

#include "machine.h"
#include "uart_irq.h"

enum { NUMBER = 7 };

static uint8_t fifo[DEPTH], received[2];
static unsigned held, waiting;
static bool ready, on, event, overrun;
#ifdef FORGETFUL
static bool heard;
#endif

void mprof_uart_init(void)
{
	mprof_enable_interrupt(NUMBER);
	ready = true;
}

bool mprof_uart_writable(void)
{
	machine_touched();
	return held < DEPTH;
}

void mprof_uart_write(uint8_t byte)
{
	machine_touched();
	if (held == DEPTH)
		machine_complain("a byte over a full FIFO");
	else
		fifo[held++] = byte;
}

void mprof_uart_tx_interrupt(bool wanted)
{
	machine_touched();
	on = wanted;
}

int mprof_uart_read(void)
{
	uint8_t byte = received[0];

	overrun = false;
	if (waiting == 0)
		return -1;
	received[0] = received[1];
	waiting--;
	return byte;
}

void model_step(void)
{
	if (held == 0)
		return;
	machine_transmitted(fifo[0]);
	memmove(fifo, fifo + 1, --held);
#ifdef EDGE
	if (held == DEPTH / 2)
		event = true;
#endif
#ifdef FORGETFUL
	if (held == DEPTH / 2)
		event = on && (heard = !heard);
#endif
}

bool model_pending(unsigned line)
{
#if defined(EDGE) || defined(FORGETFUL)
	bool transmit = on && event;
#else
	bool transmit = on && held < DEPTH;
#endif
	return line == NUMBER && (transmit || waiting > 0 || overrun);
}

void model_taken(unsigned line)
{
	(void)line;
	event = false;
}

void model_arrive(uint8_t byte, char error)
{
	(void)error;
	if (!ready)
		return;
	if (waiting == sizeof received)
		overrun = true;
	else
		received[waiting++] = byte;
}

void model_fault(const char *what, unsigned after)
{
	(void)what;
	(void)after;
}

uint32_t model_read(uint32_t address)
{
	machine_complain("read of %08x", address);
	return 0;
}

void model_write(uint32_t address, uint32_t value)
{
	machine_complain("write of %08x", address + value);
}
