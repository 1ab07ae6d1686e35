// Vector table and reset. The program has no initialised data.
#include <stdint.h>

extern uint32_t _estack[];
int main(void);
void SysTick_Handler(void);

void Reset_Handler(void) {
	main();
	for (;;)
		;
}

void Default_Handler(void) {
	for (;;)
		;
}

typedef void (*vector)(void);

__attribute__((section(".isr_vector"), used)) static const vector vectors[16] = {
	(vector)_estack, Reset_Handler,   Default_Handler, Default_Handler, Default_Handler, Default_Handler,
	Default_Handler, 0,               0,               0,               0,               Default_Handler,
	Default_Handler, 0,               Default_Handler, SysTick_Handler,
};
