/*
 * app.c: the least firmware with the module in it. One function calls another twice; PLACE says where the module's memory
 * is, HZ the clock of the core, VECTORS which interrupts are the port's; WORK how long a call takes, POLLS how often mprof_poll is
 * called after it; BREAK what happens in round 100.
 */
#include "irq.h"
#include "mprof.h"

#define BARE __attribute__((no_instrument_function))

#ifdef DECLARE
void DECLARE(void);
#endif
#ifndef PLACE
#define PLACE
#endif
#ifndef WORK
#define WORK 200
#define POLLS 10
#endif

static uint32_t memory[768] PLACE = {1};
static volatile uint32_t sink;
volatile uint32_t rounds;

__attribute__((noinline)) void leaf(uint32_t n)
{
	while (n-- > 0)
		sink++;
}

__attribute__((noinline)) void branch(uint32_t n)
{
	leaf(n);
	leaf(4 * n);
}

BARE int main(void)
{
	const struct mprof_config config = {.memory = memory, .size = sizeof memory, .name = "ports", .hz = HZ};

#ifdef PREPARE
	PREPARE;
#endif
	if (mprof_init(&config) != 0)
		for (;;)
			;
	for (uint32_t i = 0;; i++) {
		rounds = i;
#ifdef BREAK
		if (i == 100) {
			BREAK;
		}
#endif
		branch(WORK + i % 8);
		for (uint32_t n = 0; n < POLLS; n++) {
			sink++;
			mprof_poll();
		}
	}
}

extern uint32_t stack_end[], data_from[], data_to[], data_end[], bss[], bss_end[];

BARE void Reset_Handler(void)
{
	const uint32_t *from = data_from;

	for (uint32_t *to = data_to; to < data_end;)
		*to++ = *from++;
	for (uint32_t *to = bss; to < bss_end;)
		*to++ = 0;
	main();
}

/* Any fault ends in silence. */
BARE void Default_Handler(void)
{
	for (;;)
		;
}

__attribute__((section(".vectors"), used)) static void *const vectors[16 + 96] = {
	[0] = stack_end, [1] = Reset_Handler, [2 ... 15] = Default_Handler,
	VECTORS
};
