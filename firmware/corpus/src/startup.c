// Vector table, reset, and what the C library asks of a system.
#include <errno.h>

#include "corpus.h"

extern uint32_t _estack[], _sidata[], _sdata[], _edata[], _sbss[], _ebss[];
extern void (*__preinit_array_start[])(void), (*__preinit_array_end[])(void);
extern void (*__init_array_start[])(void), (*__init_array_end[])(void);
int main(void);

volatile uint32_t sink;
void *__dso_handle; // of __cxa_atexit

__attribute__((noreturn, noinline, used)) void corpus_done(void) {
	for (;;)
		__asm volatile("");
}

NOINLINE uint32_t mix(uint32_t h, const void *p, size_t n) {
	const unsigned char *b = p;
	while (n--)
		h = (h ^ *b++) * 16777619u;
	return h;
}

uint32_t corpus_random(void) {
	static uint32_t state = 2463534242u; // Marsaglia's xorshift
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

void corpus_tick(uint32_t cycles) {
	REGISTER(0xe000e014) = cycles - 1;
	REGISTER(0xe000e018) = 0;
	REGISTER(0xe000e010) = 7;
}

__attribute__((noreturn, used)) void Reset_Handler(void) {
	const uint32_t *from = _sidata;
	for (volatile uint32_t *to = _sdata; to < _edata;)
		*to++ = *from++;
	for (volatile uint32_t *to = _sbss; to < _ebss;)
		*to++ = 0;
#if defined(__ARM_FP) && !defined(__SOFTFP__)
	REGISTER(0xe000ed88) |= 0xfu << 20; // CPACR: CP10 and CP11
	__asm volatile("dsb\n\tisb");
#endif
	for (void (**f)(void) = __preinit_array_start; f < __preinit_array_end; f++)
		(*f)();
	for (void (**f)(void) = __init_array_start; f < __init_array_end; f++)
		(*f)();
	main();
	corpus_done();
}

void Default_Handler(void) {
	for (;;)
		__asm volatile("");
}

#define WEAK __attribute__((weak, alias("Default_Handler")))
void WEAK SVC_Handler(void);
void WEAK PendSV_Handler(void);
void WEAK SysTick_Handler(void);
void WEAK IRQ0_Handler(void);
void WEAK IRQ1_Handler(void);
void WEAK IRQ2_Handler(void);
void WEAK IRQ3_Handler(void);

typedef void (*vector)(void);
__attribute__((section(".isr_vector"), used)) const vector vectors[20] = {
	(vector)_estack, Reset_Handler,   Default_Handler, Default_Handler, Default_Handler, Default_Handler, Default_Handler,
	0,               0,               0,               0,               SVC_Handler,     0,               0,
	PendSV_Handler,  SysTick_Handler, IRQ0_Handler,    IRQ1_Handler,    IRQ2_Handler,    IRQ3_Handler,
};

#define USED __attribute__((used)) // by a library that link-time optimisation sees too late

USED void *_sbrk(ptrdiff_t n) {
	extern char end[], _heap_end[];
	static char *top;
	if (!top)
		top = end;
	char *was = top;
	if (top + n > _heap_end) {
		errno = ENOMEM;
		return (void *)-1;
	}
	top += n;
	return was;
}

USED int _write(int file, const void *text, int n) {
	(void)file;
	sink += mix(3, text, (size_t)n);
	return n;
}

USED int _read(int file, void *text, int n) { return (void)file, (void)text, (void)n, 0; }
USED int _close(int file) { return (void)file, -1; }
USED int _lseek(int file, int offset, int from) { return (void)file, (void)offset, (void)from, 0; }
USED int _isatty(int file) { return (void)file, 1; }
USED int _fstat(int file, void *state) { return (void)file, (void)state, -1; }
USED int _getpid(void) { return 1; }
USED int _kill(int process, int signal) { return (void)process, (void)signal, -1; }
USED void _init(void) {}
USED void _fini(void) {}
__attribute__((noreturn, used)) void _exit(int code) {
	sink = (uint32_t)code;
	corpus_done();
}
