/*
 * mps2.c: ARM's MPS2 with AN385 (Cortex-M3) or AN386 (Cortex-M4). QEMU's has no DWT: TIMER0 measures, or SysTick, which
 * ticks for the application as well. Cortex-M System Design Kit TRM (DDI 0479D), 4.3; DAI0385D, tables 3-2 and 3-6.
 */
#include "core.h"
#include "irq.h"
#include "mprof_port.h"

#define TIMER0_CTRL (*(volatile uint32_t *)0x40000000u)
#define TIMER0_VALUE (*(volatile uint32_t *)0x40000004u)
#define TIMER0_RELOAD (*(volatile uint32_t *)0x40000008u)

enum { SPARE = 31 }; /* an interrupt that nothing uses here */

#ifdef MPROF_TIME_PORT
/* It counts down. */
NOTRACE uint32_t mprof_port_time(void) { return ~TIMER0_VALUE; }
NOTRACE uint32_t mprof_port_time_hz(void) { return BOARD_HZ; }

static NOTRACE void start_timer(void) {
	TIMER0_VALUE = TIMER0_RELOAD = 0xFFFFFFFF;
	TIMER0_CTRL = 1;
}
#else
static NOTRACE void start_timer(void) {}
#endif

void board_init(void) {
	start_timer();
	core_priorities();
	core_enable_interrupt(SPARE, PRIORITY_ALARM);
}

void board_start_tick(uint32_t hz) { core_start_systick(BOARD_HZ / hz); }

void board_raise_alarm(void) { CORE_NVIC_ISPR0 = 1u << SPARE; }

__attribute__((section(".isr_vector.chip"), used)) static void (*const vectors[32])(void) = {
	[0] = mprof_port_irq, /* UART0, received */
	[1] = mprof_port_irq, /* UART0, sent */
	[9] = gprof_irq,      /* TIMER1 */
	[SPARE] = board_alarm,
};
