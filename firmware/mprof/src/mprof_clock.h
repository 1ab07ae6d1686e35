/*
 * mprof_clock.h: the 32-bit timer that the hooks read.
 */
#ifndef MPROF_CLOCK_H
#define MPROF_CLOCK_H

#include "mprof_state.h"

#ifdef MPROF_TIME_PORT

MPROF_INLINE uint32_t mprof_time(void) { return mprof_port_time(); }
#define mprof_time_masked mprof_time

#else

#define MPROF_SYST_CSR (*(volatile uint32_t *)0xE000E010) /* DDI 0403E, B3.3.2; DDI 0419E, B3.3.2 */
#define MPROF_SYST_RVR (*(volatile uint32_t *)0xE000E014)
#define MPROF_SYST_CVR (*(volatile uint32_t *)0xE000E018)
#define MPROF_CSR_ENABLE (1u << 0)
#define MPROF_CSR_CLKSOURCE (1u << 2)
#define MPROF_CSR_COUNTFLAG (1u << 16)

/*
 * SysTick counts down from period - 1 and shows 0 for one cycle, in which COUNTFLAG is set; reading it clears it. Each wrap is
 * counted by whoever sees the flag first. Interrupts are masked.
 */
MPROF_INLINE uint32_t mprof_systick_time(void)
{
	uint32_t left = MPROF_SYST_CVR;
	if (MPROF_RARELY(MPROF_SYST_CSR & MPROF_CSR_COUNTFLAG)) {
		mprof_cold.wrapped += mprof_cold.period;
		left = MPROF_SYST_CVR;
		if (left == 0)
			left = mprof_cold.period;
	}
	return mprof_cold.wrapped + mprof_cold.period - left;
}

#ifdef MPROF_HOOKS_MASK

MPROF_INLINE uint32_t mprof_time_masked(void) { return mprof_systick_time(); }
uint32_t mprof_time(void);

#else

uint32_t mprof_time_systick(void);

MPROF_INLINE uint32_t mprof_time(void)
{
	volatile const uint32_t *cycles = mprof_hot.cycles;
	return cycles ? *cycles : mprof_time_systick();
}
#define mprof_time_masked mprof_time

#endif
#endif
#endif
