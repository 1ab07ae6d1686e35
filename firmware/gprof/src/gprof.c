// gprof.c: starts, stops, clears; divides the memory. Nothing here is compiled with -pg.
#include "gprof.h"

#include <stddef.h>

#include "gprof_cpu.h"
#include "gprof_port.h"
#include "gprof_state.h"

// Of the code's size, in percent, what arcs want; and how many they want at least.
#ifndef GPROF_ARC_PERCENTAGE
#define GPROF_ARC_PERCENTAGE 5
#endif
#ifndef GPROF_ARCS_LEAST
#define GPROF_ARCS_LEAST 64
#endif

// Their numbers have 16 bits, with 1 added.
#define ARCS_MOST 0xFFFFu

// Counters of so many buckets take 2 GiB; with more of them sizes would not fit into 32 bits.
#define BUCKETS_MOST 0x40000000u

volatile struct gprof_block mprof_gprof;

static uint32_t *memory;
static uint32_t memory_bytes;
static uint16_t no_hash[2]; // of arcs without memory

void profile_memory(void *p, uint32_t bytes)
{
	uint32_t skip = -(uint32_t)(uintptr_t)p & 3u; // a byte array may begin anywhere

	if (p == NULL || bytes < skip)
		skip = bytes = 0;
	memory = (void *)((char *)p + skip);
	memory_bytes = (bytes - skip) & ~3u;
}

struct layout {
	uint32_t low, high, shift, buckets, slots;
	uint32_t counters, hash, arcs; // bytes, multiples of 4
};

static struct layout layout_of(uint32_t start, uint32_t end, uint32_t bucket_size)
{
	struct layout l = {.shift = 1};
	uint32_t mask;

	while (l.shift < 31 && 1u << l.shift < bucket_size)
		l.shift++;
	mask = (1u << l.shift) - 1;
	l.low = start & ~mask;
	l.buckets = ((end - 1) >> l.shift) - (l.low >> l.shift) + 1;
	l.high = l.low + (l.buckets << l.shift); // 0 where that is the end of the address space, and no code
	l.slots = ((end - 1 - l.low) >> GPROF_HASH_SHIFT) + 1;
	l.counters = (2 * l.buckets + 3) & ~3u;
	l.hash = (2 * (l.slots + 1) + 3) & ~3u;
	l.arcs = (end - start) / 100 * GPROF_ARC_PERCENTAGE / sizeof(struct gprof_arc);
	if (l.arcs < GPROF_ARCS_LEAST)
		l.arcs = GPROF_ARCS_LEAST;
	if (l.arcs > ARCS_MOST)
		l.arcs = ARCS_MOST;
	l.arcs *= sizeof(struct gprof_arc);
	return l;
}

static void divide(const struct layout *l)
{
	uint32_t at = (uint32_t)(uintptr_t)memory, left = memory_bytes - l->counters;
	uint32_t none = (uint32_t)(uintptr_t)no_hash;
	bool arcs = left >= l->hash + sizeof(struct gprof_arc);
	uint32_t n = arcs ? (left - l->hash) / (uint32_t)sizeof(struct gprof_arc) : 0;

	mprof_gprof.counters = at;
	mprof_gprof.hash = arcs ? at + l->counters : none;
	mprof_gprof.slots = arcs ? l->slots : 0;
	mprof_gprof.hash_shift = GPROF_HASH_SHIFT;
	mprof_gprof.arcs = arcs ? at + l->counters + l->hash : none;
	mprof_gprof.arcs_size = n > ARCS_MOST ? ARCS_MOST : n;
	mprof_gprof.low = l->low;
	mprof_gprof.high = l->high;
	mprof_gprof.bucket_shift = l->shift;
	mprof_gprof.buckets = l->buckets;
}

// A block without counters and arcs, until profile_on finds memory for them.
static void divide_nothing(void)
{
	mprof_gprof.version = GPROF_VERSION;
	mprof_gprof.size = sizeof mprof_gprof;
	mprof_gprof.hash = mprof_gprof.arcs = (uint32_t)(uintptr_t)no_hash;
	mprof_gprof.low = mprof_gprof.high = mprof_gprof.buckets = 0;
	mprof_gprof.slots = mprof_gprof.arcs_size = mprof_gprof.arcs_used = 0;
}

uint32_t profile_on(void *start, void *end, uint32_t bucket_size, uint32_t interval_us)
{
	uint32_t from = (uint32_t)(uintptr_t)start, to = (uint32_t)(uintptr_t)end;
	struct gprof_interval interval;
	struct layout l;

	profile_off();
	divide_nothing();
	if (to <= from || interval_us == 0)
		return 0;
	l = layout_of(from, to, bucket_size);
	mprof_gprof.wanted = l.buckets > BUCKETS_MOST ? UINT32_MAX : l.counters + l.hash + l.arcs;
	if (l.buckets > BUCKETS_MOST || memory_bytes < l.counters || l.high == 0)
		return 0;
	divide(&l);
	for (uint32_t i = 0; i < memory_bytes / 4; i++) // a free arc is all zeros, for the host, too
		((volatile uint32_t *)memory)[i] = 0;
	gprof_clear();
	mprof_gprof.state = 1;
	interval = gprof_timer_start(interval_us);
	if (interval.hz == 0) {
		profile_off();
		return 0;
	}
	mprof_gprof.timer_hz = interval.hz;
	mprof_gprof.timer_period = interval.period;
	return (uint32_t)(((uint64_t)interval.period * 1000000u + interval.hz / 2) / interval.hz);
}

void profile_off(void)
{
	gprof_timer_stop();
	mprof_gprof.state = 0;
	if (mprof_gprof.version != 0)
		gprof_clear();
}

void profile_reset(void)
{
	if (mprof_gprof.version != 0)
		gprof_clear();
}

void gprof_clear(void)
{
	uint32_t on = mprof_gprof.state, used;
	volatile uint32_t *word = (volatile uint32_t *)gprof_counters(), *end = word + (mprof_gprof.buckets + 1) / 2;

	mprof_gprof.state = 0;
	mprof_gprof.epoch++; // before anything goes: a call that is being counted below this begins anew
	GPROF_BARRIER();
	used = mprof_gprof.arcs_used; // no more now
	for (; word < end; word++)
		*word = 0;
	for (uint32_t i = 0; i <= mprof_gprof.slots; i++)
		gprof_hash()[i] = 0;
	for (uint32_t i = 0; i < used; i++)
		gprof_arcs()[i].from = gprof_arcs()[i].self = gprof_arcs()[i].count = gprof_arcs()[i].next = 0;
	mprof_gprof.arcs_used = mprof_gprof.arcs_lost = 0;
	mprof_gprof.ticks = mprof_gprof.outside = mprof_gprof.saturated = 0;
	mprof_gprof.request = 0;
	GPROF_BARRIER();
	mprof_gprof.state = on;
}

const char *profile_problem(void)
{
	if (mprof_gprof.arcs_lost != 0)
		return "calls are missing: their arcs found no room; give profile_memory mprof_gprof.wanted bytes or more";
	if (mprof_gprof.saturated != 0)
		return "time is missing: a counter of the histogram is at its end; reset earlier, or choose a longer interval";
	return NULL;
}
