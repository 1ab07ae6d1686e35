/*
 * stm32_uart.h: which USART of an STM32F4, F7 or H7, and what belongs to it.
 *
 * RM0090 (F4): memory map 2.3, DMA requests 10.3.3, vectors 12.2, RCC 7.3. RM0410 (F7): 2.2, 8.3, 10.1, 5.3. RM0433 (H7):
 * 2.3, inputs of DMAMUX1 17.3 (table 121), 19.1, 8.7. Addresses, vectors and clock bits of the USARTs are the same in all
 * three.
 *
 * MPROF_UART_NUMBER    1 to 8; 2                            MPROF_UART_BAUD      bits per second; 921600
 * MPROF_CPU_HZ         clock of the core; SystemCoreClock. The USART's clock follows from it and the prescalers in RCC, or
 * MPROF_UART_HZ        clock of the USART, where it is not its bus's
 * MPROF_UART_DMA       1; with 0 bytes go out by interrupt, one each
 * MPROF_DMA            1 or 2, MPROF_DMA_STREAM 0 to 7, MPROF_DMA_CHANNEL (F4, F7): where another stream serves the USART
 * MPROF_UART_TX_PIN    0xA2 is PA2, 0xD5 PD5, 0x10E PG14; MPROF_UART_RX_PIN alike; without them pins are the application's
 * MPROF_UART_AF        alternate function of the pins; 7, for UART4 to UART8 8
 */
#ifndef MPROF_STM32_UART_H
#define MPROF_STM32_UART_H

#include "registers.h"

#ifndef MPROF_UART_NUMBER
#define MPROF_UART_NUMBER 2
#endif
#ifndef MPROF_UART_BAUD
#define MPROF_UART_BAUD 921600u
#endif
#ifndef MPROF_UART_DMA
#define MPROF_UART_DMA 1
#endif

/* UART_STREAM: controller, stream and channel of its TX; UART_REQUEST: its TX at DMAMUX1. */
#if MPROF_UART_NUMBER == 1
#define UART_BASE 0x40011000u
#define UART_LINE 37u
#define UART_CLOCK_BIT 4u
#define UART_STREAM(what) what(2, 7, 4)
#define UART_REQUEST 42u
#elif MPROF_UART_NUMBER == 2
#define UART_BASE 0x40004400u
#define UART_LINE 38u
#define UART_CLOCK_BIT 17u
#define UART_STREAM(what) what(1, 6, 4)
#define UART_REQUEST 44u
#elif MPROF_UART_NUMBER == 3
#define UART_BASE 0x40004800u
#define UART_LINE 39u
#define UART_CLOCK_BIT 18u
#define UART_STREAM(what) what(1, 3, 4)
#define UART_REQUEST 46u
#elif MPROF_UART_NUMBER == 4
#define UART_BASE 0x40004C00u
#define UART_LINE 52u
#define UART_CLOCK_BIT 19u
#define UART_STREAM(what) what(1, 4, 4)
#define UART_REQUEST 64u
#elif MPROF_UART_NUMBER == 5
#define UART_BASE 0x40005000u
#define UART_LINE 53u
#define UART_CLOCK_BIT 20u
#define UART_STREAM(what) what(1, 7, 4)
#define UART_REQUEST 66u
#elif MPROF_UART_NUMBER == 6
#define UART_BASE 0x40011400u
#define UART_LINE 71u
#define UART_CLOCK_BIT 5u
#define UART_STREAM(what) what(2, 6, 5)
#define UART_REQUEST 72u
#elif MPROF_UART_NUMBER == 7
#define UART_BASE 0x40007800u
#define UART_LINE 82u
#define UART_CLOCK_BIT 30u
#define UART_STREAM(what) what(1, 1, 5)
#define UART_REQUEST 80u
#elif MPROF_UART_NUMBER == 8
#define UART_BASE 0x40007C00u
#define UART_LINE 83u
#define UART_CLOCK_BIT 31u
#define UART_STREAM(what) what(1, 0, 5)
#define UART_REQUEST 82u
#else
#error "MPROF_UART_NUMBER is 1 to 8"
#endif

/* USART1 and USART6 are on APB2, the others on APB1. */
#define UART_ON_APB2 (MPROF_UART_NUMBER == 1 || MPROF_UART_NUMBER == 6)

#define UART_STREAM_DMA(dma, stream, channel) dma
#define UART_STREAM_NUMBER(dma, stream, channel) stream
#define UART_STREAM_CHANNEL(dma, stream, channel) channel
#ifndef MPROF_DMA
#define MPROF_DMA UART_STREAM(UART_STREAM_DMA)
#endif
#ifndef MPROF_DMA_STREAM
#define MPROF_DMA_STREAM UART_STREAM(UART_STREAM_NUMBER)
#endif
#ifndef MPROF_DMA_CHANNEL
#define MPROF_DMA_CHANNEL UART_STREAM(UART_STREAM_CHANNEL)
#endif

#ifndef MPROF_CPU_HZ
extern uint32_t SystemCoreClock; /* CMSIS-Core */
#define MPROF_CPU_HZ SystemCoreClock
#endif

/* How often hz is divided by a PPRE field of RCC: 0xx not, 100 by 2, 101 by 4, 110 by 8, 111 by 16. */
MPROF_BARE static inline uint32_t uart_prescaled(uint32_t hz, uint32_t field)
{
	return (field & 4) == 0 ? hz : hz >> ((field & 3) + 1);
}

#define UART_CR1_OVER8 (1u << 15)

/* BRR for a baud rate, and UART_CR1_OVER8 in *cr1 where 16 samples a bit are too many (RM0090 30.3.4, RM0410 34.5,
 * RM0433 48.5): hz / baud with 16; with 8 the low three of its bits stand below a zero. */
MPROF_BARE static inline uint32_t uart_divider(uint32_t hz, uint32_t baud, uint32_t *cr1)
{
	uint32_t d = (hz + baud / 2) / baud;

	if (d > 0xFFFF)
		d = 0xFFFF;
	if (d >= 16)
		return d;
	if (d < 8)
		d = 8;
	*cr1 |= UART_CR1_OVER8;
	return (d & ~7u) << 1 | (d & 7);
}

#if defined(MPROF_UART_TX_PIN) || defined(MPROF_UART_RX_PIN)

#ifndef MPROF_UART_AF
#define MPROF_UART_AF (MPROF_UART_NUMBER <= 3 ? 7u : 8u)
#endif

/* Gives a pin to the USART. GPIO (RM0090 8.4): MODER 0x00, OSPEEDR 0x08, PUPDR 0x0C, AFRL 0x20, AFRH 0x24;
 * pull-up, so that an open line is idle and no noise. gpio: address of GPIOA; clocks: of its enable bits. */
MPROF_BARE static inline void uart_pin(uint32_t gpio, uint32_t clocks, uint32_t pin)
{
	uint32_t port = (pin >> 4) - 0xA, n = pin & 0xF, base = gpio + 0x400 * port, alternate = base + 0x20 + 4 * (n / 8);

	mprof_set_bits(clocks, 1u << port);
	(void)mprof_register(clocks);
	mprof_set_register(alternate, (mprof_register(alternate) & ~(0xFu << 4 * (n % 8))) | MPROF_UART_AF << 4 * (n % 8));
	mprof_set_bits(base + 0x08, 2u << 2 * n);
	mprof_set_register(base + 0x0C, (mprof_register(base + 0x0C) & ~(3u << 2 * n)) | 1u << 2 * n);
	mprof_set_register(base, (mprof_register(base) & ~(3u << 2 * n)) | 2u << 2 * n);
}

#endif

MPROF_BARE static inline void uart_pins(uint32_t gpio, uint32_t clocks)
{
	(void)gpio;
	(void)clocks;
#ifdef MPROF_UART_TX_PIN
	uart_pin(gpio, clocks, MPROF_UART_TX_PIN);
#endif
#ifdef MPROF_UART_RX_PIN
	uart_pin(gpio, clocks, MPROF_UART_RX_PIN);
#endif
}

#endif
