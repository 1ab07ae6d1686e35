// Scheduling, sleeping and semaphores.
#include "kernel.h"

#include <stdbool.h>

#include "cpu.h"

#define HANDLER_STACK_WORDS 192
#define XPSR_THUMB (1u << 24)

void task_start(void);                    // switch.S
void kernel_adopt(uint32_t *handler_top); // switch.S

static struct task idle = {.name = "idle", .state = TASK_READY};
static struct task *tasks[KERNEL_MAX_TASKS] = {&idle};
static unsigned task_count = 1;
static struct task *current = &idle;
static unsigned current_index;
static volatile uint32_t ticks;
static uint32_t handler_stack[HANDLER_STACK_WORDS] __attribute__((aligned(8)));

// task_exit is where a task ends up whose entry function returns.
__attribute__((noinline, noreturn)) void task_exit(void) {
	irq_save();
	current->state = TASK_DONE;
	pend_switch();
	irq_restore(0);
	for (;;)
		wait_for_interrupt();
}

// The first context of a task starts in task_start, which calls r4 with r0.
// LR is 0 there: nothing called a task.
void task_create(struct task *t, const char *name, uint8_t priority, uint32_t *stack, size_t words,
                 task_entry entry, void *argument) {
	uint32_t *frame = stack + words - 8;
	frame[0] = (uint32_t)argument;               // r0
	frame[1] = frame[2] = frame[3] = frame[4] = 0; // r1-r3, r12
	frame[5] = 0;                                // lr
	frame[6] = (uint32_t)task_start & ~1u;       // return address
	frame[7] = XPSR_THUMB;
	uint32_t *saved = frame - 8;
	saved[0] = (uint32_t)entry; // r4
	for (int i = 1; i < 8; i++)
		saved[i] = 0;
	*t = (struct task){.sp = saved, .name = name, .state = TASK_READY, .priority = priority};
	tasks[task_count++] = t;
}

static inline bool outranks(const struct task *a, const struct task *b) { return a->priority > b->priority; }

static struct task *pick_next(void) {
	struct task *best = &idle;
	unsigned index = current_index;
	for (unsigned n = 0; n < task_count; n++) {
		if (++index == task_count)
			index = 0;
		struct task *t = tasks[index];
		if (t->state == TASK_READY && outranks(t, best)) {
			best = t;
			current_index = index;
		}
	}
	return best;
}

// kernel_switch is called by PendSV with the stack pointer of the interrupted
// task and returns that of the next.
uint32_t *kernel_switch(uint32_t *sp) {
	uint32_t primask = irq_save();
	current->sp = sp;
	current = pick_next();
	irq_restore(primask);
	return current->sp;
}

static inline void make_ready(struct task *t) {
	t->state = TASK_READY;
	if (outranks(t, current))
		pend_switch();
}

static void block_current(enum task_state state) {
	current->state = state;
	pend_switch();
}

__attribute__((noinline)) void kernel_tick(void) {
	uint32_t now = ++ticks;
	for (unsigned i = 1; i < task_count; i++) {
		struct task *t = tasks[i];
		if (t->state == TASK_SLEEPING && (int32_t)(now - t->wake_tick) >= 0)
			make_ready(t);
	}
	if (now % KERNEL_SLICE_TICKS == 0 && current != &idle)
		pend_switch();
}

uint32_t kernel_now(void) { return ticks; }

static void sleep_until(uint32_t tick) {
	uint32_t primask = irq_save();
	current->wake_tick = tick;
	block_current(TASK_SLEEPING);
	irq_restore(primask);
}

void task_sleep(uint32_t n) { sleep_until(ticks + n); }

void task_sleep_until(uint32_t *last, uint32_t period_ticks) {
	*last += period_ticks;
	if ((int32_t)(*last - ticks) <= 0) {
		*last = ticks; // late: start over rather than catch up
		return;
	}
	sleep_until(*last);
}

__attribute__((noinline)) void semaphore_give(struct semaphore *s) {
	uint32_t primask = irq_save();
	s->count++;
	if (s->waiter && s->waiter->state == TASK_WAITING)
		make_ready(s->waiter);
	irq_restore(primask);
}

__attribute__((noinline)) void semaphore_take(struct semaphore *s) {
	uint32_t primask = irq_save();
	while (s->count == 0) {
		s->waiter = current;
		block_current(TASK_WAITING);
		irq_restore(primask);
		primask = irq_save();
	}
	s->count--;
	irq_restore(primask);
}

void kernel_start(void) {
	uint32_t primask = irq_save();
	SCB_SHPR3 = SHPR3_PENDSV(0xf0) | SHPR3_SYSTICK(0x80);
	kernel_adopt(handler_stack + HANDLER_STACK_WORDS);
	SYST_RVR = CPU_HZ / TICK_HZ - 1;
	SYST_CVR = 0;
	SYST_CSR = 7; // core clock, interrupt, enable
	pend_switch();
	irq_restore(primask);
}
