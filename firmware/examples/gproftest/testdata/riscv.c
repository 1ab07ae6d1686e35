// riscv.c: a program for QEMU's board virt that profiles itself, with the timer of its CLINT. Compiled with -pg.
#include "gprof.h"
#include "gprof_port.h"

#define PLAIN __attribute__((no_instrument_function))
#define APART __attribute__((noinline, noclone))

// SiFive FU540-C000 Manual 1.0, 9.1: the CLINT; its clock on virt is 10 MHz.
#define MTIMECMP ((volatile uint32_t *)0x02004000)
#define MTIME ((volatile uint32_t *)0x0200BFF8)

static uint32_t memory[2000], period;
static volatile uint32_t sink;
extern char _stext[], _etext[];

static PLAIN void next(void) { MTIMECMP[0] = MTIME[0] + period, MTIMECMP[1] = 0; } // for the first seven minutes

PLAIN struct gprof_interval gprof_timer_start(uint32_t interval_us)
{
	period = interval_us * 10;
	next();
	__asm volatile("csrs mie, %0\n\tcsrsi mstatus, 8" : : "r"(1 << 7));
	return (struct gprof_interval){10000000, period};
}

PLAIN void gprof_timer_stop(void) { __asm volatile("csrc mie, %0" : : "r"(1 << 7)); }
PLAIN void gprof_timer_clear(void) { next(); }

PLAIN __attribute__((interrupt("machine"), aligned(4))) void trap(void)
{
	uint32_t mepc;
	__asm volatile("csrr %0, mepc" : "=r"(mepc));
	gprof_timer_clear();
	gprof_hit(mepc);
}

static inline __attribute__((always_inline)) void spin(uint32_t n)
{
	__asm volatile("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+r"(n));
}

APART void takes_20(uint32_t n) { spin(2 * n); }
APART void takes_40(uint32_t n) { spin(4 * n), sink++; }
APART uint32_t climbs(uint32_t n);
static uint32_t (*volatile itself)(uint32_t) = climbs;
APART uint32_t climbs(uint32_t n) { return n == 0 ? 1 : itself(n - 1) + n; }

APART void round_of_all(void)
{
	takes_20(500);
	takes_40(500);
	sink += climbs(3);
}

PLAIN int main(void)
{
	__asm volatile("csrw mtvec, %0" : : "r"(trap));
	profile_memory(memory, sizeof memory);
	profile_on(_stext, _etext, 2, 97);
	for (;;)
		round_of_all();
}

__asm(".section .start, \"ax\"\n\t.global _start\n_start: la sp, _estack\n\tcall main\n\tj .");
