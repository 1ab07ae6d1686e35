/*
 * core.h: the registers and instructions of the core that boards and examples use (ARMv7-M Architecture Reference Manual,
 * DDI 0403E, B3.2 to B3.4; the same in ARMv6-M, DDI 0419, B3.2 to B3.4).
 */
#ifndef CORE_H
#define CORE_H

#include <stdint.h>

#include "board.h"

#define SYST_CSR (*(volatile uint32_t *)0xE000E010u)
#define SYST_RVR (*(volatile uint32_t *)0xE000E014u)
#define SYST_CVR (*(volatile uint32_t *)0xE000E018u)
#define CORE_NVIC_ISER0 (*(volatile uint32_t *)0xE000E100u)
#define CORE_NVIC_ISPR0 (*(volatile uint32_t *)0xE000E200u)
#define CORE_NVIC_IPR(word) (((volatile uint32_t *)0xE000E400u)[word])
#define SCB_ICSR (*(volatile uint32_t *)0xE000ED04u)
#define SCB_SHPR3 (*(volatile uint32_t *)0xE000ED20u)

#define ICSR_PENDSVSET (1u << 28)

static inline NOTRACE uint32_t core_mask(void) {
	uint32_t primask;
	__asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(primask) : : "memory");
	return primask;
}

static inline NOTRACE void core_unmask(uint32_t primask) {
	__asm volatile("msr primask, %0\n\tisb" : : "r"(primask) : "memory");
}

/* Interrupts below 32 only. ARMv6-M takes words alone. */
static inline NOTRACE void core_enable_interrupt(unsigned n, uint32_t priority) {
	uint32_t shift = n % 4 * 8;
	CORE_NVIC_IPR(n / 4) = (CORE_NVIC_IPR(n / 4) & ~(0xFFu << shift)) | priority << 6 << shift;
	CORE_NVIC_ISER0 = 1u << n;
}

/* PendSV has the lowest priority that there is, however many bits the core has: it must not switch tasks under an
 * interrupt, such as that of mprof's port, which has the lowest, too. */
static inline NOTRACE void core_priorities(void) { SCB_SHPR3 = PRIORITY_TICK << 6 << 24 | 0xFFu << 16; }

static inline NOTRACE void core_start_systick(uint32_t cycles) {
	SYST_RVR = cycles - 1;
	SYST_CVR = 0;
	SYST_CSR = 7; /* core clock, interrupt, enable */
}

#endif
