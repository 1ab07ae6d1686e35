// Three threads on the process stack; switch.S changes between them from
// PendSV. They give way on their own and are interrupted.
#include <string.h>

#include "corpus.h"

struct thread {
	uint32_t *top; // known to switch.S
	uint32_t stack[480];
};

static struct thread threads[3];
struct thread *current = &threads[0];
static volatile uint32_t rounds;

NOINLINE static void thread_error(void) {
	for (;;)
		__asm volatile("");
}

NOINLINE static void create(struct thread *t, void (*entry)(uint32_t), uint32_t argument) {
	uint32_t *p = t->stack + sizeof t->stack / sizeof t->stack[0];
	*--p = 0x01000000;
	*--p = (uint32_t)(uintptr_t)entry & ~1u;
	*--p = (uint32_t)(uintptr_t)thread_error;
	p -= 4; // r12, r3 to r1
	*--p = argument;
	*--p = 0xfffffffd;
	p -= 8; // r11 to r4
	t->top = p;
}

void choose_next(void);
NOINLINE void choose_next(void) { current = current == &threads[2] ? &threads[0] : current + 1; }

void SysTick_Handler(void) { ICSR = PENDSVSET; }

NOINLINE static void give_way(void) {
	ICSR = PENDSVSET;
	__asm volatile("dsb\n\tisb" ::: "memory");
}

NOINLINE static int recurse(int n, volatile int *p) {
	int here[3] = {n, *p, 1};
	if (n == 0) {
		if ((*p & 3) == 0)
			give_way();
		return *p;
	}
	return recurse(n - 1, &here[1]) + here[0];
}

NOINLINE static float scale(float a, uint32_t n) {
	for (uint32_t i = 0; i < n % 7; i++)
		a = a * 1.25f + (float)i;
	return a;
}

static void work(uint32_t n) {
	char text[64];
	float f = (float)n;
	if (n == 1) // the first thread: before, there is nothing to switch from
		corpus_tick(997);
	for (;; n++) {
		memset(text, 'a' + (int)n % 20, sizeof text - 1);
		text[63] = 0;
		volatile int seed = (int)n & 7;
		sink += strlen(text) + (uint32_t)recurse((int)(n % 9), &seed);
		f = scale(f, n) * 0.1f;
		sink += (uint32_t)(int)f;
		if (++rounds == 150)
			corpus_done();
	}
}

// One that never returns, and says so.
__attribute__((noreturn, noinline)) static void work_for_ever(uint32_t n) {
	for (;; n++) {
		volatile int seed = (int)n & 7;
		sink += (uint32_t)recurse((int)(n % 5), &seed);
	}
}

int main(void) {
	create(&threads[0], work, 1);
	create(&threads[1], work_for_ever, 77);
	create(&threads[2], work, 1000);
	SHPR3 = 0xc0u << 16;
	__asm volatile("cpsie i\n\tsvc 0" ::: "memory");
	for (;;)
		__asm volatile("");
}
