/*
 * stm32f405.c: STM32F405 as it comes out of reset, on the internal oscillator: the simulated board. CYCCNT measures, USART2
 * sends by DMA. RM0090: vectors table 62.
 */
#include "core.h"
#include "irq.h"

enum { PVD = 1 }; /* an interrupt that nothing uses here */

void board_init(void) {
	core_priorities();
	core_enable_interrupt(PVD, PRIORITY_ALARM);
}

void board_start_tick(uint32_t hz) { core_start_systick(BOARD_HZ / hz); }

void board_raise_alarm(void) { CORE_NVIC_ISPR0 = 1u << PVD; }

__attribute__((section(".isr_vector.chip"), used)) static void (*const vectors[82])(void) = {
	[PVD] = board_alarm,
	[17] = mprof_port_irq, /* DMA1 stream 6 */
	[38] = mprof_port_irq, /* USART2 */
	[50] = gprof_irq,      /* TIM5 */
};
