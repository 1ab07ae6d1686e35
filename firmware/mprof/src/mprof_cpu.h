/*
 * mprof_cpu.h: what the module needs of the core: an exclusive access, a section without interrupts, the number of the
 * exception that runs. MPROF_CPU names another header with the same functions, for other cores and for tests.
 */
#ifndef MPROF_CPU_H
#define MPROF_CPU_H

#include <stdbool.h>
#include <stdint.h>

/* The module never records itself, whatever flags it is compiled with. */
#define MPROF_PLAIN __attribute__((no_instrument_function))
#define MPROF_INLINE static inline __attribute__((no_instrument_function, always_inline))
#define MPROF_HOOK __attribute__((no_instrument_function, noinline))
#define MPROF_RARE __attribute__((no_instrument_function, noinline, cold))
#define MPROF_RARELY(condition) __builtin_expect(!!(condition), 0)

/* The compiler moves no access across it; the core shows its own accesses in order. */
#define MPROF_BARRIER() __asm volatile("" : : : "memory")

#ifdef MPROF_CPU
#include MPROF_CPU
#else

/* Masks interrupts, and returns what mprof_unmask wants. */
MPROF_INLINE uint32_t mprof_mask(void)
{
	uint32_t before;
	__asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(before) : : "memory");
	return before;
}

MPROF_INLINE void mprof_unmask(uint32_t before)
{
	__asm volatile("msr primask, %0" : : "r"(before) : "memory");
}

/* The number of the exception that runs, 0 in a thread. */
MPROF_INLINE uint32_t mprof_exception(void)
{
	uint32_t n;
	__asm volatile("mrs %0, ipsr" : "=r"(n));
	return n;
}

/* The stack pointer, where it is written: not in a function that is inlined. */
MPROF_INLINE uintptr_t mprof_sp(void)
{
	uintptr_t sp;
	__asm volatile("mov %0, sp" : "=r"(sp));
	return sp;
}

/* An address of code, as the compiler gives it to the hooks: with bit 0, as it is. */
#define MPROF_CODE(address) ((void *)(uintptr_t)(address))

#if defined(__ARM_FEATURE_LDREX) && (__ARM_FEATURE_LDREX & 4)

/*
 * An exception clears the local monitor when it begins and when it returns (DDI 0403E, A3.4.1; B1.5.6, B1.5.8): a store that succeeds was
 * not interrupted since the load. So all that is read and written between the two belongs together.
 */
MPROF_INLINE uint32_t mprof_begin(void) { return 0; }
MPROF_INLINE void mprof_end(uint32_t begun) { (void)begun; }

MPROF_INLINE uintptr_t mprof_load_exclusive(uintptr_t *p)
{
	uintptr_t v;
	__asm volatile("ldrex %0, %1" : "=r"(v) : "Q"(*p) : "memory");
	return v;
}

MPROF_INLINE bool mprof_store_exclusive(uintptr_t *p, uintptr_t v)
{
	uint32_t failed;
	__asm volatile("strex %0, %2, %1" : "=&r"(failed), "=Q"(*p) : "r"(v) : "memory");
	return !failed;
}

MPROF_INLINE void mprof_clear_exclusive(void) { __asm volatile("clrex" : : : "memory"); }

#else

/* ARMv6-M has no exclusive accesses (DDI 0419E, A3.4): the hooks mask interrupts instead. */
#define MPROF_HOOKS_MASK 1
MPROF_INLINE uint32_t mprof_begin(void) { return mprof_mask(); }
MPROF_INLINE void mprof_end(uint32_t begun) { mprof_unmask(begun); }
MPROF_INLINE uintptr_t mprof_load_exclusive(uintptr_t *p) { return *p; }
MPROF_INLINE bool mprof_store_exclusive(uintptr_t *p, uintptr_t v)
{
	*p = v;
	return true;
}
MPROF_INLINE void mprof_clear_exclusive(void) {}

#endif
#endif
#endif
