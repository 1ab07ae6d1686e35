/* A program for QEMU's virt machine: code at the begin of RAM stands for flash,
 * 8 MiB further is the RAM that its functions can be moved to. It ends with 0
 * where all is computed as it should be. */
#include <stdint.h>

#define FINISHER (*(volatile uint32_t *)0x100000) /* sifive_test of virt */
#define PASS 0x5555u
#define FAIL 0x3333u

extern uint32_t _stack[];

static uint32_t table[64];

__attribute__((noinline)) uint32_t mix(uint32_t x) {
	x ^= x << 13;
	x ^= x >> 17;
	return x ^ x << 5;
}

/* calls what may move with it, and what stays */
__attribute__((noinline)) uint32_t churn(uint32_t x, int n) {
	for (int i = 0; i < n; i++)
		x = mix(x) + (uint32_t)i;
	return x;
}

__attribute__((noinline)) uint32_t rarely(uint32_t x) { return x * 3 + 1; }

__attribute__((noinline)) uint32_t fill(uint32_t seed) {
	uint32_t sum = 0;
	for (int i = 0; i < 64; i++) {
		table[i] = churn(seed + (uint32_t)i, 8);
		sum += table[i];
		if (i % 16 == 15)
			sum = rarely(sum);
	}
	return sum;
}

__attribute__((noinline)) uint32_t where(void) { /* where the caller runs */
	return (uint32_t)__builtin_return_address(0);
}

__attribute__((noinline)) uint32_t hot(uint32_t *at) {
	*at = where();
	return fill(1) ^ fill(2);
}

int main(void) {
	uint32_t at, expected = 0;
	uint32_t got = hot(&at);
	for (uint32_t seed = 1; seed <= 2; seed++) { /* the same again, in line */
		uint32_t sum = 0;
		for (uint32_t i = 0; i < 64; i++) {
			uint32_t x = seed + i;
			for (uint32_t k = 0; k < 8; k++) {
				x ^= x << 13;
				x ^= x >> 17;
				x ^= x << 5;
				x += k;
			}
			sum += x;
			if (i % 16 == 15)
				sum = sum * 3 + 1;
		}
		expected ^= sum;
	}
	int moved = at >= 0x80800000u;
	FINISHER = got == expected && moved == EXPECT_MOVED ? PASS : FAIL | 1u << 16;
	for (;;)
		;
}

void start_c(void) {
	/* COPY */
	main();
}

__attribute__((naked, section(".text.init"))) void _start(void) {
	__asm volatile("la sp, _stack\n\tj start_c");
}
