// What firmware does with the C library and the compiler's helpers: copying,
// searching, formatting, sorting with callbacks, heap, wide division, soft
// floating point, and a function that runs from RAM.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"

NOINLINE static void strings(int n) {
	char a[80], b[84];
	memset(a, 'a' + n % 23, sizeof a);
	a[20 + n % 40] = 0;
	strcpy(b, a);
	strcat(b, "tail");
	memmove(b + 1, b, strlen(b) - 1);
	memcpy(a + n % 3, b + n % 5, 15);
	sink += (uint32_t)(strcmp(a, b) + strncmp(a, b, 9) + memcmp(a, b, 17)) + strlen(b);
	char *s = strchr(b, 't');
	sink += s ? (uint32_t)(s - b) : 0;
	sink += strstr(b, "ai") != 0;
	sink += memchr(a, 0, sizeof a) != 0 ? strspn(a, "abc") + strcspn(b, "xyz") : 1;
	sink += (uint32_t)(strtol("-12345", 0, 10) + atoi("777")) + (uint32_t)strtoul("0xfeed", 0, 0);
}

NOINLINE static void print(int n) {
	char text[96];
	int len = snprintf(text, sizeof text, "%d %u %x %s %c %08lx %5d|%-6d|%+d", n, (unsigned)n * 7u, (unsigned)n, "word", 'c', (unsigned long)n * 99u, -n, n, n);
	sink += mix((uint32_t)len, text, (size_t)len);
	int a = 0, b = 0;
	sink += (uint32_t)sscanf("12 34", "%d %d", &a, &b) + (uint32_t)(a + b);
}

NOINLINE static int ascending(const void *a, const void *b) {
	int x = *(const int *)a, y = *(const int *)b;
	return (x > y) - (x < y);
}
NOINLINE static void sorting(int n) {
	int v[30];
	for (int i = 0; i < 30; i++)
		v[i] = (int)corpus_random() ^ n;
	qsort(v, 30, sizeof v[0], ascending);
	sink += bsearch(&v[7], v, 30, sizeof v[0], ascending) != 0;
}

NOINLINE static void heap(int n) {
	void *p[6];
	for (int i = 0; i < 6; i++)
		p[i] = calloc(1 + (size_t)(n + i * 37) % 90, 1);
	p[2] = realloc(p[2], 200);
	for (int i = 0; i < 6; i++)
		free(p[(i * 5 + n) % 6]);
}

NOINLINE static uint32_t wide(int n) {
	uint64_t a = 0x123456789abcdefull + (unsigned)n;
	int64_t b = -987654321987ll * (n | 1);
	return (uint32_t)(a / (unsigned)(n + 3) + a % 1000003 + (uint64_t)(b / 77777) + (uint64_t)(b % (n + 11)) + (a << (n & 31)) + (a >> (n & 7)));
}
NOINLINE static int narrow(int n) { return 100000 / (n + 1) + 77777 % (n + 2) + (int)(4000000000u / (unsigned)(n + 3)); }

NOINLINE static int real(int n) {
	float f = (float)n * 0.37f;
	double d = n / 7.0;
	for (int i = 1; i < 5; i++) {
		f = f * 1.5f + 2.0f / (float)i;
		d = d * f - (double)i;
	}
	return (int)d + (f < 3.0f) + (int)(unsigned)(f / 2);
}

// Conditions that compilers turn into IT blocks, saturation and counting.
NOINLINE static int clamp(int v, int low, int high) {
	if (v < low)
		v = low;
	else if (v > high)
		v = high, sink++;
	return v;
}
NOINLINE static int median(int a, int b, int c) {
	if (a > b) {
		int t = a;
		a = b;
		b = t;
	}
	return c < a ? a : c > b ? b : c;
}
NOINLINE static int bits(uint32_t v) { return __builtin_popcount(v) + (v ? __builtin_clz(v) + __builtin_ctz(v) : 64); }

__attribute__((noinline)) static int helper(int n) { return n * 3 + (int)mix(1, &n, 2); }

__attribute__((section(".ramtext"), noinline)) int in_ram(int n) {
	uint32_t s = (uint32_t)n;
	for (int i = 0; i < 10; i++)
		s = s * 1103515245u + 12345u;
	int (*volatile f)(int) = helper;
	return (int)s + f((int)s);
}

int main(void) {
	for (int n = 0; n < 9; n++) {
		strings(n);
		print(n);
		sorting(n);
		heap(n);
		sink += wide(n) + (uint32_t)(narrow(n) + real(n) + clamp(n * 7, 9, 40) + median(n, 5, 7) + bits((uint32_t)n * 77) + in_ram(n));
	}
	corpus_done();
}
