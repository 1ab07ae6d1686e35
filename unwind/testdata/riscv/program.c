/* A program of many shapes of stack for a RISC-V hart that is stepped. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

int asm_sum(const int *words, int n);
int asm_twice(int (*f)(int), int v);

volatile int ticks, result;

void NOINLINE tick(void)
{
	ticks++;
	for (int i = 0; i < 3; i++)
		result ^= ticks << i;
}

#ifndef TRAP_BY_HAND
void __attribute__((interrupt, aligned(4))) trap_entry(void)
{
	__asm__ volatile("csrci mip, 2");
	tick();
}
#endif

void __attribute__((noreturn)) NOINLINE done(void)
{
	for (;;)
		;
}

static int NOINLINE leaf(int v) { return v * 3 + 1; }

static int NOINLINE recurse(int n) { return n == 0 ? leaf(n) : recurse(n - 1) + leaf(n); }

static int NOINLINE through_pointer(int v) { return leaf(v) ^ 5; }

static int NOINLINE grows(int n)
{
	volatile int room[n];
	for (int i = 0; i < n; i++)
		room[i] = leaf(i);
	return room[n / 2];
}

static int NOINLINE big_frame(int v)
{
	volatile char room[5000];
	room[0] = v;
	room[4999] = leaf(v);
	return room[0] + room[4999];
}

static int NOINLINE choose(int v)
{
	switch (v) {
	case 0: return leaf(1);
	case 1: return through_pointer(2) * 3;
	case 2: return recurse(1);
	case 3: return grows(3);
	case 4: return leaf(v) << leaf(1);
	case 5: return leaf(v) - leaf(2);
	case 6: return -1;
	}
	return leaf(9);
}

static int NOINLINE tail(int v) { return leaf(v + 1); }

static int NOINLINE many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j)
{
	int r = leaf(a) + leaf(b) * c + leaf(d) * e + f;
	r += leaf(g + r) + h;
	return r + leaf(i) - j;
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static double NOINLINE mean(const int *v, int n)
{
	double s = 0;
	for (int i = 0; i < n; i++)
		s += v[i];
	return s / n;
}

int main(void)
{
	int v[7] = {5, -3, 17, 2, 2, 40, 1};
	char text[40];
	int r = recurse(4) + asm_twice(through_pointer, 3) + asm_twice(leaf, 0);
	for (int i = 0; i < 8; i++)
		r += choose(i);
	r += grows(6) + big_frame(2) + tail(r) + many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	qsort(v, 7, sizeof v[0], compare);
	r += asm_sum(v, 7) + (int)(mean(v, 7) * 16);
	snprintf(text, sizeof text, "%d %s %lld", r, "text", (long long)r * 1000000007 / 13);
	r += strlen(text) + memcmp(text, "12", 2);
	memcpy(v, text, sizeof v);
	result = r + v[3];
	return 0;
}
