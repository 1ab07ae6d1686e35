// Functions with identical bodies, called in the proportions of shares.h.
#include "shares.h"

#include <stdint.h>

#define SYST_CSR (*(volatile uint32_t *)0xe000e010u)
#define SYST_RVR (*(volatile uint32_t *)0xe000e014u)
#define SYST_CVR (*(volatile uint32_t *)0xe000e018u)

#define NOINLINE __attribute__((noinline))

static inline void work(void) {
	uint32_t n = UNIT_ITERATIONS;
	__asm volatile("1:\tsubs %0, #1\n\tbne 1b" : "+l"(n) : : "cc");
}

NOINLINE void amber(void) { work(); }
NOINLINE void blue(void) { work(); }
NOINLINE void coral(void) { work(); }
NOINLINE void denim(void) { work(); }
NOINLINE void ebony(void) { work(); }
NOINLINE void flash(void) { work(); }

#define REPEAT(function, times) \
	for (unsigned n = 0; n < (times); n++) \
		function();

NOINLINE void dawn(void) { DAWN(REPEAT) }
NOINLINE void noon(void) { NOON(REPEAT) }
NOINLINE void dusk(void) { DUSK(REPEAT) }
NOINLINE void day(void) { DAY(REPEAT) }

NOINLINE void night(unsigned depth) {
	if (depth) {
		night(depth - 1);
		return;
	}
	NIGHT(REPEAT)
}

void SysTick_Handler(void) { SYSTICK_HANDLER(REPEAT) }

int main(void) {
	SYST_RVR = TICK_CYCLES - 1;
	SYST_CVR = 0;
	SYST_CSR = 7; // core clock, interrupt, enable
	for (;;) {
		day();
		night(NIGHT_DEPTH);
	}
}
