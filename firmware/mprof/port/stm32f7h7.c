/*
 * stm32f7h7.c: a USART of an STM32F7 or H7, packets by DMA behind a data cache, commands by interrupt (RM0410,
 * RM0433). Settings: stm32_uart.h, and one of
 *   MPROF_STM32F7, MPROF_STM32H7 (H742 to H757: DMA1 and DMA2 behind DMAMUX1)
 *
 * The packet is cleaned out of the data cache before the DMA reads it, by the lines that it touches; cleaning loses
 * nothing of a neighbour, so memory needs no alignment. Where DMA1 and DMA2 have no way to the memory (ITCM; on H7 the
 * DTCM at 0x20000000, where many linker scripts put everything) the packet goes out by interrupt, one
 * each byte: give mprof_init memory in AXI SRAM (0x24000000) or SRAM1 to SRAM3 (0x30000000).
 * In the vector table USART2_IRQHandler and DMA1_Stream6_IRQHandler call mprof_port_irq(), irq.h
 */
#include "irq.h"
#include "stm32_uart.h"

/* USART (RM0410 34.8, RM0433 48.7) */
#define UART_CR1 (UART_BASE + 0x00)
#define UART_CR2 (UART_BASE + 0x04)
#define UART_CR3 (UART_BASE + 0x08)
#define UART_BRR (UART_BASE + 0x0C)
#define UART_STATUS (UART_BASE + 0x1C)
#define UART_ICR (UART_BASE + 0x20)
#define UART_RDR (UART_BASE + 0x24)
#define UART_TX (UART_BASE + 0x28)
#define UART_PRESC (UART_BASE + 0x2C)

/* The same bits in ISR and ICR */
#define UART_PE (1u << 0)
#define UART_FE (1u << 1)
#define UART_NE (1u << 2)
#define UART_ORE (1u << 3)
#define UART_ERRORS (UART_PE | UART_FE | UART_NE | UART_ORE)
#define UART_RXNE (1u << 5)
#define UART_CR1_UE (1u << 0)
#define UART_CR1_RE (1u << 2)
#define UART_CR1_TE (1u << 3)
#define UART_CR1_RXNEIE (1u << 5)

#if defined(MPROF_STM32H7)

/* RCC (RM0433 8.7), GPIOA (2.3), DMAMUX1 (17.6), DBGMCU (60.5) */
#define RCC_D1CFGR 0x58024418u
#define RCC_D2CFGR 0x5802441Cu
#define RCC_AHB1ENR 0x580244D8u
#define RCC_GPIOENR 0x580244E0u
#define RCC_APB1ENR 0x580244E8u
#define RCC_APB2ENR 0x580244F0u
#define RCC_DMA_BIT (MPROF_DMA - 1u)
#define GPIOA 0x58020000u
#define DMA_BASE (MPROF_DMA == 1 ? 0x40020000u : 0x40020400u)
#define DMAMUX_CCR (0x40020800u + 4u * (8u * (MPROF_DMA - 1u) + MPROF_DMA_STREAM))
#define DBGMCU_IDC 0x5C001000u

/* TRBUFF, without which a stream may lock up with a USART (ES0392, DMA stream locked when transferring
 * data to/from USART/UART); revision Y of the H742 to H753 has it not. */
MPROF_BARE static uint32_t dma_bufferable(void)
{
	uint32_t id = mprof_register(DBGMCU_IDC);

	return (id & 0xFFF) == 0x450 && id >> 16 < 0x2000 ? 0 : 1u << 20;
}
#define DMA_CR_EXTRA dma_bufferable()

#elif defined(MPROF_STM32F7)

/* RCC (RM0410 5.3), GPIOA (2.2) */
#define RCC_CFGR 0x40023808u
#define RCC_AHB1ENR 0x40023830u
#define RCC_GPIOENR RCC_AHB1ENR
#define RCC_APB1ENR 0x40023840u
#define RCC_APB2ENR 0x40023844u
#define RCC_DMA_BIT (20u + MPROF_DMA)
#define GPIOA 0x40020000u
#define DMA_BASE (MPROF_DMA == 1 ? 0x40026000u : 0x40026400u)
#define DMA_CR_EXTRA ((uint32_t)MPROF_DMA_CHANNEL << 25)

#else
#error "MPROF_STM32F7 or MPROF_STM32H7"
#endif

#include "stm32_dma.h"

#if MPROF_UART_DMA

/* Memory below the flash is ITCM. The DTCM is on the AHB slave port of the core, which DMA1 and DMA2 of the F7 reach
 * (RM0410 2.1) and those of the H7 do not (RM0433 2.1): there it has 128 KiB. */
MPROF_BARE static int uart_dma_reads(const uint8_t *bytes, size_t n)
{
	uint32_t first = mprof_address(bytes);

	(void)n;
#ifdef MPROF_STM32H7
	if (first - 0x20000000u < 0x20000u)
		return 0;
#endif
	return first >= 0x08000000u;
}

/* Cache maintenance (Armv7-M ARM B2.2.7): CCR.DC says whether the data cache is on; a write of an address to DCCMVAC
 * cleans its line of 32 bytes (Cortex-M7 TRM, L1 caches) to memory. */
#define SCB_CCR 0xE000ED14u
#define SCB_CCR_DC (1u << 16)
#define SCB_DCCMVAC 0xE000EF68u
#define CACHE_LINE 32u

MPROF_BARE static void uart_publish(const uint8_t *bytes, size_t n)
{
	uint32_t first = mprof_address(bytes), last = first + (uint32_t)n - 1;

	if ((mprof_register(SCB_CCR) & SCB_CCR_DC) == 0)
		return;
	mprof_barrier();
	for (uint32_t line = first & ~(CACHE_LINE - 1); line <= last; line += CACHE_LINE)
		mprof_set_register(SCB_DCCMVAC, line);
	mprof_barrier();
}

#endif

#include "stm32_send.h"

#ifndef MPROF_UART_HZ
#ifdef MPROF_STM32H7
/* HPRE of D1CFGR: 0xxx not, 1000 by 2, ... 1011 by 16, 1100 by 64, ... 1111 by 512. */
MPROF_BARE static uint32_t uart_hz(void)
{
	uint32_t hpre = mprof_register(RCC_D1CFGR) & 0xF, hz = MPROF_CPU_HZ;

	if (hpre >= 12)
		hz >>= hpre - 6;
	else if (hpre >= 8)
		hz >>= hpre - 7;
	return uart_prescaled(hz, mprof_register(RCC_D2CFGR) >> (UART_ON_APB2 ? 8 : 4) & 7);
}
#else
MPROF_BARE static uint32_t uart_hz(void)
{
	return uart_prescaled(MPROF_CPU_HZ, mprof_register(RCC_CFGR) >> (UART_ON_APB2 ? 13 : 10) & 7);
}
#endif
#else
MPROF_BARE static uint32_t uart_hz(void)
{
	return MPROF_UART_HZ;
}
#endif

MPROF_BARE void mprof_port_init(void)
{
	uint32_t cr1 = UART_CR1_UE | UART_CR1_RE | UART_CR1_TE | UART_CR1_RXNEIE, clock = UART_ON_APB2 ? RCC_APB2ENR : RCC_APB1ENR;

	mprof_set_bits(clock, 1u << UART_CLOCK_BIT);
	(void)mprof_register(clock); /* the write is there before the registers are used (RM0433 8.5) */
	uart_pins(GPIOA, RCC_GPIOENR);
	mprof_set_register(UART_CR1, 0);
	mprof_set_register(UART_CR2, 0);
	mprof_set_register(UART_CR3, 0);
#ifdef MPROF_STM32H7
	mprof_set_register(UART_PRESC, 0);
#endif
	mprof_set_register(UART_BRR, uart_divider(uart_hz(), MPROF_UART_BAUD, &cr1));
#if MPROF_UART_DMA
	mprof_set_bits(RCC_AHB1ENR, 1u << RCC_DMA_BIT);
	(void)mprof_register(RCC_AHB1ENR);
	dma_stop();
	dma_clear(DMA_FLAGS);
#ifdef MPROF_STM32H7
	mprof_set_register(DMAMUX_CCR, UART_REQUEST);
#endif
	mprof_enable_interrupt(DMA_LINE);
#endif
	/* What a boot loader left */
	mprof_set_register(UART_ICR, UART_ERRORS);
	(void)mprof_register(UART_RDR);
	mprof_enable_interrupt(UART_LINE);
	mprof_set_register(UART_CR1, cr1);
}

/* Reading RDR clears RXNE alone. Errors are cleared by ICR; as long as ORE stands, its interrupt comes again. A byte with
 * a framing error is none. */
MPROF_BARE static void serve_receiving(void)
{
	for (;;) {
		uint32_t status = mprof_register(UART_STATUS);

		if ((status & (UART_ERRORS | UART_RXNE)) == 0)
			return;
		if ((status & UART_ERRORS) != 0)
			mprof_set_register(UART_ICR, status & UART_ERRORS);
		if ((status & UART_RXNE) != 0) {
			uint8_t byte = (uint8_t)mprof_register(UART_RDR);

			if ((status & UART_FE) == 0)
				mprof_received(byte);
		}
	}
}
