// interrupted.c: a program whose every instruction between window_begin and window_end the test interrupts. Compiled with -pg.
#include "gprof.h"
#include "gprof_port.h"

#define PLAIN __attribute__((no_instrument_function))
#define APART __attribute__((noinline, noclone))

extern uint32_t stack_top, data_load, data_begin, data_end, bss_begin, bss_end, text_begin, text_end;

volatile uint32_t mode; // what IRQ0 does, from the test
static volatile uint32_t sink;
static uint32_t memory[MEMORY];

// The timer is the test, which pends IRQ2.
PLAIN struct gprof_interval gprof_timer_start(uint32_t interval_us) { return (struct gprof_interval){1000000, interval_us}; }
PLAIN void gprof_timer_stop(void) {}
PLAIN void gprof_timer_clear(void) {}

// What is counted; four arguments are in r0 to r3, more on the stack.
APART uint32_t inner(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e) { return a + 2 * b + 4 * c + 8 * d + 16 * e; }
APART uint32_t again(uint32_t n);
static uint32_t (*volatile itself)(uint32_t) = again; // no loop is made of it
APART uint32_t again(uint32_t n) { return n == 0 ? 1 : itself(n - 1) + n; }

APART void outer(void)
{
	sink = inner(1, 2, 3, 4, 5);
	sink += inner(5, 4, 3, 2, 1);
	sink += again(2);
#ifdef __ARM_FP
	static volatile float x = 1.5f;
	x = x * x;
#endif
}

APART void IRQ0_Handler(void)
{
	switch (mode) {
	case 0:
		outer();
		break;
	case 1:
		profile_reset();
		break;
	case 2:
		mprof_gprof.request = 1;
		*(volatile uint32_t *)0xE000E200 = 4; // the tick
		break;
	default:
		profile_off();
		profile_on(&text_begin, &text_end, 2, 97);
	}
}

APART void IRQ1_Handler(void) { sink += inner(1, 1, 1, 1, 1); }

// The test watches these.
PLAIN APART void window_begin(void) { __asm volatile(""); }
PLAIN APART void window_end(void) { __asm volatile(""); }
PLAIN APART void finished(void)
{
	for (;;)
		;
}

#ifdef PROCESS_STACK
static uint64_t stack[128];

PLAIN __attribute__((naked)) void to_process_stack(void *top);
PLAIN __attribute__((naked)) void to_process_stack(void *top)
{
	(void)top;
	__asm volatile("msr psp, r0\n\tmovs r0, #2\n\tmsr control, r0\n\tisb\n\tbx lr");
}
#endif

PLAIN int main(void)
{
	*(volatile uint32_t *)0xE000E400 = 0x000040C0; // IRQ2 over IRQ1 over IRQ0
	*(volatile uint32_t *)0xE000E100 = 7;
#ifdef __ARM_FP
	*(volatile uint32_t *)0xE000ED88 = 0xF << 20; // CPACR
#endif
	profile_memory(memory, sizeof memory);
	if (profile_on(&text_begin, &text_end, 2, 97) != 97)
		finished();
#ifdef PROCESS_STACK
	to_process_stack(stack + 128);
#endif
	window_begin();
	outer();
#ifdef RESETS
	profile_reset();
	outer(); // from more places than there are arcs before
	outer();
	outer();
#endif
	outer();
	window_end();
	finished();
}

PLAIN void Reset_Handler(void)
{
	for (uint32_t *to = &data_begin, *from = &data_load; to < &data_end;)
		*to++ = *from++;
	for (uint32_t *to = &bss_begin; to < &bss_end;)
		*to++ = 0;
	main();
}

PLAIN void Default_Handler(void) { finished(); }

__attribute__((used, section(".vectors"))) const void *const vectors[19] = {
	&stack_top, Reset_Handler, Default_Handler, Default_Handler, Default_Handler, Default_Handler, Default_Handler, 0, 0, 0, 0, Default_Handler, 0, 0,
	Default_Handler, Default_Handler, IRQ0_Handler, IRQ1_Handler, gprof_irq,
};
