/*
 * rate.c: 5000 traced calls a second, to measure what that costs.
 */
#include <stdbool.h>

#include "board.h"
#include "mprof.h"

static uint32_t memory[BOARD_MPROF_WORDS];
static volatile bool due;
static volatile uint32_t sink;

NOTRACE void board_tick(void) { due = true; }
NOTRACE void board_alarm(void) {}

__attribute__((noinline)) void work(void) {
	board_spin(20);
	sink++;
}

NOTRACE int main(void) {
	board_init();
	board_start_tick(5000);
	mprof_init(&(struct mprof_config){.memory = memory, .size = sizeof memory, .name = "rate", .hz = BOARD_HZ});
	for (uint32_t i = 0;; i++) {
		while (!due)
			;
		due = false;
		work();
		if (i % 10 == 0)
			mprof_poll();
	}
}
