/*
 * cmsdk.c: the CMSDK UART as Arm DDI 0479D 4.3 describes it: one byte buffered each way, interrupts when a
 * buffer becomes empty or full, errors that stay until they are cleared.
 */
#include <string.h>

#include "machine.h"

enum { BASE = 0x40004000, TXF = 1, RXF = 2, TXO = 4, RXO = 8 };

static struct { uint32_t state, ctrl, pending, bauddiv; uint8_t tx, rx, shift; bool shifting; } uart;

uint32_t model_read(uint32_t address)
{
	switch (address - BASE) {
	case 0x00: uart.state &= ~(uint32_t)RXF; return uart.rx;
	case 0x04: return uart.state;
	case 0x08: return uart.ctrl;
	case 0x0C: return uart.pending;
	case 0x10: return uart.bauddiv;
	}
	machine_complain("read of %08x", address);
	return 0;
}

static void load(void)
{
	uart.shift = uart.tx;
	uart.shifting = true;
	uart.state &= ~(uint32_t)TXF;
	if (uart.ctrl & 4)
		uart.pending |= 1;
}

void model_write(uint32_t address, uint32_t value)
{
	switch (address - BASE) {
	case 0x00:
		if (!(uart.ctrl & 1) || uart.bauddiv < 16)
			machine_complain("a byte to a UART that is off");
		if (uart.state & TXF) {
			uart.state |= TXO;
			machine_complain("a byte over the byte that waits");
		}
		uart.tx = (uint8_t)value;
		uart.state |= TXF;
		if (!uart.shifting)
			load();
		return;
	case 0x04: uart.state &= ~(value & (TXO | RXO)); return;
	case 0x08: uart.ctrl = value; return;
	case 0x0C: uart.pending &= ~value; return;
	case 0x10: uart.bauddiv = value; return;
	}
	machine_complain("write of %08x", address);
}

void model_step(void)
{
	if (uart.shifting)
		machine_transmitted(uart.shift);
	uart.shifting = false;
	if (uart.state & TXF)
		load();
}

bool model_pending(unsigned line)
{
	return (line == 0 && (uart.pending & 2)) || (line == 1 && (uart.pending & 1));
}

void model_taken(unsigned line)
{
	(void)line;
}

void model_arrive(uint8_t byte, char error)
{
	(void)error;
	if (!(uart.ctrl & 2))
		return;
	if (uart.state & RXF) {
		uart.state |= RXO;
		return;
	}
	uart.rx = byte;
	uart.state |= RXF;
	if (uart.ctrl & 8)
		uart.pending |= 2;
}

void model_fault(const char *what, unsigned after)
{
	(void)after;
	if (strcmp(what, "boot") == 0) {
		uart.ctrl = 3;
		uart.state |= RXF | RXO;
	}
}
