// The few registers and instructions of the core that the program uses
// (ARMv7-M Architecture Reference Manual, B3.2 and B3.3).
#ifndef CPU_H
#define CPU_H

#include <stdint.h>

#define CPU_HZ 16000000u
#define TICK_HZ 1000u

#define SYST_CSR (*(volatile uint32_t *)0xe000e010u)
#define SYST_RVR (*(volatile uint32_t *)0xe000e014u)
#define SYST_CVR (*(volatile uint32_t *)0xe000e018u)
#define SCB_ICSR (*(volatile uint32_t *)0xe000ed04u)
#define SCB_SHPR3 (*(volatile uint32_t *)0xe000ed20u)

#define ICSR_PENDSVSET (1u << 28)
#define SHPR3_PENDSV(p) ((uint32_t)(p) << 16)
#define SHPR3_SYSTICK(p) ((uint32_t)(p) << 24)

static inline uint32_t irq_save(void) {
	uint32_t primask;
	__asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(primask) : : "memory");
	return primask;
}

static inline void irq_restore(uint32_t primask) {
	__asm volatile("msr primask, %0\n\tisb" : : "r"(primask) : "memory");
}

static inline void wait_for_interrupt(void) { __asm volatile("dsb\n\twfi" : : : "memory"); }

static inline void pend_switch(void) { SCB_ICSR = ICSR_PENDSVSET; }

#endif
