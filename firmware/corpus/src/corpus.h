// What every program of the corpus has in common.
#ifndef CORPUS_H
#define CORPUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NOINLINE __attribute__((noinline))

// sink takes results, so that no work is left out.
extern volatile uint32_t sink;

// corpus_done is where every program ends.
void corpus_done(void) __attribute__((noreturn));

// mix is FNV-1a.
uint32_t mix(uint32_t h, const void *p, size_t n);

// corpus_tick starts SysTick: an interrupt every so many cycles.
void corpus_tick(uint32_t cycles);

// corpus_random is a generator of the program's own: the same numbers with
// every library.
uint32_t corpus_random(void);

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define ICSR REGISTER(0xe000ed04)
#define PENDSVSET (1u << 28)
#define NVIC_ISER REGISTER(0xe000e100)
#define NVIC_ISPR REGISTER(0xe000e200)
#define NVIC_IPR REGISTER(0xe000e400) // of IRQ 0 to 3
#define SHPR2 REGISTER(0xe000ed1c)    // SVCall in the top byte
#define SHPR3 REGISTER(0xe000ed20)    // PendSV, SysTick in the upper half

void SysTick_Handler(void);
void PendSV_Handler(void);
void SVC_Handler(void);
void IRQ0_Handler(void);
void IRQ1_Handler(void);
void IRQ2_Handler(void);
void IRQ3_Handler(void);

#ifdef __cplusplus
}
#endif
#endif
