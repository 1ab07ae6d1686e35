// cmsdk_timer.c: an APB timer of Arm's Cortex-M System Design Kit, as on the MPS2 boards and their models (Arm DDI 0479D 4.2;
// application note AN385 for addresses, vectors and the 25 MHz).
//
// GPROF_TIMER_NUMBER   0 or 1; 1
// GPROF_TIMER_HZ       its clock; 25 MHz
// GPROF_TIMER_BASE, GPROF_TIMER_LINE    where they are elsewhere
//
// In the vector table TIMER1_Handler is gprof_irq, gprof_port.h.
#include "timer.h"

#ifndef GPROF_TIMER_NUMBER
#define GPROF_TIMER_NUMBER 1
#endif
#ifndef GPROF_TIMER_HZ
#define GPROF_TIMER_HZ 25000000u
#endif
#ifndef GPROF_TIMER_BASE
#define GPROF_TIMER_BASE (0x40000000u + 0x1000u * GPROF_TIMER_NUMBER)
#endif
#ifndef GPROF_TIMER_LINE
#define GPROF_TIMER_LINE (8u + GPROF_TIMER_NUMBER)
#endif

// DDI 0479D 4.2.2; it counts down, and takes reload + 1 ticks from 0 to 0.
#define TIMER_CTRL (GPROF_TIMER_BASE + 0x00)
#define TIMER_VALUE (GPROF_TIMER_BASE + 0x04)
#define TIMER_RELOAD (GPROF_TIMER_BASE + 0x08)
#define TIMER_INTCLEAR (GPROF_TIMER_BASE + 0x0C)

#define CTRL_ENABLE (1u << 0)
#define CTRL_INTERRUPT (1u << 3)

static uint32_t period;

struct gprof_interval gprof_timer_start(uint32_t interval_us)
{
	struct gprof_interval i = {GPROF_TIMER_HZ, gprof_ticks(GPROF_TIMER_HZ, interval_us, GPROF_TIMER_MOST)};

	gprof_set_register(TIMER_CTRL, 0);
	period = i.period;
	gprof_set_register(TIMER_RELOAD, i.period - 1);
	gprof_set_register(TIMER_VALUE, i.period - 1);
	gprof_set_register(TIMER_INTCLEAR, 1);
	gprof_enable_interrupt(GPROF_TIMER_LINE);
	gprof_set_register(TIMER_CTRL, CTRL_ENABLE | CTRL_INTERRUPT);
	return i;
}

void gprof_timer_stop(void)
{
	gprof_set_register(TIMER_CTRL, 0);
	gprof_set_register(TIMER_INTCLEAR, 1);
}

// The reload is for the interval behind the one that runs.
void gprof_timer_clear(void)
{
	gprof_set_register(TIMER_INTCLEAR, 1);
	gprof_set_register(TIMER_RELOAD, gprof_jittered(period) - 1);
}
