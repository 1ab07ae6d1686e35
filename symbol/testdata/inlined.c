/* A program for looking addresses up: inlining in several depths, static
 * clones, cold parts, recursion, switch tables, and with DROPPED functions
 * that nobody calls. */
#include <stdint.h>

volatile uint32_t sink;

static inline __attribute__((always_inline)) uint32_t rotate(uint32_t v, unsigned n)
{
	return (v << n) | (v >> (32 - n));
}

static inline __attribute__((always_inline)) uint32_t mix(uint32_t a, uint32_t b)
{
	a = rotate(a, 7) ^ b;
	b = rotate(b, 11) + a;
	return rotate(a + b, 3);
}

static __attribute__((noinline)) uint32_t hash(const uint8_t *p, uint32_t n, uint32_t seed)
{
	uint32_t h = seed;
	for (uint32_t i = 0; i < n; i++) {
		if (p[i] & 1)
			h = mix(h, p[i]);
		else
			h = mix(p[i], h) * 31;
	}
	return h;
}

static __attribute__((cold, noinline, noreturn)) void fail(int code)
{
	sink = code;
	for (;;)
		;
}

static __attribute__((noinline)) uint32_t parse(const uint8_t *p, uint32_t n)
{
	uint32_t v = 0;
	for (uint32_t i = 0; i < n; i++) {
		switch (p[i]) {
		case '0' ... '9': v = v * 10 + (p[i] - '0'); break;
		case 'k': v = mix(v, 1000); break;
		case 'M': v = mix(v, 1000000); break;
		case ' ': break;
		case '-': v = -v; break;
		case '!': sink = v; break;
		default: fail(p[i]);
		}
	}
	return v;
}

static __attribute__((noinline)) uint32_t depth(uint32_t n)
{
	return n < 2 ? mix(n, sink) : depth(n - 1) + depth(n - 2);
}

/* Runs from RAM. */
__attribute__((section(".ramfunc"), noinline)) uint32_t in_ram(uint32_t v)
{
	return mix(v, sink) + 1;
}

#ifdef DROPPED
uint32_t dropped_one(uint32_t a) { for (int i = 0; i < 9; i++) a = mix(a, i) + sink; return a; }
uint32_t dropped_two(uint32_t a, uint32_t b) { while (a--) { b = mix(b, a); sink = b; if (b & 8) b += dropped_one(a); } return b; }
#endif

__attribute__((weak)) void TIM2_IRQHandler(void) { sink = mix(sink, 5); }
void DMA_IRQHandler(void) __attribute__((weak, alias("TIM2_IRQHandler")));

int Reset_Handler(void)
{
	static const uint8_t text[] = "12k 34M 5!";
	uint32_t v = 0;
	for (;;) {
		v += hash(text, sizeof text - 1, v);
		v += parse(text, sizeof text - 1);
		v += hash(text, 4, 17);
		v = mix(v, depth(v & 7)) + in_ram(v);
		TIM2_IRQHandler();
		DMA_IRQHandler();
		sink = v;
	}
}
