/* The vector table of inlined.c: weak aliases, one handler replaced. */
#include <stdint.h>

extern int Reset_Handler(void);
extern void TIM2_IRQHandler(void);

void Default_Handler(void)
{
	for (;;)
		;
}

#define WEAK __attribute__((weak, alias("Default_Handler")))
WEAK void NMI_Handler(void);
WEAK void SysTick_Handler(void);
WEAK void WWDG_IRQHandler(void);
WEAK void PVD_IRQHandler(void);

__attribute__((section(".isr_vector"), used)) const uintptr_t vectors[] = {
	0x20005000,
	(uintptr_t)Reset_Handler,
	(uintptr_t)NMI_Handler,
	(uintptr_t)Default_Handler,
	0, 0, 0, 0, 0, 0, 0,
	(uintptr_t)Default_Handler,
	0, 0,
	(uintptr_t)Default_Handler,
	(uintptr_t)SysTick_Handler,
	(uintptr_t)WWDG_IRQHandler,
	(uintptr_t)TIM2_IRQHandler,
	(uintptr_t)PVD_IRQHandler,
};
