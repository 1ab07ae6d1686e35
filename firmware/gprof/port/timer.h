// timer.h: what the ports share: registers, the NVIC, and how many ticks an interval has.
#ifndef GPROF_TIMER_H
#define GPROF_TIMER_H

#include "../src/gprof_port.h"

// The most urgent priority, so that handlers are seen, too. The handler calls nothing of an RTOS, any value is right.
#ifndef GPROF_TIMER_PRIORITY
#define GPROF_TIMER_PRIORITY 0u
#endif

// No more than one interrupt in so many ticks of the timer: a program that does nothing but profile itself shows nothing.
#ifndef GPROF_TIMER_LEAST
#define GPROF_TIMER_LEAST 1000u
#endif

static inline uint32_t gprof_register(uint32_t address) { return *(volatile uint32_t *)(uintptr_t)address; }
static inline void gprof_set_register(uint32_t address, uint32_t value) { *(volatile uint32_t *)(uintptr_t)address = value; }

// NVIC (Armv7-M ARM DDI 0403E B3.4.3; words, as ARMv6-M has nothing smaller): set-enable, clear-pending, priority.
#define NVIC_ISER 0xE000E100u
#define NVIC_ICPR 0xE000E280u
#define NVIC_IPR 0xE000E400u

static inline void gprof_enable_interrupt(uint32_t line)
{
	uint32_t priority = NVIC_IPR + (line & ~3u), shift = 8 * (line & 3);

	gprof_set_register(priority, (gprof_register(priority) & ~(0xFFu << shift)) | (uint32_t)GPROF_TIMER_PRIORITY << shift);
	gprof_set_register(NVIC_ICPR + 4 * (line / 32), 1u << (line % 32));
	gprof_set_register(NVIC_ISER + 4 * (line / 32), 1u << (line % 32));
}

// What leaves room in 32 bits for an interval that is varied.
#define GPROF_TIMER_MOST 0xFFFF0000u

// Ticks of an interval, rounded; `most` where it is longer.
static inline uint32_t gprof_ticks(uint32_t hz, uint32_t interval_us, uint32_t most)
{
	uint64_t ticks = ((uint64_t)hz * interval_us + 500000u) / 1000000u;

	if (ticks < GPROF_TIMER_LEAST)
		return GPROF_TIMER_LEAST;
	return ticks > most ? most : (uint32_t)ticks;
}

// Intervals vary by an eighth up and down: a program that repeats itself at a multiple of a fixed interval would be found
// again and again at the same places, whatever it does in between. Their mean is the interval.
#ifndef GPROF_TIMER_JITTER
#define GPROF_TIMER_JITTER 1
#endif

static inline uint32_t gprof_jittered(uint32_t period)
{
	static uint32_t random;
	uint32_t span = period >> 2;

	if (!GPROF_TIMER_JITTER)
		return period;
	if (span > 0xFFFFu)
		span = 0xFFFFu;
	random = random * 1664525u + 1013904223u; // its upper half is good
	return period - span / 2 + ((random >> 16) * span >> 16);
}

#endif
