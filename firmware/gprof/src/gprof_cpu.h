// What the module needs of the core: an exclusive access, or else a section without interrupts. GPROF_CPU names another
// header with the same functions, for other cores and for tests.
#ifndef GPROF_CPU_H
#define GPROF_CPU_H

#include <stdbool.h>
#include <stdint.h>

// The compiler moves no access across it; the core shows its own accesses in order.
#define GPROF_BARRIER() __asm volatile("" : : : "memory")

#define GPROF_INLINE static inline __attribute__((always_inline))
#define GPROF_RARE __attribute__((noinline, cold))

#ifdef GPROF_CPU
#include GPROF_CPU
#else

#if defined(__ARM_FEATURE_LDREX) && (__ARM_FEATURE_LDREX & 6) == 6

// An exception clears the local monitor when it begins and when it returns (DDI 0403E, A3.4.1; B1.5.6, B1.5.8): a store
// that succeeds was not interrupted since the load. So all that is read between the two belongs together.
GPROF_INLINE uint32_t gprof_begin(void) { return 0; }
GPROF_INLINE void gprof_end(uint32_t begun) { (void)begun; }

GPROF_INLINE uint32_t gprof_load_exclusive(volatile uint32_t *p)
{
	uint32_t v;
	__asm volatile("ldrex %0, %1" : "=r"(v) : "Q"(*p) : "memory");
	return v;
}

GPROF_INLINE bool gprof_store_exclusive(volatile uint32_t *p, uint32_t v)
{
	uint32_t failed;
	__asm volatile("strex %0, %2, %1" : "=&r"(failed), "=Q"(*p) : "r"(v) : "memory");
	return !failed;
}

GPROF_INLINE uint32_t gprof_load_exclusive16(volatile uint16_t *p)
{
	uint32_t v;
	__asm volatile("ldrexh %0, %1" : "=r"(v) : "Q"(*p) : "memory");
	return v;
}

GPROF_INLINE bool gprof_store_exclusive16(volatile uint16_t *p, uint32_t v)
{
	uint32_t failed;
	__asm volatile("strexh %0, %2, %1" : "=&r"(failed), "=Q"(*p) : "r"(v) : "memory");
	return !failed;
}

#else

// ARMv6-M has no exclusive accesses (DDI 0419E, A3.4), and a trap of RISC-V need not clear a reservation (Unprivileged ISA
// 20191213, 8.2): a call is counted with interrupts masked. Of handlers that cannot be masked (NMI, HardFault) none may
// be compiled with -pg there.
#if defined(__riscv)
GPROF_INLINE uint32_t gprof_begin(void)
{
	uint32_t before;
	__asm volatile("csrrci %0, mstatus, 8" : "=r"(before) : : "memory");
	return before & 8;
}

GPROF_INLINE void gprof_end(uint32_t begun) { __asm volatile("csrs mstatus, %0" : : "r"(begun) : "memory"); }
#else
GPROF_INLINE uint32_t gprof_begin(void)
{
	uint32_t before;
	__asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(before) : : "memory");
	return before;
}

GPROF_INLINE void gprof_end(uint32_t begun) { __asm volatile("msr primask, %0" : : "r"(begun) : "memory"); }
#endif

GPROF_INLINE uint32_t gprof_load_exclusive(volatile uint32_t *p) { return *p; }
GPROF_INLINE uint32_t gprof_load_exclusive16(volatile uint16_t *p) { return *p; }

GPROF_INLINE bool gprof_store_exclusive(volatile uint32_t *p, uint32_t v)
{
	*p = v;
	return true;
}

GPROF_INLINE bool gprof_store_exclusive16(volatile uint16_t *p, uint32_t v)
{
	*p = (uint16_t)v;
	return true;
}

#endif
#endif
#endif
