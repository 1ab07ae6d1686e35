/* Vector table, reset and a SysTick that interrupts at an odd period. */
#include <stdint.h>

extern uint32_t _estack[], _sidata[], _sdata[], _edata[], _sbss[], _ebss[];
int main(void);
void SysTick_Handler(void);
void PendSV_Handler(void);
void SVC_Handler(void);

__attribute__((noreturn)) void Reset_Handler(void) {
	const uint32_t *from = _sidata;
	for (uint32_t *to = _sdata; to < _edata;)
		*to++ = *from++;
	for (uint32_t *to = _sbss; to < _ebss;)
		*to++ = 0;
	*(volatile uint32_t *)0xe000ed20 = 0x00f00000; /* PendSV lowest */
	*(volatile uint32_t *)0xe000e014 = 4999;
	*(volatile uint32_t *)0xe000e018 = 0;
	*(volatile uint32_t *)0xe000e010 = 7;
	main();
	for (;;)
		;
}

void fault(void) {
	for (;;)
		;
}

typedef void (*vector)(void);
__attribute__((section(".vectors"), used)) const vector vectors[16] = {
	(vector)_estack, Reset_Handler, fault, fault, fault, fault, fault, 0, 0, 0, 0, SVC_Handler, 0, 0, PendSV_Handler, SysTick_Handler,
};
