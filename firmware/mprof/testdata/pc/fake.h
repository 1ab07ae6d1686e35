/*
 * fake.h: the core, timer and UART that the module runs on in a test, and the log of what really happened.
 */
#ifndef FAKE_H
#define FAKE_H

#include "../../src/mprof.h"
#include "../../src/mprof_port.h"
#include <stdbool.h>
#include <stdint.h>

/* A call of the module that is under way in one level of interrupts. What it did is logged when it takes effect. */
struct fake_hook {
	char what; /* e: enter, x: exit, c: context switch, 0: logged */
	uint32_t function;
	uint32_t time; /* last read */
	bool timed;
	bool slow; /* what comes at the next unmasking is not yet it */
};

extern struct fake_core {
	uint32_t exception, level; /* that runs; how many interrupts are nested */
	uint16_t task;
	uint32_t sp;
	bool masked;
	struct fake_hook *hook;
	char api; /* S, P, R: a command that takes effect when interrupts are unmasked */
} fake;

extern struct fake_options {
	uint64_t seed;
	uint32_t interrupts;       /* of 1000 points */
	uint32_t levels;           /* of interrupts */
	uint32_t step;             /* timer cycles per read, at most */
	uint32_t start, hz;        /* of the timer */
	uint32_t speed;            /* bytes of the UART per action, at most */
	uint32_t actions, jumps;   /* of threads; of them, of 1000, that last long */
	uint32_t version, shift;
	uint32_t size, depth, contexts, packet;
	uint32_t controls;         /* START, STOP, RESET of 1000 actions; in interrupts, too */
	uint32_t pendsv;           /* 1: the handler that switches is instrumented */
	uint32_t script;           /* 1: what standard input says, instead of anything random (script.c) */
} option;

uint32_t fake_random(uint32_t below);
void fake_hook_call(char what, uint32_t function);

/* UART: sends n more bytes; takes bytes from the host. */
void fake_uart(uint32_t n);
bool fake_uart_idle(void);
void fake_host(const uint8_t *bytes, uint32_t n);

/* script.c */
void fake_script(void);

/* What an interrupt does, on top of an exception or 0 (driver.c). */
void fake_interrupt(uint32_t interrupted);

#endif
