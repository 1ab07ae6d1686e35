/* Start-up: vectors, initialised data, main, the end. */
#include "program.h"

extern uint32_t stack_top, data_start, data_end, data_load, bss_start, bss_end;
int main(void);
void hardfault(void);
void memmanage(void);
void busfault(void);
void usagefault(void);
void svcall(void);
void pendsv(void);
void irq0(void);
void irq1(void);
void irq2(void);

/* done is where the test stops; it changes nothing. */
__attribute__((naked)) void done(void)
{
	__asm volatile("1: b 1b");
}

__attribute__((noreturn)) void reset(void)
{
#ifdef __ARM_FP
	*(volatile uint32_t *)0xe000ed88 = 0xf << 20; /* CPACR: CP10, CP11 */
	__asm volatile("dsb\n isb");
#endif
	uint32_t *from = &data_load, *to = &data_start;
	while (to < &data_end)
		*to++ = *from++;
	for (to = &bss_start; to < &bss_end; to++)
		*to = 0;
	main();
	for (;;)
		done();
}

void (*const vectors[])(void) __attribute__((section(".vectors"), used)) = {
	(void (*)(void))&stack_top, reset, done, hardfault,
	memmanage, busfault, usagefault, 0, 0, 0, 0,
	svcall, done, 0, pendsv, done,
	irq0, irq1, irq2, done,
};
