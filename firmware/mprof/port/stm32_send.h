/*
 * stm32_send.h: sends packets through a USART and a DMA stream, or through the USART's interrupt where the DMA cannot
 * read the packet, or stumbled over it. The includer says UART_CR1, UART_CR3, UART_STATUS (TXE in bit 7), UART_TX (the
 * data register), and with DMA bool uart_dma_reads(const uint8_t *, size_t) and uart_publish(const uint8_t *, size_t).
 */
#ifndef MPROF_STM32_SEND_H
#define MPROF_STM32_SEND_H

#include "../src/mprof_port.h"
#include "stm32_uart.h"

#define UART_CR1_TXEIE (1u << 7)
#define UART_CR3_DMAT (1u << 7)
#define UART_TXE (1u << 7)

MPROF_BARE static bool uart_writable(void)
{
	return (mprof_register(UART_STATUS) & UART_TXE) != 0;
}

MPROF_BARE static void uart_write(uint8_t byte)
{
	mprof_set_register(UART_TX, byte);
}

MPROF_BARE static void uart_tx_interrupt(bool on)
{
	if (on)
		mprof_set_bits(UART_CR1, UART_CR1_TXEIE);
	else
		mprof_clear_bits(UART_CR1, UART_CR1_TXEIE);
}

#include "bytes.h"

#if MPROF_UART_DMA

static const uint8_t *volatile streaming; /* the packet that the stream reads, NULL: none */
static volatile uint32_t streamed;        /* its length */

MPROF_BARE static void send_by_dma(const uint8_t *bytes, uint32_t n)
{
	streaming = bytes;
	streamed = n;
	uart_publish(bytes, n);
	mprof_set_bits(UART_CR3, UART_CR3_DMAT);
	dma_start(mprof_address(bytes), n, UART_TX);
}

MPROF_BARE static void send_by_interrupt(const uint8_t *bytes, size_t n)
{
	mprof_clear_bits(UART_CR3, UART_CR3_DMAT);
	send_bytes(bytes, n);
}

/* A bus error (TEIF) has stopped the stream, and NDTR says what is left: the interrupt sends it. The FIFO's flag means nothing
 * in direct mode, and the direct mode's own error is one of the other direction (RM0090 10.3.18). */
MPROF_BARE static void serve_dma(void)
{
	uint32_t flags = dma_flags();
	const uint8_t *bytes = streaming;

	if (flags == 0)
		return;
	dma_clear(flags);
	if (bytes == NULL || (flags & (DMA_TEIF | DMA_TCIF)) == 0)
		return;
	streaming = NULL;
	if ((flags & DMA_TEIF) != 0) {
		uint32_t left;

		dma_stop();
		left = mprof_register(DMA_NDTR);
		dma_clear(DMA_FLAGS);
		if (left > streamed)
			left = streamed;
		send_by_interrupt(bytes + (streamed - left), left);
	} else {
		mprof_sent();
	}
}

#endif

MPROF_BARE void mprof_port_send(const uint8_t *bytes, size_t n)
{
#if MPROF_UART_DMA
	if (n > 0 && n <= DMA_MOST && uart_dma_reads(bytes, n))
		send_by_dma(bytes, (uint32_t)n);
	else
		send_by_interrupt(bytes, n);
#else
	send_bytes(bytes, n);
#endif
}

/* The interrupt receives. */
MPROF_BARE int mprof_port_receive(void)
{
	return -1;
}

MPROF_BARE void mprof_port_poll(void)
{
	poll_bytes();
}

MPROF_BARE static void serve_receiving(void);

MPROF_BARE void mprof_port_irq(void)
{
	serve_receiving();
#if MPROF_UART_DMA
	serve_dma();
#endif
	if ((mprof_register(UART_CR1) & UART_CR1_TXEIE) != 0)
		serve_bytes();
}

#ifdef MPROF_UART_HANDLER
void MPROF_UART_HANDLER(void);
MPROF_BARE void MPROF_UART_HANDLER(void)
{
	mprof_port_irq();
}
#endif

#if MPROF_UART_DMA && defined(MPROF_DMA_HANDLER)
void MPROF_DMA_HANDLER(void);
MPROF_BARE void MPROF_DMA_HANDLER(void)
{
	mprof_port_irq();
}
#endif

#endif
