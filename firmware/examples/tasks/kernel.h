/*
 * kernel.h: a kernel of a few lines, for the example: the ready task with the highest number runs, main is task 0.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdint.h>

#define KERNEL_TASKS 3

/* id is 1 to KERNEL_TASKS - 1; a higher one preempts a lower one. */
void kernel_create(unsigned id, const char *name, uint32_t *stack, uint32_t words, void (*entry)(void));
void kernel_start(void); /* the caller goes on as task 0 */
void kernel_tick(void);  /* from the tick's interrupt */
void kernel_sleep(uint32_t ticks);

#endif
