/* The Secure side: partitions memory, calls the other and is called by it. */
#include "cmse.h"

#include <arm_cmse.h>

typedef int __attribute__((cmse_nonsecure_call)) other(int);
#define OTHER(f) ((other *)((uintptr_t)(f) & ~1u))

extern uint32_t s_stack_top[], s_process_top[], ns_stack_top[], ns_process_top[];
static volatile number s_state;
static volatile int s_count;

/* Blocks from the given LUT word on become Non-secure (Arm CoreLink SIE-200,
   Memory Protection Controller). */
static void __attribute__((always_inline)) inline give(uint32_t mpc, uint32_t half) {
	uint32_t last = REGISTER(mpc + 0x10);
	REGISTER(mpc) = REGISTER(mpc) | 1 << 8;
	REGISTER(mpc + 0x18) = half ? (last + 1) / 2 : 0;
	for (uint32_t i = half ? (last + 1) / 2 : 0; i <= last; i++)
		REGISTER(mpc + 0x1c) = 0xffffffff;
}

int NOINLINE secure_main(int n) {
	give(0x58007000, 1);         /* code: the upper half of SSRAM1 */
	give(0x58008000, 0);         /* data: SSRAM2 */
	REGISTER(0xe000edd0) = 2;    /* SAU_CTRL.ALLNS: bit 28 of addresses decides */
	REGISTER(0x50080014) = 1;    /* NSCCFG: Secure code may have gateways */
	REGISTER(0xe002ed08) = (uint32_t)(uintptr_t)ns_vectors;
	REGISTER(0xe000e380) = 0xa;  /* NVIC_ITNS: IRQ1, IRQ3 */
	REGISTER(0xe000e400) = 0x40408080;
	REGISTER(0xe000e100) = 0xf;
#ifdef __ARM_FP
	REGISTER(0xe000ed88) |= 0xfu << 20;
	REGISTER(0xe002ed88) |= 0xfu << 20;
	REGISTER(0xe000ed8c) |= 3u << 10;
#ifdef TS
	REGISTER(0xe000ef34) |= 1u << 26;
#endif
#endif
	__asm volatile("msr msp_ns, %0; msr psp_ns, %1" ::"r"(ns_stack_top), "r"(ns_process_top));
#ifdef NS_PROCESS
	__asm volatile("msr control_ns, %0" ::"r"(2));
#endif
#ifdef S_PROCESS
	__asm volatile("mov r0, sp; msr psp, r0; msr msp, %0; mov r0, #2; msr control, r0; isb" ::"r"(s_process_top) : "r0", "memory");
#endif
	for (;;)
		n += OTHER(ns_main)(n);
}

int NOINLINE s_leaf(int n) {
	s_state = WORK(s_state, n);
	return n + s_count;
}

int NOINLINE s_middle(int n) {
	volatile int here[5] = {n, 2, 3, 4, 5};
	number before = s_state;
	s_count += s_leaf(n + here[1]);
	s_count += OTHER(ns_callback)(here[0]);
	s_state = WORK(before, s_count);
	return here[4] + s_count;
}

int __attribute__((cmse_nonsecure_entry)) secure_api(int n) { return s_middle(n + 1) + 1; }

int NOINLINE s_low_api_leaf(int n) {
	s_count += n;
	return s_count;
}

int __attribute__((cmse_nonsecure_entry)) secure_low_api(int n) { return s_low_api_leaf(n * 3) ^ 5; }

void NOINLINE s_low_work(void) {
	s_state = WORK(s_state, 7);
	s_count += OTHER(ns_from_low)(s_count);
}
void S_Low_Handler(void) {
	s_low_work();
	s_count++;
}
void NOINLINE s_high_work(void) { s_count ^= 0x55; }
void S_High_Handler(void) {
	s_high_work();
	s_count--;
}
void Fault_Handler(void) {
	for (;;)
		;
}

__attribute__((naked, noreturn)) void Reset_Handler(void) { __asm volatile("movs r0, #1; bl secure_main; b ."); }

__attribute__((section(".s_vectors"), used)) const vector s_vectors[20] = {
	(vector)s_stack_top, Reset_Handler, Fault_Handler, Fault_Handler, Fault_Handler, Fault_Handler, Fault_Handler, Fault_Handler,
	[16] = S_Low_Handler, [18] = S_High_Handler,
};

/* What a debugger steps through to read the registers of both states: it comes in
   at the first or, in Secure state, at the second instruction. R6 and R7 say what to
   write: the interrupt to be pended. */
__attribute__((section(".gadget"), naked, used)) void gadget(void) {
	__asm volatile("sg; mrs r0, msp; mrs r1, psp; mrs r2, msp_ns; mrs r3, psp_ns; mrs r4, control; mrs r5, control_ns; str r7, [r6]; bxns lr");
}
