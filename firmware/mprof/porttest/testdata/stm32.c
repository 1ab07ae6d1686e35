/*
 * stm32.c: a USART and a DMA stream of an STM32 F4, F7 or H7 behind RCC, as their manuals describe them: whatever the
 * manual forbids is a complaint or does nothing. Its addresses are its own, so that the port's are checked.
 *   MODEL_F4, MODEL_F7 or MODEL_H7; UART, DMA, STREAM, CHANNEL or REQUEST, LINE, DMALINE, CLOCK (register), CLOCKBIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

#ifdef MODEL_F4
enum { SR = 0x00, DR = 0x04, BRR = 0x08, CR1 = 0x0C, CR3 = 0x14, RDR = DR, TDR = DR, UE = 1 << 13, AHB1ENR = 0x40023830 };
#else
enum { SR = 0x1C, ICR = 0x20, RDR = 0x24, TDR = 0x28, BRR = 0x0C, CR1 = 0x00, CR3 = 0x08, UE = 1 << 0 };
#ifdef MODEL_F7
enum { AHB1ENR = 0x40023830 };
#else
enum { AHB1ENR = 0x580244D8 };
#endif
#endif
enum { FE = 1 << 1, NF = 1 << 2, ORE = 1 << 3, RXNE = 1 << 5, TC = 1 << 6, TXE = 1 << 7 };
enum { RE = 1 << 2, TE = 1 << 3, RXNEIE = 1 << 5, TXEIE = 1 << 7, DMAT = 1 << 7 };
enum { FEIF = 1 << 0, TEIF = 1 << 3, HTIF = 1 << 4, TCIF = 1 << 5, EN = 1 << 0, TEIE = 1 << 2, TCIE = 1 << 4 };

#ifdef MODEL_H7
enum { CHANNEL_BITS = 0 };
#else
enum { CHANNEL_BITS = CHANNEL << 25 };
#endif
#ifdef MODEL_H7
enum { DMABIT = DMA == 0x40020000 ? 0 : 1 };
#else
enum { DMABIT = DMA == 0x40026000 ? 21 : 22 };
#endif

static struct { uint32_t sr, cr1, cr2, cr3, brr, presc; uint8_t tdr, rdr, shift; bool shifting, read_sr; } uart = { .sr = TXE | TC };
static struct { uint32_t cr, ndtr, par, m0ar, fcr, flags, position; } dma = { .fcr = 0x21 };

/* All other registers keep what is written. */
static struct { uint32_t address, value; } plain[64];
static size_t plains;

static char fault[16];
static unsigned fault_after;

static uint32_t *elsewhere(uint32_t address)
{
	for (size_t i = 0; i < plains; i++)
		if (plain[i].address == address)
			return &plain[i].value;
	if (plains == sizeof plain / sizeof *plain)
		exit(3);
	plain[plains].address = address;
	return &plain[plains++].value;
}

static bool uart_clocked(void) { return *elsewhere(CLOCK) >> CLOCKBIT & 1; }
static bool dma_clocked(void) { return *elsewhere(AHB1ENR) >> DMABIT & 1; }
static unsigned flag_shift(void) { return (unsigned[]){ 0, 6, 16, 22 }[STREAM % 4]; }

static bool routed(void)
{
#ifdef MODEL_H7
	return *elsewhere(0x40020800 + 4 * ((DMA == 0x40020000 ? 0 : 8) + STREAM)) == REQUEST;
#else
	return (dma.cr >> 25 & 7) == CHANNEL;
#endif
}

static uint32_t uart_read(uint32_t offset)
{
	if (offset == SR) {
		uart.read_sr = true;
		return uart.sr;
	}
	if (offset == RDR) {
		uart.sr &= ~(uint32_t)RXNE;
#ifdef MODEL_F4
		if (uart.read_sr)
			uart.sr &= ~(uint32_t)(FE | NF | ORE);
#endif
		uart.read_sr = false;
		return uart.rdr;
	}
	switch (offset) {
	case CR1: return uart.cr1;
	case CR3: return uart.cr3;
	case BRR: return uart.brr;
	}
	return 0;
}

static void uart_data(uint8_t byte)
{
	if ((uart.cr1 & (UE | TE)) != (UE | TE))
		machine_complain("a byte to a USART that is off");
	if (!(uart.sr & TXE))
		machine_complain("a byte over the byte that waits");
	uart.tdr = byte;
	uart.sr &= ~(uint32_t)(TXE | TC);
}

static void uart_write(uint32_t offset, uint32_t value)
{
	if (offset == TDR) {
		uart_data((uint8_t)value);
		return;
	}
#ifndef MODEL_F4
	if (offset == ICR) {
		uart.sr &= ~(value & (FE | NF | ORE));
		return;
	}
#endif
	if (offset == BRR && (uart.cr1 & UE))
		machine_complain("BRR while UE is set");
	switch (offset) {
	case CR1: uart.cr1 = value; break;
	case CR3: uart.cr3 = value; break;
	case BRR: uart.brr = value; break;
	}
}

static uint32_t dma_read(uint32_t offset)
{
	if (offset == (STREAM < 4 ? 0 : 4))
		return dma.flags << flag_shift();
	switch (offset - 0x10 - 0x18 * STREAM) {
	case 0x00: return dma.cr;
	case 0x04: return dma.ndtr;
	}
	return 0;
}

static void dma_enable(uint32_t value)
{
	dma.cr = value;
	dma.position = 0;
	if (dma.flags != 0) {
		machine_complain("a stream that starts with flags %02x", dma.flags);
		dma.cr &= ~(uint32_t)EN;
	}
	if ((value & 0xF << 11) || (value >> 6 & 3) != 1 || !(value & 1 << 10) || (value & 3 << 8) || dma.fcr)
		machine_complain("CR %08x, FCR %08x", value, dma.fcr);
#ifdef MODEL_H7
	if (!!(value & 1 << 20) == ((*elsewhere(0x5C001000) & 0xFFF) == 0x450 && *elsewhere(0x5C001000) >> 16 < 0x2000))
		machine_complain("TRBUFF of CR %08x", value);
#endif
	if (dma.par != UART + TDR)
		machine_complain("PAR %08x", dma.par);
}

static void dma_write(uint32_t offset, uint32_t value)
{
	if (offset == (STREAM < 4 ? 8 : 12)) {
		dma.flags &= ~(value >> flag_shift() & 0x3D);
		if (value & ~(0x3Du << flag_shift()))
			machine_complain("flags of another stream: %08x", value);
		return;
	}
	if (offset == 0x10 + 0x18 * STREAM) {
		if (!(dma.cr & EN) && (value & EN))
			dma_enable(value);
		else if (!(strcmp(fault, "stuck") == 0 && (dma.cr & EN))) {
			if ((dma.cr & EN) && !(value & EN))
				dma.flags |= TCIF; /* RM0090 10.3.17: so says a stream that was stopped */
			dma.cr = value;
		}
		return;
	}
	if (dma.cr & EN) {
		machine_complain("register %02x of a stream that runs", offset);
		return;
	}
	switch (offset - 0x10 - 0x18 * STREAM) {
	case 0x04: dma.ndtr = value; break;
	case 0x08: dma.par = value; break;
	case 0x0C: dma.m0ar = value; break;
	case 0x14: dma.fcr = value; break;
	}
}

uint32_t model_read(uint32_t address)
{
	if (address - UART < 0x30)
		return uart_clocked() ? uart_read(address - UART) : 0;
	if (address - DMA < 0xD0)
		return dma_clocked() ? dma_read(address - DMA) : 0;
	return *elsewhere(address);
}

void model_write(uint32_t address, uint32_t value)
{
	if (address - UART < 0x30) {
		if (uart_clocked())
			uart_write(address - UART, value);
	} else if (address - DMA < 0xD0) {
		if (dma_clocked())
			dma_write(address - DMA, value);
	} else if (address == 0xE000EF68) {
		machine_clean(value);
	} else {
		*elsewhere(address) = value;
	}
}

/* Memory that the DMA has no way to gives an error on its bus. */
static bool reachable(uint32_t address)
{
#ifdef MODEL_F4
	return address - 0x10000000 >= 0x10000;
#elif defined(MODEL_H7)
	return address - 0x20000000 >= 0x20000;
#else
	(void)address;
	return true;
#endif
}

static void dma_step(void)
{
	uint32_t address = dma.m0ar + dma.position;

	if (!(dma.cr & EN) || !(uart.cr3 & DMAT) || !(uart.sr & TXE) || !routed())
		return;
	if (*fault && dma.position == fault_after) {
		if (strcmp(fault, "te") == 0) {
			dma.flags |= TEIF;
			dma.cr &= ~(uint32_t)EN;
		} else if (strcmp(fault, "fe") == 0) {
			dma.flags |= FEIF;
		}
		if (strcmp(fault, "stuck") != 0)
			*fault = 0;
		if (!(dma.cr & EN))
			return;
	}
	if (!reachable(address)) {
		dma.flags |= TEIF;
		dma.cr &= ~(uint32_t)EN;
		return;
	}
	uart_data(machine_bus_byte(address));
	if (++dma.position == dma.ndtr)
		dma.flags |= HTIF; /* whether its interrupt is on or not */
	if (--dma.ndtr == 0) {
		dma.cr &= ~(uint32_t)EN;
		dma.flags |= TCIF;
	}
}

void model_step(void)
{
	if (uart.shifting)
		machine_transmitted(uart.shift);
	uart.shifting = false;
	dma_step();
	if (!(uart.sr & TXE)) {
		uart.shift = uart.tdr;
		uart.shifting = true;
		uart.sr |= TXE;
	} else {
		uart.sr |= TC;
	}
}

bool model_pending(unsigned line)
{
	bool dma_wants = ((dma.cr & TCIE) && (dma.flags & TCIF)) || ((dma.cr & TEIE) && (dma.flags & TEIF));

	return (line == LINE && (((uart.cr1 & TXEIE) && (uart.sr & TXE)) || ((uart.cr1 & RXNEIE) && (uart.sr & (RXNE | ORE))))) ||
	       (line == DMALINE && dma_wants);
}

void model_taken(unsigned line)
{
	(void)line;
}

void model_arrive(uint8_t byte, char error)
{
	if (!uart_clocked() || (uart.cr1 & (UE | RE)) != (UE | RE))
		return;
	uart.read_sr = false;
	if (uart.sr & RXNE) {
		uart.sr |= ORE;
		return;
	}
	uart.rdr = byte;
	uart.sr |= RXNE | (error == 'f' ? FE : 0) | (error == 'n' ? NF : 0);
}

void model_fault(const char *what, unsigned after)
{
	snprintf(fault, sizeof fault, "%s", what);
	fault_after = after;
	if (strcmp(what, "ore") == 0 || strcmp(what, "boot") == 0) {
		*elsewhere(CLOCK) |= 1u << CLOCKBIT;
		uart.sr |= ORE | (strcmp(what, "boot") == 0 ? RXNE : 0);
		*fault = 0;
	}
	if (strcmp(what, "running") == 0) {
		*elsewhere(AHB1ENR) |= 1u << DMABIT;
		dma.cr = EN | TCIE | TEIE | CHANNEL_BITS | 1 << 6;
		dma.ndtr = 100;
		dma.m0ar = 0x24000000;
		*fault = 0;
	}
	if (strcmp(what, "left") == 0) {
		dma.flags |= FEIF | HTIF;
		*fault = 0;
	}
}
