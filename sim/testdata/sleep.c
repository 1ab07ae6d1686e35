// A program for the board's tests that sleeps: SysTick wakes it every 1 ms; with
// SCR.SLEEPDEEP set if DEEP is.
#include <stdint.h>

extern uint32_t __stack_top[], __bss_start[], __bss_end[];
volatile uint32_t ticks;

void systick_handler(void)
{
	ticks++;
}

void reset_handler(void)
{
	for (uint32_t *to = __bss_start; to < __bss_end;)
		*to++ = 0;
	*(volatile uint32_t *)0xe000e014 = 16000 - 1;
	*(volatile uint32_t *)0xe000e010 = 7;
#ifdef DEEP
	*(volatile uint32_t *)0xe000ed10 = 4;
#endif
	for (;;)
		__asm volatile("wfi");
}

void fault_handler(void)
{
	for (;;)
		;
}

__attribute__((section(".isr_vector"), used)) void *const vectors_[] = {
	__stack_top, reset_handler, fault_handler, fault_handler,
	fault_handler, fault_handler, fault_handler, 0, 0, 0, 0,
	fault_handler, fault_handler, 0, fault_handler, systick_handler,
};
