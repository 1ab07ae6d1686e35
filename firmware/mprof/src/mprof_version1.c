/*
 * mprof_version1.c: records of 14 bytes, in microseconds.
 *
 * A second has a whole number of ticks, so that nothing drifts: whole seconds are counted, and what is left is
 * multiplied by microseconds per tick.
 */
#include "mprof_wire.h"

#define MPROF_SECOND 1000000u

/* us_per_tick * 2^us_shift, as exact as 32 bits can be. */
MPROF_PLAIN void mprof_version1_init(void)
{
	uint8_t shift = 32;
	while ((((uint64_t)MPROF_SECOND << shift) / mprof_cold.tick_hz) >> 32)
		shift--;
	mprof_cold.us_shift = shift;
	mprof_cold.us_per_tick = (uint32_t)(((uint64_t)MPROF_SECOND << shift) / mprof_cold.tick_hz);
	mprof_cold.second_ticks = mprof_cold.second_us = 0;
}

/* Moves the last whole second up to a moment that is not before it. */
MPROF_PLAIN void mprof_version1_follow(uint32_t ticks)
{
	const uint32_t passed = ticks - mprof_cold.second_ticks;
	if (passed >= mprof_cold.tick_hz) {
		const uint32_t seconds = passed / mprof_cold.tick_hz;
		mprof_cold.second_ticks += seconds * mprof_cold.tick_hz;
		mprof_cold.second_us += seconds * MPROF_SECOND;
	}
}

/* Microseconds of ticks within a second. */
MPROF_INLINE uint32_t mprof_us(uint32_t ticks)
{
	return (uint32_t)((uint64_t)ticks * mprof_cold.us_per_tick >> mprof_cold.us_shift);
}

MPROF_PLAIN uint32_t mprof_version1(uint8_t *payload, uint32_t length, const struct mprof_slot *record)
{
	uint32_t exit, entry, seconds = 0;
	uint8_t *p = payload + length;
	if (record->function == 0)
		return length;
	mprof_version1_follow(record->exit);
	exit = record->exit - mprof_cold.second_ticks;
	if (record->duration > exit) { /* entered before that second */
		const uint32_t before = record->duration - exit, hz = mprof_cold.tick_hz;
		seconds = before / hz;
		entry = before - seconds * hz;
		if (entry != 0) {
			seconds++;
			entry = hz - entry;
		}
	} else {
		entry = exit - record->duration;
	}
	exit = mprof_us(exit);
	entry = mprof_us(entry);
	if (length == 0)
		*p++ = MPROF_TARGET_DATA;
	p = mprof_put32(p, record->function);
	if (record->duration == MPROF_SATURATED || seconds > UINT32_MAX / MPROF_SECOND - 1) {
		p = mprof_put32(p, mprof_cold.second_us + exit + 1);
		p = mprof_put32(p, UINT32_MAX);
	} else {
		p = mprof_put32(p, mprof_cold.second_us + entry - seconds * MPROF_SECOND);
		p = mprof_put32(p, seconds * MPROF_SECOND + exit - entry);
	}
	p = mprof_put16(p, record->where >> MPROF_WHERE_DEPTH_SHIFT & MPROF_DEEPEST);
	mprof_cold.sent++;
	return (uint32_t)(p - payload);
}
