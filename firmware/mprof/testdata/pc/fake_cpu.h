/*
 * fake_cpu.h: a core whose interrupts come where the script wants them: at every access of the hooks that another
 * context can see.
 */
#ifndef FAKE_CPU_H
#define FAKE_CPU_H

#include <stdbool.h>
#include <stdint.h>

uint32_t fake_mask(void);
void fake_unmask(uint32_t before);
uint32_t fake_exception(void);
uintptr_t fake_sp(void);
void fake_clear_exclusive(void);

#define MPROF_CODE(address) ((void *)((uintptr_t)(address) | 1))
#define mprof_mask fake_mask
#define mprof_unmask fake_unmask
#define mprof_exception fake_exception
#define mprof_sp fake_sp

#ifdef FAKE_ARMV6M
#define MPROF_HOOKS_MASK 1
#define mprof_begin fake_mask
#define mprof_end fake_unmask
static inline uintptr_t mprof_load_exclusive(uintptr_t *p) { return *p; }
static inline bool mprof_store_exclusive(uintptr_t *p, uintptr_t v)
{
	*p = v;
	return true;
}
#define mprof_clear_exclusive fake_clear_exclusive
#else
uintptr_t fake_load_exclusive(uintptr_t *p);
bool fake_store_exclusive(uintptr_t *p, uintptr_t v);
#define mprof_load_exclusive fake_load_exclusive
#define mprof_store_exclusive fake_store_exclusive
#define mprof_clear_exclusive fake_clear_exclusive
static inline uint32_t mprof_begin(void) { return 0; }
static inline void mprof_end(uint32_t begun) { (void)begun; }
#endif
#endif
