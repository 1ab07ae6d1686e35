/*
 * kernel.c: PendSV switches tasks, and tells the module which one runs from then on. The kernel itself is
 * compiled without -finstrument-functions.
 */
#include "kernel.h"

#include "core.h"
#include "mprof.h"

#define HANDLER_WORDS 256
#define XPSR_THUMB (1u << 24)

void kernel_adopt(uint32_t *handler_top); /* switch.S */

static struct {
	uint32_t *sp;
	uint32_t wakes; /* tick; 0: it is ready */
} tasks[KERNEL_TASKS];
static unsigned current;
static volatile uint32_t ticks;
static uint32_t handler_stack[HANDLER_WORDS] __attribute__((aligned(8)));

/* The stack of a task that has not run yet looks as if PendSV had just taken it off: r4 to r11, then what the
 * processor stacks (DDI 0403E, B1.5.6). */
void kernel_create(unsigned id, const char *name, uint32_t *stack, uint32_t words, void (*entry)(void)) {
	uint32_t *sp = stack + words - 16;
	for (int i = 0; i < 14; i++)
		sp[i] = 0;
	sp[14] = (uint32_t)entry & ~1u;
	sp[15] = XPSR_THUMB;
	tasks[id].sp = sp;
	mprof_context_name((uint16_t)id, name);
}

/* kernel_switch is called by PendSV with the stack pointer of the task that stops, and returns that of the next. */
uint32_t *kernel_switch(uint32_t *sp) {
	uint32_t mask = core_mask();
	tasks[current].sp = sp;
	for (current = KERNEL_TASKS - 1; current > 0 && tasks[current].wakes; current--)
		;
	mprof_context((uint16_t)current);
	core_unmask(mask);
	return tasks[current].sp;
}

void kernel_tick(void) {
	ticks++;
	for (unsigned i = 1; i < KERNEL_TASKS; i++)
		if (tasks[i].wakes == ticks) {
			tasks[i].wakes = 0;
			SCB_ICSR = ICSR_PENDSVSET;
		}
}

void kernel_sleep(uint32_t n) {
	uint32_t mask = core_mask();
	tasks[current].wakes = ticks + n;
	SCB_ICSR = ICSR_PENDSVSET;
	core_unmask(mask);
}

void kernel_start(void) {
	mprof_context_name(0, "idle");
	kernel_adopt(handler_stack + HANDLER_WORDS);
	SCB_ICSR = ICSR_PENDSVSET;
}
