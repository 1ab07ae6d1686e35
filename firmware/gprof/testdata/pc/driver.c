// driver.c: does what standard input says, in words of 32 bits, and writes what the module then holds.
//
//   operation = kind a b c d n, then n times: at, operation       which interrupts it at its exclusive access `at`, or behind it
//
// Memory has 32-bit addresses: it is static, and the program is linked without PIE.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_cpu.h"
#include "gprof.h"
#include "gprof_port.h"

enum { MEMORY, ON, OFF, RESET, CALL, HIT, REQUEST, DUMP, POKE };

struct operation {
	uint32_t kind, arg[4], n, at[8];
	struct operation *interrupt[8];
};

static uint32_t memory[1 << 18];
static uint32_t *given; // from the end of memory, so that the sanitizer sees what is behind
static uint32_t started, stopped; // of the timer

struct gprof_interval gprof_timer_start(uint32_t interval_us)
{
	started++;
	return interval_us == 13 ? (struct gprof_interval){0, 0} : (struct gprof_interval){3000000, interval_us * 3};
}

void gprof_timer_stop(void) { stopped++; }
void gprof_timer_clear(void) {}

#ifndef GPROF_FAKE_MASKED
bool fake_monitor;
#endif

static const struct operation *running; // what the level under way may be interrupted by
static uint32_t accesses;

static void perform(const struct operation *o);

void fake_interrupts(void)
{
	const struct operation *o = running;
	uint32_t access = accesses++;

	for (uint32_t i = 0; o != NULL && i < o->n; i++)
		if (o->at[i] == access) {
			perform(o->interrupt[i]);
#ifndef GPROF_FAKE_MASKED
			fake_monitor = false;
#endif
		}
}

static void put(uint32_t v) { fwrite(&v, 4, 1, stdout); }

// The block and what it points to.
static void dump(uint32_t result)
{
	struct gprof_block b;
	memcpy(&b, (const void *)&mprof_gprof, sizeof b);
	put(result);
	put((uint32_t)(uintptr_t)given);
	put(started);
	put(stopped);
	put(profile_problem() == NULL ? 0 : profile_problem()[0]);
	fwrite(&b, sizeof b, 1, stdout);
	if (b.version == 0)
		return;
	if (b.buckets != 0)
		fwrite((void *)(uintptr_t)b.counters, 2, b.buckets, stdout);
	fwrite((void *)(uintptr_t)b.hash, 2, b.slots + 1, stdout);
	fwrite((void *)(uintptr_t)b.arcs, sizeof(struct gprof_arc), b.arcs_used, stdout);
}

// What the last profile_on gave.
static uint32_t result;

// What is `off` bytes behind given and ends where memory does.
static void give(uint32_t bytes, uint32_t off)
{
	memset(memory, 0xA5, sizeof memory);
	given = memory + (sizeof memory - bytes) / 4;
	profile_memory((char *)given + off, bytes - off);
}

static void perform(const struct operation *o)
{
	const struct operation *outer = running;
	uint32_t before = accesses;
	const uint32_t *a = o->arg;

	running = o;
	accesses = 0;
	switch (o->kind) {
	case MEMORY:
		give(a[0], a[1]);
		break;
	case ON:
		result = profile_on((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], a[2], a[3]);
		break;
	case OFF:
		profile_off();
		break;
	case RESET:
		profile_reset();
		break;
	case CALL:
		gprof_call(a[0], a[1]);
		break;
	case HIT:
		for (uint32_t i = 0; i < a[1]; i++)
			gprof_hit(a[0]);
		break;
	case REQUEST:
		mprof_gprof.request = 1;
		break;
	case DUMP:
		dump(result);
		break;
	case POKE: // an arc's count
		((volatile struct gprof_arc *)(uintptr_t)mprof_gprof.arcs)[a[0]].count = a[1];
		break;
	}
	running = NULL;
	for (uint32_t i = 0; i < o->n; i++) // those that found no access any more
		if (o->at[i] >= accesses)
			perform(o->interrupt[i]);
	running = outer;
	accesses = before;
}

static uint32_t take(void)
{
	uint32_t v;
	if (fread(&v, 4, 1, stdin) != 1)
		exit(0);
	return v;
}

static struct operation *read_operation(void)
{
	struct operation *o = calloc(1, sizeof *o);
	o->kind = take();
	for (int i = 0; i < 4; i++)
		o->arg[i] = take();
	o->n = take();
	if (o->n > 8)
		abort();
	for (uint32_t i = 0; i < o->n; i++) {
		o->at[i] = take();
		o->interrupt[i] = read_operation();
	}
	return o;
}

static void drop(struct operation *o)
{
	for (uint32_t i = 0; i < o->n; i++)
		drop(o->interrupt[i]);
	free(o);
}

int main(void)
{
	for (;;) {
		struct operation *o = read_operation();
		perform(o);
		drop(o);
	}
}
