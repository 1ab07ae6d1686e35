/*
 * logger.c: mprof in a program that was finished before. The kernel's switch is wrapped by the linker
 * (-Wl,--wrap=kernel_switch), tasks are told by their stacks.
 */
#include "kernel.h"

#include "irq.h"
#include "mprof.h"

#define TASKS 5 /* with idle, which is 0 */
#define POLL_WORDS 128
#define POLL_MS 10

static uint32_t memory[4096];
static struct {
	const uint32_t *low, *high;
	const char *name;
} tasks[TASKS] = {{0, 0, "idle"}};
static unsigned count = 1;
static uint32_t poll_stack[POLL_WORDS] __attribute__((aligned(8)));
static struct task poll;

void logger_create(struct task *t, const char *name, uint8_t priority, uint32_t *stack, size_t words, task_entry entry,
                   void *argument);
void logger_start(void);
void logger_idle(void);
uint32_t *__real_kernel_switch(uint32_t *sp);
uint32_t *__wrap_kernel_switch(uint32_t *sp);

void logger_create(struct task *t, const char *name, uint8_t priority, uint32_t *stack, size_t words, task_entry entry,
                   void *argument) {
	tasks[count].low = stack;
	tasks[count].high = stack + words;
	tasks[count++].name = name;
	task_create(t, name, priority, stack, words, entry, argument);
}

/* There are seconds in which nothing is left for idle, so that polling has a task of its own, and it alone: what is
 * preempted within mprof_poll keeps others from it. */
static void poll_task(void *argument) {
	(void)argument;
	for (;;) {
		mprof_poll();
		task_sleep(POLL_MS);
	}
}

void logger_start(void) {
	logger_create(&poll, "mprof", 4, poll_stack, POLL_WORDS, poll_task, 0);
	mprof_init(&(struct mprof_config){
		.memory = memory, .size = sizeof memory, .name = "boat logger", .hz = 16000000, .contexts = TASKS, .depth = 32});
	for (uint16_t i = 0; i < TASKS; i++)
		mprof_context_name(i, tasks[i].name);
	kernel_start();
}

/* Asleep, CYCCNT stands still. */
void logger_idle(void) {}

uint32_t *__wrap_kernel_switch(uint32_t *sp) {
	uint32_t *next = __real_kernel_switch(sp);
	unsigned i = TASKS - 1;
	while (i > 0 && !(next >= tasks[i].low && next < tasks[i].high))
		i--;
	mprof_context((uint16_t)i);
	return next;
}
