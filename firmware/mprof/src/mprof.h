/*
 * mprof.h: what an application calls. The module records each call of a function that was
 * compiled with -finstrument-functions, and sends the records over a UART
 * (docs/trace-protocol.md). C99, no allocation, no vendor header.
 *
 *   static uint32_t memory[1024];
 *   mprof_init(&(struct mprof_config){ .memory = memory, .size = sizeof memory, .name = "pump", .hz = 168000000 });
 *   for (;;) { work(); mprof_poll(); }
 */
#ifndef MPROF_H
#define MPROF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mprof_config {
	void *memory;      /* word-aligned; the module's until power-off: stacks of open calls, ring, packets */
	size_t size;       /* bytes */
	const char *name;  /* of the firmware, UTF-8, kept; NULL: none */
	uint32_t hz;       /* of the core clock, which DWT and SysTick count (SysTick with CLKSOURCE 0: of that clock); 0: CMSIS's SystemCoreClock; MPROF_TIME_PORT: unused */
	uint16_t contexts; /* tasks, at most 256; 0: 1 */
	uint16_t depth;    /* open calls per task, those of interrupts on top of it included, at most 2000; 0: 24 */
	uint16_t packet;   /* bytes of the largest payload, 64 to 4096; 0: an eighth of size, at most 512 */
};

/* Prepares everything, measures what a call costs, starts the UART. Profiling begins when the host says so.
 * Returns 0, or -1 where nobody knows hz, memory is not word-aligned, or size is too small for two packets and four
 * records. Not from an interrupt; once. Calls and interrupts before it are not recorded and do no harm. Privileged, as
 * all of the module: elsewhere interrupts cannot be masked. SysTick runs on as it does: start it before. */
int mprof_init(const struct mprof_config *config);

/* Obeys commands and sends what is recorded. Call it often: from the main loop, the idle task or a timer, at
 * least once in a quarter of the time in which the 32-bit timer wraps. Never blocks. Safe in any context; a call
 * while another one is under way returns at once. */
void mprof_poll(void);

/* As the commands of the host. Safe in any context. */
void mprof_start(void);
void mprof_stop(void);
void mprof_reset(void);

/* The scheduler runs task id now (0 .. contexts - 1; others are counted as lost). From the switch
 * itself: with interrupts masked or in PendSV. */
void mprof_context(uint16_t id);

/* Where there is no cycle counter (Cortex-M0, QEMU) time is SysTick's. A SysTick_Handler calls this each time: SysTick must not wrap twice
 * without this, mprof_poll or a recorded call. Nobody else may read its control register (COUNTFLAG). Safe in any
 * context. */
void mprof_systick(void);

/* Names a task for the host; name is kept. After mprof_init. Safe in any context. A task that is not the one that runs begins
 * anew: calls that another has left open under its id count as unmatched. */
void mprof_context_name(uint16_t id, const char *name);

/* The hooks that the compiler calls; safe in any context but NMI and fault handlers, and before mprof_init once memory is
 * initialised: leave these and start-up code uninstrumented (no_instrument_function). By hand: function and call_site are
 * the same at entry and return, function is not 0, calls that are open at the same time differ in one of them, and the function that
 * calls the first hook returns after the second.
 *
 * A call that is left without a return (longjmp, a task that is deleted) is not recorded, and STATUS counts it as unmatched. It is
 * noticed when a caller returns, or when a call begins with less on the processor's stack. One that begins with just as much seems to be
 * called by it until then, or until the module's stack is full. */
void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

#ifdef __cplusplus
}
#endif
#endif
