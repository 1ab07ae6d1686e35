// fake_cpu.h: a core whose interrupts come where the script wants them: at exclusive accesses, or, with GPROF_FAKE_MASKED,
// before and behind a section without interrupts.
#ifndef FAKE_CPU_H
#define FAKE_CPU_H

#include <stdbool.h>
#include <stdint.h>

// An access that a context may be interrupted at.
void fake_interrupts(void);

#ifdef GPROF_FAKE_MASKED
static inline uint32_t gprof_begin(void) { return fake_interrupts(), 0; }
static inline void gprof_end(uint32_t begun) { (void)begun, fake_interrupts(); }
static inline uint32_t gprof_load_exclusive(volatile uint32_t *p) { return *p; }
static inline uint32_t gprof_load_exclusive16(volatile uint16_t *p) { return *p; }
static inline bool gprof_store_exclusive(volatile uint32_t *p, uint32_t v) { return *p = v, true; }
static inline bool gprof_store_exclusive16(volatile uint16_t *p, uint32_t v) { return *p = (uint16_t)v, true; }
#else
extern bool fake_monitor;

static inline uint32_t gprof_begin(void) { return 0; }
static inline void gprof_end(uint32_t begun) { (void)begun; }

static inline uint32_t gprof_load_exclusive(volatile uint32_t *p)
{
	fake_interrupts();
	fake_monitor = true;
	return *p;
}

static inline uint32_t gprof_load_exclusive16(volatile uint16_t *p)
{
	fake_interrupts();
	fake_monitor = true;
	return *p;
}

static inline bool gprof_store_exclusive(volatile uint32_t *p, uint32_t v)
{
	fake_interrupts();
	if (!fake_monitor)
		return false;
	fake_monitor = false;
	*p = v;
	return true;
}

static inline bool gprof_store_exclusive16(volatile uint16_t *p, uint32_t v)
{
	fake_interrupts();
	if (!fake_monitor)
		return false;
	fake_monitor = false;
	*p = (uint16_t)v;
	return true;
}
#endif
#endif
