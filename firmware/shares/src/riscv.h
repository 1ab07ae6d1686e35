// What the program needs of QEMU's virt machine: a loop of two instructions, and
// the machine timer of hart 0.
#ifndef RISCV_H
#define RISCV_H

#include <stdint.h>

#define LOOP "1:\taddi %0, %0, -1\n\tbnez %0, 1b"
#define LOOP_COUNTER(n) "+r"(n)

// The CLINT of QEMU's virt machine; mtime counts at 10 MHz (hw/riscv/virt.c).
#define MTIMECMP ((volatile uint32_t *)0x02004000u)
#define MTIME ((volatile uint32_t *)0x0200bff8u)


// The interrupt comes when mtime reaches mtimecmp (RISC-V Privileged Architecture,
// 3.2.1). The high word is all ones while the low one changes.
static inline void next_tick(uint64_t at) {
	MTIMECMP[1] = 0xffffffffu;
	MTIMECMP[0] = (uint32_t)at;
	MTIMECMP[1] = (uint32_t)(at >> 32);
}

static inline uint64_t compared(void) { return (uint64_t)MTIMECMP[1] << 32 | MTIMECMP[0]; }

void trap(void);

static inline void start_ticks(void) {
	__asm volatile("csrw mtvec, %0" : : "r"(trap));
	next_tick(MTIME[0] + (uint64_t)TICK_CYCLES);
	__asm volatile("csrs mie, %0\n\tcsrsi mstatus, 8" : : "r"(0x80)); // MTIE, MIE
}

#endif
