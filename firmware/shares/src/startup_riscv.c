// Reset and the trap handler of a RISC-V hart. The program has no initialised data.
#include "shares.h"

#include "riscv.h"

int main(void);
void SysTick_Handler(void);

// It stands where the machine begins. Nothing called it.
__attribute__((naked, section(".isr_vector"), used)) void Reset_Handler(void) {
	__asm volatile(".cfi_undefined ra\n\tla sp, _estack\n\tcall main\n1:\tj 1b");
}

// The only trap is the timer's. mtvec wants a multiple of four.
__attribute__((interrupt("machine"), aligned(4))) void trap(void) {
	next_tick(compared() + TICK_CYCLES);
	SysTick_Handler();
}
