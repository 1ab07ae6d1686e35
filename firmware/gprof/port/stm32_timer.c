// stm32_timer.c: a general-purpose timer of an STM32, TIM2 to TIM5 (RM0090 18.4; F1 to L5 have the same registers).
//
// GPROF_TIMER_NUMBER   2 to 5; 5. TIM2 and TIM5 have 32 bits on an F4; GPROF_TIMER_BITS=16 where they have not
// GPROF_CPU_HZ         clock of the core (HCLK); CMSIS's SystemCoreClock. The timer's follows from it and RCC at profile_on
// GPROF_TIMER_HZ       clock of the timer itself, instead; GPROF_TIMER_ENABLE is then its clock's register in RCC, where
//                      that is not 0x40023840 (RCC_APB1ENR of F2, F4, F7)
// GPROF_TIMER_LINE     its interrupt, where that is not 28, 29, 30 or 50
//
// In the vector table TIM5_IRQHandler is gprof_irq, gprof_port.h.
#include "timer.h"

#ifndef GPROF_TIMER_NUMBER
#define GPROF_TIMER_NUMBER 5
#endif
#ifndef GPROF_TIMER_BITS
#define GPROF_TIMER_BITS (GPROF_TIMER_NUMBER == 2 || GPROF_TIMER_NUMBER == 5 ? 32 : 16)
#endif
#ifndef GPROF_TIMER_LINE
#define GPROF_TIMER_LINE (GPROF_TIMER_NUMBER == 5 ? 50u : 26u + GPROF_TIMER_NUMBER)
#endif
#ifndef GPROF_TIMER_ENABLE
#define GPROF_TIMER_ENABLE 0x40023840u
#endif

// RM0090 2.3, 7.3.3
#define TIM (0x40000000u + 0x400u * (GPROF_TIMER_NUMBER - 2))
#define RCC_CFGR 0x40023808u

// RM0090 18.4
#define TIM_CR1 (TIM + 0x00)
#define TIM_DIER (TIM + 0x0C)
#define TIM_SR (TIM + 0x10)
#define TIM_EGR (TIM + 0x14)
#define TIM_PSC (TIM + 0x28)
#define TIM_ARR (TIM + 0x2C)

#define CR1_CEN (1u << 0)
#define CR1_URS (1u << 2)
#define CR1_ARPE (1u << 7)
#define UPDATE (1u << 0)

// Of a timer of 16 bits, with room above for a longer interval.
#define SHORT_MOST 0xE000u

#ifdef GPROF_TIMER_HZ
static uint32_t timer_hz(void) { return GPROF_TIMER_HZ; }
#else
#ifndef GPROF_CPU_HZ
extern uint32_t SystemCoreClock;
#define GPROF_CPU_HZ SystemCoreClock
#endif

// PPRE1: 0xx not divided, then 2, 4, 8, 16; a divided bus's timers run at twice its clock (RM0090 7.2).
static uint32_t timer_hz(void)
{
	uint32_t divider = gprof_register(RCC_CFGR) >> 10 & 7u;

	return divider < 4 ? GPROF_CPU_HZ : GPROF_CPU_HZ >> (divider - 4);
}
#endif

static uint32_t period; // in ticks behind the prescaler

// Flags are cleared by writing 0; others stay as they are with 1.
static void clear(void) { gprof_set_register(TIM_SR, ~UPDATE); }

struct gprof_interval gprof_timer_start(uint32_t interval_us)
{
	struct gprof_interval i = {timer_hz(), 0};
	uint32_t prescaler = 1;

	i.period = gprof_ticks(i.hz, interval_us, GPROF_TIMER_BITS == 16 ? 0xFFFFu * SHORT_MOST : GPROF_TIMER_MOST);
	if (GPROF_TIMER_BITS == 16) {
		prescaler = i.period / SHORT_MOST + 1; // up to 65536, which is what PSC takes
		i.period -= i.period % prescaler;
	}
	gprof_set_register(GPROF_TIMER_ENABLE, gprof_register(GPROF_TIMER_ENABLE) | 1u << (GPROF_TIMER_NUMBER - 2));
	period = i.period / prescaler;
	gprof_set_register(TIM_CR1, CR1_URS);
	gprof_set_register(TIM_PSC, prescaler - 1);
	gprof_set_register(TIM_ARR, period - 1);
	gprof_set_register(TIM_EGR, UPDATE);
	clear();
	gprof_enable_interrupt(GPROF_TIMER_LINE);
	gprof_set_register(TIM_DIER, UPDATE);
	gprof_set_register(TIM_CR1, CR1_URS | CR1_ARPE | CR1_CEN);
	return i;
}

// Without the timer's clock the registers take nothing, and there is nothing to stop.
void gprof_timer_stop(void)
{
	gprof_set_register(TIM_CR1, 0);
	gprof_set_register(TIM_DIER, 0);
	clear();
}

// The reload is preloaded: it is for the interval behind the one that runs.
void gprof_timer_clear(void)
{
	clear();
	gprof_set_register(TIM_ARR, gprof_jittered(period) - 1);
}
