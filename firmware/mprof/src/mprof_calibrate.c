/*
 * mprof_calibrate.c: what a recorded call costs, measured on calls of an empty function.
 */
#include "mprof_clock.h"

#define MPROF_CALLS 16u /* of a round, with interrupts masked; fewer where the ring is smaller */
#define MPROF_ROUNDS 8u /* the slower half is left out: caches were cold */

/* An empty function, and the same as the compiler writes it with -finstrument-functions. */
static MPROF_PLAIN __attribute__((noinline)) void mprof_bare(void) { __asm volatile(""); }

static MPROF_PLAIN __attribute__((noinline)) void mprof_instrumented(void)
{
	void *const here = MPROF_CODE(&mprof_instrumented);
	void *const from = MPROF_CODE(__builtin_return_address(0));
	__cyg_profile_func_enter(here, from);
	__asm volatile("");
	__cyg_profile_func_exit(here, from);
}

struct mprof_round {
	uint32_t pairs, inner; /* timer cycles of all calls */
};

/* Nothing else is recorded meanwhile, and the ring is left empty. */
static MPROF_PLAIN struct mprof_round mprof_measure(const struct mprof_context *c, uint32_t calls)
{
	struct mprof_round r = {0, 0};
	const uint32_t mask = mprof_mask();
	const uintptr_t stopped = mprof_hot.state;
	uint32_t begin, middle, end;
	mprof_hot.state = mprof_hot.tail;
	mprof_hot.limit = (uintptr_t)c->limit;
	begin = mprof_time();
	for (uint32_t i = 0; i < calls; i++)
		mprof_bare();
	middle = mprof_time();
	for (uint32_t i = 0; i < calls; i++)
		mprof_instrumented();
	end = mprof_time();
	r.pairs = (end - middle) - (middle - begin);
	for (uintptr_t i = mprof_hot.tail; i != (mprof_hot.state & MPROF_HEAD); i = mprof_slot_after(i)) {
		r.inner += mprof_hot.ring[i].duration;
		mprof_hot.ring[i].where = 0;
	}
	mprof_hot.state = stopped;
	mprof_hot.limit = 0;
	mprof_unmask(mask);
	return r;
}

/* The mean of the faster half of the rounds, in 1/256 of a cycle of one call. */
static MPROF_PLAIN uint32_t mprof_typical(uint32_t v[MPROF_ROUNDS], uint32_t calls)
{
	uint32_t sum = 0;
	for (unsigned i = 0; i < MPROF_ROUNDS / 2; i++) {
		unsigned least = i;
		uint32_t x;
		for (unsigned j = i + 1; j < MPROF_ROUNDS; j++)
			if ((int32_t)v[j] < (int32_t)v[least])
				least = j;
		x = v[least];
		v[least] = v[i];
		v[i] = x;
		sum += x;
	}
	if (sum >> 24) /* longer than a second of any core */
		return 0;
	return ((sum << 8) + calls * MPROF_ROUNDS / 4) / (calls * MPROF_ROUNDS / 2);
}

/* Once, with the ring empty and profiling stopped. */
MPROF_PLAIN void mprof_calibrate(const struct mprof_context *first)
{
	uint32_t pairs[MPROF_ROUNDS], inner[MPROF_ROUNDS];
	const uint32_t calls = mprof_hot.last < MPROF_CALLS ? (uint32_t)mprof_hot.last : MPROF_CALLS;
	mprof_time_shift(0);
	for (unsigned i = 0; i < MPROF_ROUNDS; i++) {
		const struct mprof_round r = mprof_measure(first, calls);
		pairs[i] = r.pairs;
		inner[i] = r.inner;
	}
	mprof_cold.pair_cost = mprof_typical(pairs, calls);
	mprof_cold.inner_cost = mprof_typical(inner, calls);
}
