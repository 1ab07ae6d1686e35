// Exceptions of four priorities that interrupt each other, follow each other
// without a return in between, and come late: SysTick asks for two interrupts
// and PendSV, one of which is more urgent than itself.
#include <string.h>

#include "corpus.h"

static volatile uint32_t ticks, urgent, lazy, pended, calls;

NOINLINE static uint32_t work(uint32_t n) {
	uint32_t v[5];
	for (unsigned i = 0; i < 5; i++)
		v[i] = n * i + ticks;
	return mix(n, v, sizeof v);
}

void IRQ0_Handler(void) { // the most urgent: it interrupts SysTick
	urgent++;
	sink += urgent;
}

void IRQ1_Handler(void) { // follows SysTick
	char copy[24];
	memcpy(copy, (const void *)&ticks, 4);
	memset(copy + 4, (int)lazy++, 20);
	sink += mix(3, copy, sizeof copy);
	NVIC_ISPR = 1; // IRQ0 interrupts here
	sink += work(lazy);
}

void IRQ2_Handler(void) { sink += work(urgent) / (lazy + 1); }

NOINLINE static void ask(void) {
	NVIC_ISPR = ticks % 3 == 0 ? 7 : 2;
	sink += work(ticks);
	ICSR = PENDSVSET;
}

void SysTick_Handler(void) {
	ticks++;
	ask();
}

void PendSV_Handler(void) {
	static uint64_t sum;
	pended++;
	sum = sum * 31 + ticks;
	sink += (uint32_t)(sum / (ticks | 1));
	if (pended % 4 == 0)
		NVIC_ISPR = 4;
}

void SVC_Handler(void) {
	calls++;
	sink ^= work(calls);
	ICSR = PENDSVSET;
}

NOINLINE static int recurse(int n) {
	volatile int here[3] = {n, n + 1};
	if (n == 0) {
		__asm volatile("svc 0" ::: "memory");
		return here[1];
	}
	return recurse(n - 1) + here[0];
}

NOINLINE static uint32_t busy(uint32_t n) {
	char a[40], b[40];
	memset(a, (int)n, sizeof a);
	memcpy(b, a, sizeof b);
	return mix(n, b, sizeof b) + (uint32_t)memcmp(a, b, sizeof a);
}

int main(void) {
	NVIC_IPR = 0x00804000; // IRQ0 0, IRQ1 0x40, IRQ2 0x80
	SHPR2 = 0x80u << 24;
	SHPR3 = 0xc0u << 16 | 0x40u << 24; // PendSV last, SysTick with IRQ1
	NVIC_ISER = 7;
	corpus_tick(9001);
	for (uint32_t n = 0; n < 80; n++)
		sink += busy(n) + (uint32_t)recurse((int)(n % 6)) + work(n);
	corpus_done();
}
