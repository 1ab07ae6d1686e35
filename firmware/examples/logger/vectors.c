/*
 * vectors.c: interrupts 8 to 81 of an STM32F405 (RM0090, table 62). The first eight stand in demo/src/startup.c.
 */
#include "irq.h"

__attribute__((section(".isr_vector.chip"), used)) static void (*const vectors[82 - 8])(void) = {
	[17 - 8] = mprof_port_irq, /* DMA1 stream 6 */
	[38 - 8] = mprof_port_irq, /* USART2 */
};
