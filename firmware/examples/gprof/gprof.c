/*
 * gprof.c: a program that profiles itself; compiled with -pg. Each function shows one thing that a profile has to get
 * right. Take it out with mprof gmon fetch.
 */
#include "board.h"
#include "gprof.h"
#ifdef WITH_UART
#include "mprof.h"
#endif

#define NOINLINE __attribute__((noinline))
#define APART __attribute__((noinline, noclone))

#ifndef GPROF_WORDS
#define GPROF_WORDS 1200
#endif
#ifndef GPROF_BUCKET
#define GPROF_BUCKET 8
#endif
#ifndef GPROF_INTERVAL_US
#define GPROF_INTERVAL_US 97 /* in no proportion to the tick of 487 Hz */
#endif

static uint32_t memory[GPROF_WORDS];
static volatile uint32_t sink;

/* Known shares: 10, 20, 30 and 40 of a hundred. */
APART void takes_10(void) { board_spin(10); }
APART void takes_20(void) { board_spin(20); }
APART void takes_30(void) { board_spin(30); }
APART void takes_40(void) { board_spin(40); }

/* One function called from several places: as many arcs. */
APART uint32_t shared(uint32_t a, uint32_t b) { return (a ^ b >> 3) + (a << 5); }
APART uint32_t calls_once(uint32_t a) { return shared(a, 1) + 1; }
APART uint32_t calls_thrice(uint32_t a) { return shared(shared(a, 2), 3) + shared(a, 4); }

/* Recursion: an arc from a function to itself. */
APART uint32_t climbs(uint32_t n) { return n == 0 ? 1 : climbs(n - 1) + n; }

/* A tail call: its arc is from the caller of the function that makes it. */
APART uint32_t last(uint32_t a) { return a * 7 + sink; }
APART uint32_t jumps(uint32_t a) { return last(a + 1); }

/* Calls through pointers: one place, several functions. */
APART uint32_t adds(uint32_t a) { return a + 3; }
APART uint32_t multiplies(uint32_t a) { return a * 5; }
static uint32_t (*const chosen[])(uint32_t) = {adds, multiplies, calls_once, jumps};

APART void chooses(uint32_t i) { sink += chosen[i % 4](i); }

/* Handlers are called by nobody, and call what the program calls, too. */
APART void tick_work(void) { board_spin(15); }

void board_alarm(void) {
	takes_10();
	sink++;
}

void board_tick(void) {
	static uint32_t ticks;
	tick_work();
	if (++ticks % 3 == 0)
		board_raise_alarm();
	sink += shared(sink, 5);
}

APART void round_of_all(uint32_t i) {
	takes_10();
	takes_20();
	takes_30();
	takes_40();
	sink += calls_thrice(i) + climbs(i % 6);
	chooses(i);
}

extern char _stext[], _etext[];

NOINLINE int main(void) {
	board_init();
	board_start_tick(487);
#ifdef WITH_UART
	static uint32_t uart_memory[BOARD_MPROF_WORDS];
	mprof_init(&(struct mprof_config){.memory = uart_memory, .size = sizeof uart_memory, .name = "gprof", .hz = BOARD_HZ});
#endif
	profile_memory(memory, sizeof memory);
	profile_on(_stext, _etext, GPROF_BUCKET, GPROF_INTERVAL_US);
	for (uint32_t i = 0;; i++) {
		round_of_all(i);
#ifdef WITH_UART
		mprof_poll();
#endif
	}
}
