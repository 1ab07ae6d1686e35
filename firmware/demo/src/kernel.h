// A small preemptive kernel: the highest priority that is ready runs, equals
// take turns, main is the idle task.
#ifndef KERNEL_H
#define KERNEL_H

#include <stddef.h>
#include <stdint.h>

#define KERNEL_MAX_TASKS 8
#define KERNEL_SLICE_TICKS 4

enum task_state { TASK_READY, TASK_SLEEPING, TASK_WAITING, TASK_DONE };

struct task {
	uint32_t *sp; // of the saved context: r4-r11, then the exception frame
	const char *name;
	enum task_state state;
	uint8_t priority; // 0 is idle
	uint32_t wake_tick;
};

struct semaphore {
	uint32_t count;
	struct task *waiter; // at most one task waits
};

typedef void (*task_entry)(void *argument);

void task_create(struct task *t, const char *name, uint8_t priority, uint32_t *stack, size_t words,
                 task_entry entry, void *argument);
void task_sleep(uint32_t ticks);
void task_sleep_until(uint32_t *last, uint32_t period_ticks);

void semaphore_give(struct semaphore *s); // from tasks and interrupts
void semaphore_take(struct semaphore *s);

void kernel_start(void); // the caller goes on as the idle task
void kernel_tick(void);  // once per SysTick
uint32_t kernel_now(void);

#endif
