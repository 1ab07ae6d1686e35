/* Functions whose frames differ: saved registers, locals, alloca, variable
 * arguments, early return, floating point, a frame too large for an immediate. */
#include <alloca.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

volatile int sink;

__attribute__((noinline)) int leaf(int a) { return a * 3 + sink; }

__attribute__((noinline)) int early(int a, int b) {
	if (a < 0)
		return leaf(b);
	int s = 0;
	for (int i = 0; i < a; i++)
		s += leaf(i) * leaf(b + s);
	return s;
}

__attribute__((noinline)) int variable(int n, ...) {
	va_list ap;
	int s = 0;
	va_start(ap, n);
	while (n-- > 0)
		s += va_arg(ap, int);
	va_end(ap);
	return s + leaf(s);
}

__attribute__((noinline)) int dynamic(int n) {
	char *p = alloca(n);
	memset(p, n, n);
	return early(p[n / 2], n);
}

__attribute__((noinline)) int large(int n) {
	int a[3000];
	for (int i = 0; i < 3000; i++)
		a[i] = n ^ i;
	return early(a[n % 3000], n) + a[(n + 1) % 3000];
}

__attribute__((noinline)) float floating(float a, float b, float c) {
	float s = a;
	for (int i = 0; i < 8; i++)
		s = s * b + (float)leaf(i) * c;
	return s;
}

__attribute__((noinline)) int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int main(void) {
	int a[16];
	for (int i = 0; i < 16; i++)
		a[i] = variable(3, i, 16 - i, i * i) + dynamic(i + 4) + large(i);
	qsort(a, 16, sizeof a[0], compare);
	sink = (int)floating(a[0], a[1], a[2]);
	return sink;
}
