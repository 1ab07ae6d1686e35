// Calls as compilers make them: recursion, pointers, tail calls, structures as
// results, variable arguments, frames of every size, long jumps, jump tables,
// calls that never return.
#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "corpus.h"

NOINLINE static int ackermann(int m, int n) {
	if (m == 0)
		return n + 1;
	if (n == 0)
		return ackermann(m - 1, 1);
	return ackermann(m - 1, ackermann(m, n - 1));
}

NOINLINE static int deep(int n, int *sum) {
	int here[2] = {n, *sum};
	*sum += n;
	if (n > 0)
		here[1] += deep(n - 1, &here[0]);
	return here[0] ^ here[1];
}

static int odd(unsigned n);
NOINLINE static int even(unsigned n) { return n == 0 ? (int)sink & 1 : odd(n - 1) + 1; }
NOINLINE static int odd(unsigned n) { return n == 0 ? 1 - ((int)sink & 1) : even(n - 1) - 1; }

struct large {
	uint32_t word[9];
};
struct small {
	uint16_t a, b;
};
NOINLINE static struct large fill(uint32_t seed) {
	struct large s;
	for (unsigned i = 0; i < 9; i++)
		s.word[i] = seed = seed * 1664525u + 1013904223u;
	return s;
}
NOINLINE static struct small pair(uint32_t seed) { return (struct small){(uint16_t)seed, (uint16_t)(seed >> 16)}; }
NOINLINE static uint32_t by_value(struct large s, struct small t, uint64_t w) {
	return mix((uint32_t)w, &s, sizeof s) + t.a + t.b;
}
NOINLINE static uint64_t eight(int a, int b, int c, int d, int e, int f, uint64_t g, int h) {
	return (uint64_t)((int64_t)a * b + c * (int64_t)d - e) + ((uint64_t)f << 20) + g * (uint64_t)h;
}

NOINLINE static int variable(int n, ...) {
	va_list ap;
	int s = 0;
	va_start(ap, n);
	while (n-- > 0)
		s += va_arg(ap, int);
	va_end(ap);
	return s + (int)mix(7, &s, sizeof s);
}
NOINLINE static int passed_on(const char *shape, va_list ap) {
	int s = 0;
	for (; *shape; shape++)
		s += *shape == 'l' ? (int)va_arg(ap, long long) : va_arg(ap, int);
	return s;
}
NOINLINE static int shaped(const char *shape, ...) {
	va_list ap;
	va_start(ap, shape);
	int s = passed_on(shape, ap);
	va_end(ap);
	return s;
}

NOINLINE static uint32_t dynamic(unsigned n) {
	char *p = alloca(16 + n % 64);
	memset(p, (int)n, 16 + n % 64);
	return mix(n, p, 16);
}
NOINLINE static uint32_t array(unsigned n) {
	uint32_t v[n % 20 + 2], w[n % 7 + 1];
	for (unsigned i = 0; i < n % 20 + 2; i++)
		v[i] = i * n;
	memset(w, 1, sizeof w);
	return mix(v[n % 3 % 2], v, sizeof v) + w[0];
}
NOINLINE static uint32_t large_frame(unsigned n) {
	uint32_t a[1500];
	a[n % 1500] = n;
	memset(a, (int)n, 64);
	return mix(n, a, 32) + a[n % 16];
}
NOINLINE static uint32_t page_frame(unsigned n) {
	char a[513];
	memset(a + n % 13, 0, 8);
	return mix(n, a + n % 13, 8) + dynamic(n);
}
NOINLINE static uint32_t over_aligned(unsigned n) {
	_Alignas(32) uint32_t a[8];
	for (unsigned i = 0; i < 8; i++)
		a[i] = n ^ i;
	return mix(n, a, sizeof a) + ((uintptr_t)a & 31);
}

static jmp_buf escape;
NOINLINE static void dive(int n) {
	if (n == 0)
		longjmp(escape, 5);
	if (n < 99)
		dive(n - 1);
	sink++;
}
NOINLINE static int jumps(int n) {
	volatile int times = 0;
	if (setjmp(escape) != 0)
		times++;
	if (times < 2)
		dive(3 + n % 4);
	return times;
}

NOINLINE static int early(int n, const int *p) {
	if (!p)
		return n;
	int s = *p;
	for (int i = 0; i < n; i++)
		s += (int)mix((uint32_t)i, p, 3);
	return s;
}

static int jumps_at_times(int n) { return n % 16 == 2 ? jumps(n) : early(n % 6, &n); }

NOINLINE static int choose(int n) {
	switch ((unsigned)n % 13) {
	case 0: return n * 3;
	case 1: return (int)dynamic((unsigned)n);
	case 2: return (int)mix((uint32_t)n, &n, 4);
	case 3: return n << 3;
	case 4: return variable(2, n, 4);
	case 5: sink++; return n ^ 5;
	case 6: return (int)large_frame((unsigned)n);
	case 7: return n - 100;
	case 8: return n / 3;
	case 9: return n % 7;
	case 10: return jumps_at_times(n);
	case 11: return deep(5, &n);
	}
	return 0;
}
NOINLINE static int tail(int n) { return choose(n + 1); }
NOINLINE static int tail_of_frame(int n) {
	volatile int kept[6] = {n, n + 1};
	sink += mix(1, (const void *)kept, sizeof kept);
	return tail(n * 2);
}

typedef int (*work)(int);
static const work table[] = {choose, tail, jumps_at_times, tail_of_frame};
NOINLINE static int through(work f, int n) { return f(n) + 1; }

__attribute__((noreturn, noinline, cold)) static void fail(int n) {
	sink += (uint32_t)n;
	longjmp(escape, n);
}
NOINLINE static int checked(int n) {
	if (n & 1)
		fail(n);
	return n;
}
// Its last instruction may be the call of fail: the return address is another function's.
__attribute__((noinline, noreturn)) static void ends_in_call(int n) {
	sink += mix(2, &n, 4);
	fail(n + 2);
}
NOINLINE static int guarded(int n) {
	volatile int caught = 0;
	if (setjmp(escape) == 0) {
		sink += (uint32_t)checked(n);
		ends_in_call(n | 1);
	} else
		caught = 1;
	return caught;
}

NOINLINE static void round_of(int n) {
	int zero = 0;
	struct large s = fill((uint32_t)n);
	sink += by_value(s, pair(s.word[3]), s.word[1]) + (uint32_t)eight(n, 2, 3, 4, 5, 6, 7, n);
	sink += (uint32_t)(ackermann(2, n % 4) + deep(24, &zero) + even((unsigned)n % 19) + variable(3, n, n + 1, n + 2));
	sink += (uint32_t)(shaped("ili", n, 5LL, 6) + early(n % 5, n % 3 ? &n : 0));
	if (n % 16 == 3)
		sink += (uint32_t)guarded(n);
	sink += dynamic((unsigned)n) + array((unsigned)n) + large_frame((unsigned)n) + page_frame((unsigned)n) + over_aligned((unsigned)n);
	sink += (uint32_t)(table[n % 4](n) + through(table[(n + 1) % 4], n));
}

int main(void) {
	for (int n = 0; n < 44; n++)
		round_of(n);
	corpus_done();
}
