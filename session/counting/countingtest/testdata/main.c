// main.c: a program that counts itself with firmware/gprof, for the tests of mprof gmon: functions of
// known shares, calls of known numbers, both modules in one program.
#include "board.h"
#include "gprof.h"
#include "mprof.h"

#define NOINLINE __attribute__((noinline))
#define NOPROFILE __attribute__((no_instrument_function))

extern char _sidata[], _etext[];
static uint32_t counters[MEMORY / 4 + 1], memory[BOARD_MPROF_WORDS];
volatile uint32_t rounds, started, sink;

NOINLINE void spins_100us(void) { board_spin(100); }
NOINLINE void spins_300us(void) { board_spin(300), sink++; }
NOINLINE uint32_t climbs(uint32_t n) { return n == 0 ? 1 : climbs(n - 1) + sink; }
NOINLINE void calls_twice(void) {
	spins_100us();
	spins_100us();
	sink++;
}

void board_alarm(void) {}
void board_tick(void) {}

NOPROFILE int main(void) {
	board_init();
	profile_memory(counters, MEMORY);
	mprof_init(&(struct mprof_config){.memory = memory, .size = sizeof memory, .name = "gmon", .hz = BOARD_HZ});
	started = profile_on((void *)LOW, _etext, BUCKET, INTERVAL_US);
	for (;; rounds++) {
		calls_twice();
		spins_300us();
		sink += climbs(3);
		mprof_poll();
	}
}
