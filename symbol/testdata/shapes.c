/* Symbols of every shape that linkers and compilers make. */
#include <stdint.h>

typedef enum {
	NonMaskableInt_IRQn = -14,
	SysTick_IRQn = -1,
	WWDG_IRQn = 0,
	TIM2_IRQn = 2,
	USART1_IRQn = 3,
	SPI1_IRQn = 5,
} IRQn_Type;

volatile uint32_t nvic[8], sink;

static inline void enable(IRQn_Type n)
{
	nvic[(uint32_t)n >> 5] = 1u << ((uint32_t)n & 31);
}

void Default_Handler(void)
{
	for (;;)
		sink++;
}

#define WEAK __attribute__((weak, alias("Default_Handler")))
WEAK void NMI_Handler(void);
WEAK void HardFault_Handler(void);
WEAK void SysTick_Handler(void);
WEAK void WWDG_IRQHandler(void);
WEAK void TIM2_IRQHandler(void);
WEAK void USART1_IRQHandler(void);

void SPI1_IRQHandler(void)
{
	sink += 5;
}

/* Registered at run time, in a table in RAM. */
void registered(void)
{
	sink += 7;
}

__attribute__((section(".ramtext"), noinline)) int in_ram(int x)
{
	return x * 3 + (int)sink;
}

extern int unsized(int), with_data(int), other_helper(int);

__attribute__((noinline)) static int helper(int x)
{
	sink += 11;
	return x + 1;
}

/* Called with one constant: .constprop. */
__attribute__((noinline)) static int scale(int x, int by)
{
	for (int i = 0; i < by; i++)
		x += (int)sink;
	return x;
}

struct point { int x, y; };

/* Takes what a pointer leads to: .isra. */
__attribute__((noinline)) static int length(const struct point *p)
{
	sink += 13;
	return p->x * p->x + p->y * p->y;
}

__attribute__((cold, noinline)) void fail(void)
{
	sink = 17;
}

/* The unlikely half is moved away: .cold or .part. */
__attribute__((noinline)) int parted(int x)
{
	if (__builtin_expect(x < 0, 0)) {
		fail();
		sink += (uint32_t)x * 7;
		fail();
		return helper(x);
	}
	return x + 1;
}

/* Nothing calls these; --gc-sections drops them, but not what describes them. */
__attribute__((noinline)) int dropped(int x)
{
	return x * 19 + helper(x);
}

int dropped_too(int x)
{
	return dropped(x) + scale(x, 4);
}

int Reset_Handler(void)
{
	enable(TIM2_IRQn);
	struct point p = { (int)sink, 4 };
	int x = in_ram(helper((int)sink)) + unsized(3) + with_data(4) + other_helper(5);
	x += scale(x, 9) + scale(x + 1, 9) + length(&p) + parted(x);
	sink = (uint32_t)x + (uint32_t)registered;
	return 0;
}

__attribute__((section(".isr_vector"), used)) const uintptr_t vectors[] = {
	0x20005000, (uintptr_t)Reset_Handler, (uintptr_t)NMI_Handler, (uintptr_t)HardFault_Handler,
	0, 0, 0, 0, 0, 0, 0, (uintptr_t)Default_Handler, 0, 0, (uintptr_t)Default_Handler, (uintptr_t)SysTick_Handler,
	(uintptr_t)WWDG_IRQHandler, (uintptr_t)Default_Handler, (uintptr_t)TIM2_IRQHandler, (uintptr_t)USART1_IRQHandler,
	(uintptr_t)Default_Handler, (uintptr_t)SPI1_IRQHandler,
};
