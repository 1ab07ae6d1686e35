// Vector table and start-up.
#include <stdint.h>

extern uint32_t _estack[], _sidata[], _sdata[], _edata[], _sbss[], _ebss[];
int main(void);

__attribute__((noreturn)) void Reset_Handler(void) {
	const uint32_t *from = _sidata;
	for (uint32_t *to = _sdata; to < _edata;)
		*to++ = *from++;
	for (uint32_t *to = _sbss; to < _ebss;)
		*to++ = 0;
	main();
	for (;;)
		;
}

// Default_Handler stays here for a debugger to find.
void Default_Handler(void) {
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
void SysTick_Handler(void) WEAK;
void WWDG_IRQHandler(void) WEAK;
void EXTI0_IRQHandler(void) WEAK;
void DMA1_Stream0_IRQHandler(void) WEAK;
void ADC_IRQHandler(void) WEAK;
void TIM2_IRQHandler(void) WEAK;
void I2C1_EV_IRQHandler(void) WEAK;
void SPI1_IRQHandler(void) WEAK;
void USART1_IRQHandler(void) WEAK;

typedef void (*vector)(void);

__attribute__((section(".isr_vector"), used)) static const vector vectors[16 + 8] = {
	(vector)_estack,      Reset_Handler,   NMI_Handler,      HardFault_Handler, MemManage_Handler,
	BusFault_Handler,     UsageFault_Handler, 0,             0,                 0,
	0,                    SVC_Handler,     DebugMon_Handler, 0,                 PendSV_Handler,
	SysTick_Handler,      WWDG_IRQHandler, EXTI0_IRQHandler, DMA1_Stream0_IRQHandler, ADC_IRQHandler,
	TIM2_IRQHandler,      I2C1_EV_IRQHandler, SPI1_IRQHandler, USART1_IRQHandler,
};
