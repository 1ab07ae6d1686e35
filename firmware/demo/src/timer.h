// Periodic callbacks from the tick interrupt.
#ifndef TIMER_H
#define TIMER_H

#include <stdint.h>

struct timer {
	void (*callback)(void *argument);
	void *argument;
	uint32_t period_ticks, left;
	struct timer *next;
};

void timer_start(struct timer *t, uint32_t period_ticks, void (*callback)(void *), void *argument);

#endif
