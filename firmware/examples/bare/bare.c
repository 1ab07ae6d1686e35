/*
 * bare.c: a main loop and two interrupts. Each function shows one thing that a trace has to get right, and
 * its name says how long it takes.
 */
#include "board.h"
#include "mprof.h"

#define NOINLINE __attribute__((noinline))

static uint32_t memory[BOARD_MPROF_WORDS];
static volatile uint32_t sink; /* keeps results, so that no call is optimised away */

/* Known lengths. */
NOINLINE void takes_10us(void) { board_spin(10); }
NOINLINE void takes_100us(void) { board_spin(100); }
NOINLINE void takes_1ms(void) { board_spin(1000); }
NOINLINE void takes_10ms(void) { board_spin(10000); }

/* A short function that is called often. */
NOINLINE uint32_t mixed(uint32_t a, uint32_t b) { return (a ^ b >> 3) + (a << 5); }

NOINLINE void calls_often(void) {
	uint32_t x = sink;
	for (uint32_t i = 0; i < 20; i++)
		x = mixed(x, i);
	sink = x;
}

/* Recursion. */
NOINLINE uint32_t climbs(uint32_t n) {
	board_spin(20);
	return n == 0 ? 1 : climbs(n - 1) + n;
}

/* A deep chain: each level has 10 us of its own. */
NOINLINE void level_8(void) { board_spin(10); }
NOINLINE void level_7(void) { board_spin(10), level_8(), sink++; }
NOINLINE void level_6(void) { board_spin(10), level_7(), sink++; }
NOINLINE void level_5(void) { board_spin(10), level_6(), sink++; }
NOINLINE void level_4(void) { board_spin(10), level_5(), sink++; }
NOINLINE void level_3(void) { board_spin(10), level_4(), sink++; }
NOINLINE void level_2(void) { board_spin(10), level_3(), sink++; }
NOINLINE void level_1(void) { board_spin(10), level_2(), sink++; }

/* Interrupts: the tick, and above it the alarm, which the tick raises every so often. */
NOINLINE void alarm_work(void) { board_spin(30); }

void board_alarm(void) {
	alarm_work();
	sink++;
}

NOINLINE void tick_work(void) { board_spin(40); }

void board_tick(void) {
	static uint32_t ticks;
	mprof_systick(); /* only needed where SysTick measures */
	tick_work();
	if (++ticks == 3) { /* a division would take longer, the longer it runs, where there is no instruction for it */
		ticks = 0;
		board_raise_alarm();
	}
	board_spin(10);
}

/* The main loop does one of these after the other. */
NOINLINE void short_ones(void) {
	for (uint32_t i = 0; i < 10; i++)
		takes_10us();
}

NOINLINE void longer_ones(void) {
	for (uint32_t i = 0; i < 3; i++)
		takes_100us();
	takes_1ms();
	sink++;
}

NOINLINE void long_one(void) {
	static uint32_t round;
	if (round++ % 8 == 0)
		takes_10ms();
}

NOINLINE void recursion(void) { sink += climbs(6); }

static void (*const parts[])(void) = {short_ones, longer_ones, long_one, calls_often, recursion, level_1};

NOTRACE int main(void) {
	board_init();
	board_start_tick(487); /* in no proportion to the timer, so that ticks come at all of its phases */
	mprof_init(&(struct mprof_config){
		.memory = memory, .size = sizeof memory, .name = "bare", .hz = BOARD_HZ, .depth = 32});
	for (uint32_t i = 0;; i++) {
		parts[i % (sizeof parts / sizeof parts[0])]();
		mprof_poll();
	}
}
