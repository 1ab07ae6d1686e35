/*
 * board.h: what the examples need of a board. Each board is one C file and one linker script beside this file, which the
 * Makefile chooses. The handlers board_tick and board_alarm are the application's.
 */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

#define NOTRACE __attribute__((no_instrument_function))

/* Priorities, 0 is the highest; cores have two bits at least. */
enum { PRIORITY_ALARM = 1, PRIORITY_TICK = 2, PRIORITY_UART = 3 };

/* Starts the timer that measures, where the core has no cycle counter, and sets priorities. */
void board_init(void) NOTRACE;

/* Calls board_tick hz times a second. */
void board_start_tick(uint32_t hz) NOTRACE;
void board_tick(void);

/* Raises an interrupt above the tick, which comes at once and calls board_alarm. */
void board_raise_alarm(void) NOTRACE;
void board_alarm(void);

/* The handler of firmware/gprof, in the vector of a timer; without that module there is none. */
void gprof_irq(void) __attribute__((weak));

/* Keeps the processor busy for about us microseconds: a loop of two instructions, BOARD_LOOPS_PER_MS of which
 * take a millisecond. */
static inline NOTRACE __attribute__((always_inline)) void board_spin(uint32_t us) {
	uint32_t loops = us * (BOARD_LOOPS_PER_MS / 8) / 125;
	__asm volatile(".syntax unified\n1:\tsubs %0, #1\n\tbne 1b" : "+l"(loops) : : "cc");
}

#endif
