/*
 * startup.c: the first words of the vector table, and start-up. It runs before the module is ready and is not traced.
 */
#include "board.h"

extern uint32_t _estack[], _sidata[], _sdata[], _edata[], _sbss[], _ebss[];
int main(void) NOTRACE;

NOTRACE __attribute__((noreturn)) void Reset_Handler(void) {
	const uint32_t *from = _sidata;
	for (uint32_t *to = _sdata; to < _edata;)
		*to++ = *from++;
	for (uint32_t *to = _sbss; to < _ebss;)
		*to++ = 0;
	main();
	for (;;)
		;
}

/* Default_Handler stays here for a debugger to find. */
NOTRACE void Default_Handler(void) {
	for (;;)
		;
}

#define WEAK __attribute__((weak, alias("Default_Handler")))
void NMI_Handler(void) WEAK;
void HardFault_Handler(void) WEAK;
void MemManage_Handler(void) WEAK;
void BusFault_Handler(void) WEAK;
void UsageFault_Handler(void) WEAK;
void SVC_Handler(void) WEAK;
void DebugMon_Handler(void) WEAK;
void PendSV_Handler(void) WEAK;

typedef void (*vector)(void);

/* Those of the chip's own interrupts follow: each board has them in .isr_vector.chip. */
__attribute__((section(".isr_vector"), used)) static const vector vectors[16] = {
	(vector)_estack,   Reset_Handler,      NMI_Handler,      HardFault_Handler, MemManage_Handler, BusFault_Handler,
	UsageFault_Handler, 0,                 0,                0,                 0,                 SVC_Handler,
	DebugMon_Handler,  0,                  PendSV_Handler,   board_tick,
};
