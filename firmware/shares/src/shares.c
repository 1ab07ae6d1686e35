// Functions with identical bodies, called in the proportions of shares.h.
#include "shares.h"

#ifdef __riscv
#include "riscv.h"
#else
#include "cortexm.h"
#endif

#define NOINLINE __attribute__((noinline))

static inline void work(void) {
	uint32_t n = UNIT_ITERATIONS;
	__asm volatile(LOOP : LOOP_COUNTER(n) : : "cc");
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

// rounds says to a debugger whether the program runs. Nothing clears it at reset.
volatile uint32_t rounds;

int main(void) {
	start_ticks();
	for (;;) {
		day();
		night(NIGHT_DEPTH);
		rounds++;
	}
}
