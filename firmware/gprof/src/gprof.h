// gprof on the target: a histogram of where a timer interrupt finds the program, and, for code
// compiled with -pg, counts of calls by caller and callee. `mprof gmon fetch` takes both out of
// the running target by the symbol mprof_gprof and writes gmon.out.
//
// The functions are those of eCos's profile_gprof, but for the memory, which the caller gives.
#ifndef MPROF_GPROF_H
#define MPROF_GPROF_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Memory for the counters, the hash table and the arcs; before profile_on. What is not aligned to 4 is not used. It may be
// smaller than what profile_on wants: arcs get what the counters leave.
void profile_memory(void *memory, uint32_t bytes);

// Starts anew: counts PCs in [start, end) in buckets of bucket_size bytes, rounded up to a power
// of two, at least 2, every interval_us microseconds, as near as the timer comes to it. Returns the
// interval in use in microseconds, rounded; 0 where nothing was started (mprof_gprof.wanted says how much
// memory it takes). An interval that is no simple fraction of the system tick is a good one.
uint32_t profile_on(void *start, void *end, uint32_t bucket_size, uint32_t interval_us);

// Stops the timer and clears what was counted.
void profile_off(void);

// Clears what was counted and goes on.
void profile_reset(void);

// Why the counts are less than they should be, NULL where nothing is wrong: arcs that had no room,
// counters at their end.
const char *profile_problem(void);

// An arc: `count` calls of the function that called mcount, before `self`, with the return address `from`. Both are what
// LR had: bit 0 is set in Thumb code, and `from` of a handler is EXC_RETURN, 0xFFFFFF00 or above. The count sticks at
// 0xFFFFFFFF. An arc of which the count is 0 has not been called yet.
struct gprof_arc {
	uint32_t from, self, count;
	uint32_t next; // number of the next arc of the hash slot plus 1, 0: none
};

// What the host reads. Addresses are 32 bits wide.
#define GPROF_VERSION 0x67700001u // "gp", layout 1; 0 before the first profile_on
struct gprof_block {
	uint32_t version;
	uint32_t size; // of this structure in bytes; later layouts append to it
	uint32_t state; // 0 off, 1 on
	uint32_t epoch; // how often the counts were cleared: profile_on, profile_off, profile_reset, a request
	uint32_t low, high; // [start, end), widened to whole buckets
	uint32_t bucket_shift;
	uint32_t buckets;
	uint32_t counters; // address of uint16_t[buckets]; they stick at 0xFFFF
	uint32_t timer_hz, timer_period; // the interval is timer_period / timer_hz seconds
	uint32_t ticks; // timer interrupts since the epoch began
	uint32_t outside; // of them, PCs that are not in [low, high)
	uint32_t saturated; // of them, those that found their counter at 0xFFFF
	uint32_t hash; // the target's own: uint16_t[slots + 1] by (from - low) >> hash_shift, the last one for callers that
	               // are elsewhere: number of an arc plus 1. The host reads arcs[0] to arcs[arcs_used - 1]
	uint32_t hash_shift, slots;
	uint32_t arcs; // address of struct gprof_arc[arcs_size]
	uint32_t arcs_size, arcs_used;
	uint32_t arcs_lost; // calls that found no room for a new arc
	uint32_t request; // the host writes 1: the next tick clears the counts and writes 0
	uint32_t wanted; // bytes that profile_on would have liked
};
extern volatile struct gprof_block mprof_gprof;

#ifdef __cplusplus
}
#endif
#endif
