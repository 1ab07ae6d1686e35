/*
 * netduinoplus2.c: the STM32F405 as QEMU has it: no DWT, no DMA, and no interrupt when USART1 can send. TIM2 measures, and
 * the USART is served by mprof's port for any UART (uart_irq.c). RM0090: RCC 7.3.13, 7.3.14, TIM2 18.4, USART 30.6,
 * vectors table 62.
 */
#include <stdbool.h>

#include "core.h"
#include "mprof_port.h"
#include "uart_irq.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

enum { PVD = 1, USART1 = 37 };

#define RCC_APB1ENR REGISTER(0x40023840u)
#define RCC_APB2ENR REGISTER(0x40023844u)
#define TIM2_CR1 REGISTER(0x40000000u)
#define TIM2_EGR REGISTER(0x40000014u)
#define TIM2_CNT REGISTER(0x40000024u)
#define TIM2_PSC REGISTER(0x40000028u)
#define TIM2_ARR REGISTER(0x4000002Cu)

enum { TIM2_HZ = 1000000000, DIVIDER = 10 }; /* QEMU's; a chip's has 84 MHz at most */

NOTRACE uint32_t mprof_port_time(void) { return TIM2_CNT; }
NOTRACE uint32_t mprof_port_time_hz(void) { return TIM2_HZ / DIVIDER; }

static NOTRACE void start_timer(void) {
	RCC_APB1ENR |= 1;
	TIM2_PSC = DIVIDER - 1;
	TIM2_ARR = 0xFFFFFFFF;
	TIM2_EGR = 1; /* takes the prescaler */
	TIM2_CR1 = 1;
}

void board_init(void) {
	start_timer();
	core_priorities();
	core_enable_interrupt(PVD, PRIORITY_ALARM);
}

void board_start_tick(uint32_t hz) { core_start_systick(BOARD_HZ / hz); }

void board_raise_alarm(void) { CORE_NVIC_ISPR0 = 1u << PVD; }

#define USART1_SR REGISTER(0x40011000u)
#define USART1_DR REGISTER(0x40011004u)
#define USART1_BRR REGISTER(0x40011008u)
#define USART1_CR1 REGISTER(0x4001100Cu)

enum { RXNE = 1 << 5, TXE = 1 << 7, ORE = 1 << 3, RE = 1 << 2, TE = 1 << 3, UE = 1 << 13 };

NOTRACE void mprof_uart_init(void) {
	RCC_APB2ENR |= 1 << 4;
	USART1_BRR = 84; /* 1 Mbit/s of 84 MHz */
	USART1_CR1 = UE | TE | RE | RXNE;
	mprof_enable_interrupt(USART1);
}

NOTRACE bool mprof_uart_writable(void) { return (USART1_SR & TXE) != 0; }
NOTRACE void mprof_uart_write(uint8_t byte) { USART1_DR = byte; }

NOTRACE void mprof_uart_tx_interrupt(bool on) { USART1_CR1 = UE | TE | RE | RXNE | (on ? TXE : 0); }

/* Reading SR and then DR clears errors. */
NOTRACE int mprof_uart_read(void) {
	uint32_t status = USART1_SR;
	if (!(status & (RXNE | ORE)))
		return -1;
	return (int)(USART1_DR & 0xFF);
}

__attribute__((section(".isr_vector.chip"), used)) static void (*const vectors[82])(void) = {
	[PVD] = board_alarm,
	[USART1] = mprof_port_irq,
	[50] = gprof_irq, /* TIM5 */
};
