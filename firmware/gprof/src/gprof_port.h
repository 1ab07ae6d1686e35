// What a port provides: a timer that interrupts at an interval. A port is one C file of firmware/gprof/port, or yours.
// How its interrupt gets to the counters: gprof_irq or gprof_hit, below.
#ifndef GPROF_PORT_H
#define GPROF_PORT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// An interval: period / hz seconds. hz 0: the timer cannot do it.
struct gprof_interval {
	uint32_t hz, period;
};

// Starts an interrupt every interval_us microseconds (1 and up), as near as the timer comes to it.
struct gprof_interval gprof_timer_start(uint32_t interval_us);

// Stops it; an interrupt that is pending may still come.
void gprof_timer_stop(void);

// Takes the timer's request back; from each of its interrupts.
void gprof_timer_clear(void);

// Is the handler of the timer's interrupt, itself in the vector table: it finds the PC that was interrupted by
// EXC_RETURN and the exception frame, and then calls gprof_timer_clear and gprof_hit. Not for a call from another
// function. With -DGPROF_HANDLER=TIM5_IRQHandler gprof_entry.S gives it that name, too.
void gprof_irq(void);

// Counts a tick that found the program at pc. For handlers of your own, which know it: of RISC-V (mepc), of an RTOS. No two
// at once: from one interrupt, or from several of one priority.
void gprof_hit(uint32_t pc);

// Counts a call, for an mcount of your own: the return address of the function that called it, and an address in that function.
void gprof_call(uint32_t from, uint32_t self);

#ifdef __cplusplus
}
#endif
#endif
