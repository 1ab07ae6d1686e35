// A program for the board's tests: vector table, .data and .bss set-up, a
// SysTick interrupt, known call paths, then work for ever.
#include <stdint.h>

extern uint32_t __data_load[], __data_start[], __data_end[], __bss_start[], __bss_end[], __stack_top[];

volatile uint32_t ticks;
volatile uint32_t rounds;
volatile uint32_t initialised = 0x12345678;
volatile uint32_t scratch[512];

__attribute__((noinline)) uint32_t inner(uint32_t n)
{
	uint32_t v = n;
	for (uint32_t i = 0; i < 200; i++)
		v = v * 1664525u + 1013904223u;
	return v;
}

__attribute__((noinline)) uint32_t outer(uint32_t n)
{
	return inner(n) ^ inner(n + 1);
}

void systick_handler(void)
{
	ticks++;
}

int main(void)
{
	*(volatile uint32_t *)0xe000e014 = 16000 - 1; // SYST_RVR: 1 ms at 16 MHz
	*(volatile uint32_t *)0xe000e018 = 0;
	*(volatile uint32_t *)0xe000e010 = 7;
	for (;;) {
		scratch[rounds & 511] = outer(rounds);
		rounds++;
	}
}

void reset_handler(void)
{
	uint32_t *from = __data_load;
	for (uint32_t *to = __data_start; to < __data_end;)
		*to++ = *from++;
	for (uint32_t *to = __bss_start; to < __bss_end;)
		*to++ = 0;
	main();
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
