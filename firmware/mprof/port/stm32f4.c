/*
 * stm32f4.c: a USART of an STM32F4, packets by DMA, commands by interrupt (RM0090; also F2 and F401 to F446, whose
 * USARTs and streams are the same). Settings: stm32_uart.h.
 *
 * One interrupt per packet and one per byte of a command. In the vector table:
 *   USART2_IRQHandler and DMA1_Stream6_IRQHandler call mprof_port_irq(), irq.h
 */
#include "irq.h"
#include "stm32_uart.h"

/* USART (RM0090 30.6) */
#define UART_STATUS (UART_BASE + 0x00)
#define UART_DR (UART_BASE + 0x04)
#define UART_BRR (UART_BASE + 0x08)
#define UART_CR1 (UART_BASE + 0x0C)
#define UART_CR2 (UART_BASE + 0x10)
#define UART_CR3 (UART_BASE + 0x14)
#define UART_TX UART_DR

#define UART_SR_FE (1u << 1)
#define UART_SR_NF (1u << 2)
#define UART_SR_ORE (1u << 3)
#define UART_SR_RXNE (1u << 5)
#define UART_CR1_RE (1u << 2)
#define UART_CR1_TE (1u << 3)
#define UART_CR1_RXNEIE (1u << 5)
#define UART_CR1_UE (1u << 13)

/* RCC (RM0090 7.3), GPIOA (2.3) */
#define RCC_CFGR 0x40023808u
#define RCC_AHB1ENR 0x40023830u
#define RCC_APB1ENR 0x40023840u
#define RCC_APB2ENR 0x40023844u
#define GPIOA 0x40020000u

#define DMA_BASE (MPROF_DMA == 1 ? 0x40026000u : 0x40026400u)
#define DMA_CR_EXTRA ((uint32_t)MPROF_DMA_CHANNEL << 25)
#include "stm32_dma.h"

#if MPROF_UART_DMA
/* The core-coupled memory, 64 KiB at most, is on no bus but the core's (RM0090 2.3.1). */
MPROF_BARE static int uart_dma_reads(const uint8_t *bytes, size_t n)
{
	(void)n;
	return mprof_address(bytes) - 0x10000000u >= 0x10000u;
}

/* There is no cache before the SRAM. */
MPROF_BARE static void uart_publish(const uint8_t *bytes, size_t n)
{
	(void)bytes;
	(void)n;
}
#endif

#include "stm32_send.h"

MPROF_BARE static uint32_t uart_hz(void)
{
#ifdef MPROF_UART_HZ
	return MPROF_UART_HZ;
#else
	return uart_prescaled(MPROF_CPU_HZ, mprof_register(RCC_CFGR) >> (UART_ON_APB2 ? 13 : 10) & 7);
#endif
}

MPROF_BARE void mprof_port_init(void)
{
	uint32_t cr1 = UART_CR1_UE | UART_CR1_RE | UART_CR1_TE | UART_CR1_RXNEIE, clock = UART_ON_APB2 ? RCC_APB2ENR : RCC_APB1ENR;

	mprof_set_bits(clock, 1u << UART_CLOCK_BIT);
	(void)mprof_register(clock); /* two cycles until the clock runs (ES0182, delay after an RCC peripheral clock enabling) */
	uart_pins(GPIOA, RCC_AHB1ENR);
	mprof_set_register(UART_CR1, 0);
	mprof_set_register(UART_CR2, 0);
	mprof_set_register(UART_CR3, 0);
	mprof_set_register(UART_BRR, uart_divider(uart_hz(), MPROF_UART_BAUD, &cr1));
#if MPROF_UART_DMA
	mprof_set_bits(RCC_AHB1ENR, MPROF_DMA == 1 ? 1u << 21 : 1u << 22);
	(void)mprof_register(RCC_AHB1ENR);
	dma_stop();
	dma_clear(DMA_FLAGS);
	mprof_enable_interrupt(DMA_LINE);
#endif
	/* What a boot loader left: SR, then DR (RM0090 30.6.1). */
	(void)mprof_register(UART_STATUS);
	(void)mprof_register(UART_DR);
	mprof_enable_interrupt(UART_LINE);
	mprof_set_register(UART_CR1, cr1);
}

/* Reading SR and then DR clears RXNE and every error. An overrun keeps the byte in DR and loses the one behind it; its
 * interrupt comes again for as long as ORE stands, RXNE or not. A byte with a framing error is none. */
MPROF_BARE static void serve_receiving(void)
{
	for (;;) {
		uint32_t status = mprof_register(UART_STATUS);
		uint8_t byte;

		if ((status & (UART_SR_RXNE | UART_SR_ORE | UART_SR_FE | UART_SR_NF)) == 0)
			return;
		byte = (uint8_t)mprof_register(UART_DR);
		if ((status & UART_SR_RXNE) != 0 && (status & UART_SR_FE) == 0)
			mprof_received(byte);
	}
}
