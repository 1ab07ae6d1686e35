// The block as the module itself uses it.
#ifndef GPROF_STATE_H
#define GPROF_STATE_H

#include "gprof.h"
#include "gprof_cpu.h"

// Each slot of the hash table is for 256 bytes of code.
#ifndef GPROF_HASH_SHIFT
#define GPROF_HASH_SHIFT 8
#endif

// Where counters stick: those of the histogram, and those of arcs.
#define GPROF_FULL 0xFFFFu
#define GPROF_MOST 0xFFFFFFFFu

GPROF_INLINE volatile uint16_t *gprof_counters(void) { return (volatile uint16_t *)(uintptr_t)mprof_gprof.counters; }
GPROF_INLINE volatile uint16_t *gprof_hash(void) { return (volatile uint16_t *)(uintptr_t)mprof_gprof.hash; }
GPROF_INLINE volatile struct gprof_arc *gprof_arcs(void) { return (volatile struct gprof_arc *)(uintptr_t)mprof_gprof.arcs; }

// Clears what was counted. What comes meanwhile is not counted.
void gprof_clear(void);

#endif
