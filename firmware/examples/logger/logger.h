/*
 * logger.h: included before demo/src/main.c, so that the data logger of firmware/demo runs with mprof as it is.
 */
#ifndef LOGGER_H
#define LOGGER_H

#include "cpu.h"
#include "kernel.h"

/* Creates a task and notes its stack and its name. */
void logger_create(struct task *t, const char *name, uint8_t priority, uint32_t *stack, size_t words, task_entry entry,
                   void *argument);

/* Starts the kernel and the module. */
void logger_start(void);

/* What the idle task does instead of sleeping. */
void logger_idle(void);

#define task_create logger_create
#define kernel_start logger_start
#define wait_for_interrupt logger_idle

#endif
