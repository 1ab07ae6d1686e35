/*
 * stm32_dma.h: one stream of an STM32F4, F7 or H7 DMA controller, from memory to a USART (RM0090 10.5, RM0410
 * 8.5, RM0433 15.5: the registers are the same). The includer says DMA_BASE, MPROF_DMA_STREAM and DMA_CR_EXTRA.
 */
#ifndef MPROF_STM32_DMA_H
#define MPROF_STM32_DMA_H

#include "registers.h"

/* Flags of four streams share a register: LISR 0x00, HISR 0x04, cleared by LIFCR 0x08, HIFCR 0x0C. */
#define DMA_ISR (DMA_BASE + (MPROF_DMA_STREAM >= 4 ? 4u : 0u))
#define DMA_IFCR (DMA_ISR + 8)
#define DMA_SHIFT (6u * (MPROF_DMA_STREAM & 1) + 16u * (MPROF_DMA_STREAM >> 1 & 1))

#define DMA_CR (DMA_BASE + 0x10u + 0x18u * MPROF_DMA_STREAM)
#define DMA_NDTR (DMA_CR + 0x04)
#define DMA_PAR (DMA_CR + 0x08)
#define DMA_M0AR (DMA_CR + 0x0C)
#define DMA_FCR (DMA_CR + 0x14)

#define DMA_FEIF (1u << 0)
#define DMA_DMEIF (1u << 2)
#define DMA_TEIF (1u << 3)
#define DMA_HTIF (1u << 4)
#define DMA_TCIF (1u << 5)
#define DMA_FLAGS (DMA_FEIF | DMA_DMEIF | DMA_TEIF | DMA_HTIF | DMA_TCIF)

#define DMA_EN (1u << 0)
#define DMA_TEIE (1u << 2)
#define DMA_TCIE (1u << 4)
#define DMA_TO_PERIPHERAL (1u << 6)
#define DMA_MINC (1u << 10)

/* Vectors of the streams (RM0090 12.2): 11 to 17 and 47; 56 to 60 and 68 to 70. */
#define DMA_LINE (MPROF_DMA == 1 ? (MPROF_DMA_STREAM < 7 ? 11u + MPROF_DMA_STREAM : 47u) : \
	(MPROF_DMA_STREAM < 5 ? 56u + MPROF_DMA_STREAM : 63u + MPROF_DMA_STREAM))

/* NDTR has 16 bits. */
#define DMA_MOST 0xFFFFu

MPROF_BARE static inline uint32_t dma_flags(void)
{
	return mprof_register(DMA_ISR) >> DMA_SHIFT & DMA_FLAGS;
}

MPROF_BARE static inline void dma_clear(uint32_t flags)
{
	mprof_set_register(DMA_IFCR, flags << DMA_SHIFT);
}

/* EN reads 1 until the transfer on the bus is over (RM0090 10.3.17 step 1): a few cycles. A stream that never
 * stops is left alone after 1000 looks. */
MPROF_BARE static inline void dma_stop(void)
{
	mprof_clear_bits(DMA_CR, DMA_EN);
	for (int i = 0; i < 1000 && (mprof_register(DMA_CR) & DMA_EN) != 0; i++)
		;
}

/* Bytes in single transfers, FIFO bypassed (FCR 0), each when the USART asks. A flag that is still set would keep
 * the stream from starting (RM0090 10.3.17). */
MPROF_BARE static inline void dma_start(uint32_t memory, uint32_t n, uint32_t peripheral)
{
	dma_stop();
	dma_clear(DMA_FLAGS);
	mprof_set_register(DMA_PAR, peripheral);
	mprof_set_register(DMA_M0AR, memory);
	mprof_set_register(DMA_NDTR, n);
	mprof_set_register(DMA_FCR, 0);
	mprof_barrier();
	mprof_set_register(DMA_CR, DMA_CR_EXTRA | DMA_MINC | DMA_TO_PERIPHERAL | DMA_TCIE | DMA_TEIE | DMA_EN);
}

#endif
