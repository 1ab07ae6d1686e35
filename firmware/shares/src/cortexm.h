// What the program needs of a Cortex-M: a loop of two instructions, and SysTick.
#ifndef CORTEXM_H
#define CORTEXM_H

#include <stdint.h>

#define LOOP "1:\tsubs %0, #1\n\tbne 1b"
#define LOOP_COUNTER(n) "+l"(n)

#define SYST_CSR (*(volatile uint32_t *)0xe000e010u)
#define SYST_RVR (*(volatile uint32_t *)0xe000e014u)
#define SYST_CVR (*(volatile uint32_t *)0xe000e018u)

static inline void start_ticks(void) {
	SYST_RVR = TICK_CYCLES - 1;
	SYST_CVR = 0;
	SYST_CSR = 7; // core clock, interrupt, enable
}

#endif
