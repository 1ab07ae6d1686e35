// chip.c: the interrupts of MPS2 with AN385 (DAI0385D, table 3-6), with that of TIMER1, which counts.
#include "core.h"
#include "gprof_port.h"
#include "irq.h"
#include "mprof_port.h"

#define TIMER0_CTRL (*(volatile uint32_t *)0x40000000u)
#define TIMER0_VALUE (*(volatile uint32_t *)0x40000004u)
#define TIMER0_RELOAD (*(volatile uint32_t *)0x40000008u)

NOTRACE uint32_t mprof_port_time(void) { return ~TIMER0_VALUE; }
NOTRACE uint32_t mprof_port_time_hz(void) { return BOARD_HZ; }

void board_init(void) {
	TIMER0_VALUE = TIMER0_RELOAD = 0xFFFFFFFF;
	TIMER0_CTRL = 1;
}

__attribute__((section(".isr_vector.chip"), used)) static void (*const vectors[32])(void) = {
	[0] = mprof_port_irq,
	[1] = mprof_port_irq,
	[9] = gprof_irq,
};
