/* A program of what firmware does with the C library: copying, searching,
 * formatting, sorting with callbacks, heap, long jumps, wide division, soft
 * floating point, jump tables, recursion, variable frames, a function in RAM,
 * two levels of interrupts. It loops for ever. */
#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

volatile uint32_t sink;
static volatile uint32_t ticks;

NOINLINE static uint32_t mix(uint32_t h, const void *p, size_t n) {
	const unsigned char *b = p;
	while (n--)
		h = (h ^ *b++) * 16777619u;
	return h;
}

void SysTick_Handler(void) {
	char copy[24];
	memcpy(copy, (const void *)&ticks, sizeof ticks);
	sink += mix(ticks++, copy, sizeof ticks);
	*(volatile uint32_t *)0xe000ed04 = 1u << 28; /* PendSV */
}

void PendSV_Handler(void) {
	static uint64_t sum;
	sum = sum * 31 + ticks;
	sink += (uint32_t)(sum / (ticks | 1));
}

void SVC_Handler(void) { sink ^= mix(7, (const void *)&ticks, 4); }

NOINLINE static void strings(int n) {
	char a[80], b[80];
	memset(a, 'a' + n % 23, sizeof a);
	a[20 + n % 40] = 0;
	strcpy(b, a);
	strcat(b, "tail");
	memmove(b + 1, b, strlen(b) - 1);
	sink += strcmp(a, b) + strncmp(a, b, 9) + memcmp(a, b, 17) + strlen(b);
	char *s = strchr(b, 't');
	sink += s ? s - b : 0;
	sink += strstr(b, "ai") != 0;
	sink += (uintptr_t)memchr(a, 0, sizeof a) + strspn(a, "abc") + strcspn(b, "xyz");
	sink += strtol("-12345", 0, 10) + atoi("777");
}

NOINLINE static void print(int n) {
	char text[96];
	int len = snprintf(text, sizeof text, "%d %u %x %s %c %08lx %5d", n, n * 7u, n, "word", 'c', (unsigned long)sink, -n);
	sink += mix(len, text, len);
	int a, b;
	sink += sscanf("12 34", "%d %d", &a, &b);
}

NOINLINE static int ascending(const void *a, const void *b) {
	int x = *(const int *)a, y = *(const int *)b;
	return (x > y) - (x < y);
}

NOINLINE static void sorting(int n) {
	int v[40];
	for (int i = 0; i < 40; i++)
		v[i] = rand() ^ n;
	qsort(v, 40, sizeof v[0], ascending);
	sink += bsearch(&v[7], v, 40, sizeof v[0], ascending) != 0;
}

NOINLINE static void heap(int n) {
	void *p[6];
	for (int i = 0; i < 6; i++)
		p[i] = calloc(1 + (n + i * 37) % 90, 1);
	p[2] = realloc(p[2], 200);
	for (int i = 0; i < 6; i++)
		free(p[(i * 5 + n) % 6]);
}

static jmp_buf escape;

NOINLINE static void dive(int n) {
	if (n == 0)
		longjmp(escape, 5);
	dive(n - 1);
	sink++;
}

NOINLINE static void jumps(int n) {
	if (setjmp(escape) == 0)
		dive(3 + n % 4);
	sink += n;
}

NOINLINE static uint32_t wide(int n) {
	uint64_t a = 0x123456789abcdefull + n;
	int64_t b = -987654321987ll * (n | 1);
	return (uint32_t)(a / (n + 3) + a % 1000003 + b / 77777 + b % (n + 11));
}

NOINLINE static int real(int n) {
	float f = n * 0.37f;
	double d = n / 7.0;
	for (int i = 1; i < 5; i++) {
		f = f * 1.5f + 2.0f / (float)i;
		d = d * f - (double)i;
	}
	return (int)d + (f < 3.0f) + (unsigned)(f / 2);
}

NOINLINE static int choose(int n) {
	switch (n % 11) {
	case 0: return n * 3;
	case 1: strings(n); return 1;
	case 2: return mix(n, &n, 4);
	case 3: return n << 3;
	case 4: return wide(n);
	case 5: sink++; return n ^ 5;
	case 6: return real(n);
	case 7: return n - 100;
	case 8: return n / 3;
	case 9: return n % 7;
	}
	return 0;
}

NOINLINE static int ackermann(int m, int n) {
	if (m == 0)
		return n + 1;
	if (n == 0)
		return ackermann(m - 1, 1);
	return ackermann(m - 1, ackermann(m, n - 1));
}

NOINLINE static int variable(int n, ...) {
	va_list ap;
	int s = 0;
	va_start(ap, n);
	while (n-- > 0)
		s += va_arg(ap, int);
	va_end(ap);
	return s + (int)mix(s, &s, 4);
}

NOINLINE static int dynamic(int n) {
	char *p = alloca(16 + n % 64);
	memset(p, n, 16 + n % 64);
	return mix(n, p, 16);
}

NOINLINE static int large(int n) {
	int a[1500];
	a[n % 1500] = n;
	memset(a, n, 64);
	return mix(n, a, 32) + a[n % 16];
}

__attribute__((section(".ramtext"), noinline, long_call)) int in_ram(int n) {
	uint32_t s = n;
	for (int i = 0; i < 10; i++)
		s = s * 1103515245u + 12345u;
	return s + variable(2, n, (int)s);
}

NOINLINE static int tail(int n) { return choose(n + 1); }

typedef int (*work)(int);
static int (*const table[])(int) = {choose, dynamic, large, tail, in_ram};

int main(void) {
	for (int n = 0;; n++) {
		strings(n);
		print(n);
		sorting(n);
		heap(n);
		jumps(n);
		sink += wide(n) + real(n) + choose(n) + ackermann(2, n % 4) + variable(3, n, n + 1, n + 2);
		sink += table[n % 5](n) + table[4](n) + large(n);
		__asm volatile("svc 0");
	}
}

void *_sbrk(int n) {
	extern char end[];
	static char *top;
	if (!top)
		top = end;
	char *was = top;
	top += n;
	return was;
}
