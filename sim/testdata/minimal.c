// The least that a Cortex-M starts with: two vectors, and code right behind
// them.
#include <stdint.h>

extern uint32_t __stack_top[];
volatile uint32_t rounds;

void reset_handler(void)
{
	for (;;)
		rounds++;
}

__attribute__((section(".isr_vector"), used)) static const uintptr_t two[] = {
	(uintptr_t)__stack_top, (uintptr_t)reset_handler,
};
