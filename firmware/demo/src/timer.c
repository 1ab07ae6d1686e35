// The tick interrupt: kernel first, then the timers that are due.
#include "timer.h"

#include "cpu.h"
#include "kernel.h"

static struct timer *timers;

void timer_start(struct timer *t, uint32_t period_ticks, void (*callback)(void *), void *argument) {
	*t = (struct timer){callback, argument, period_ticks, period_ticks, 0};
	uint32_t primask = irq_save();
	t->next = timers;
	timers = t;
	irq_restore(primask);
}

static inline void run_timers(void) {
	for (struct timer *t = timers; t; t = t->next) {
		if (--t->left)
			continue;
		t->left = t->period_ticks;
		t->callback(t->argument);
	}
}

void SysTick_Handler(void) {
	kernel_tick();
	run_timers();
}
