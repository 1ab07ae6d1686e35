/* Sorting with recursion and with callbacks, structures by value. */
#include <stdlib.h>
#include "program.h"

struct item {
	int16_t key;
	uint8_t tag[3];
	uint32_t weight;
};

struct pair {
	uint64_t sum;
	struct item least;
};

static struct item items[24];
static int numbers[40];

static int by_key(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	return x->key != y->key ? x->key - y->key : x->tag[1] - y->tag[1];
}

static void quick(int *p, int low, int high)
{
	if (low >= high)
		return;
	int pivot = p[(low + high) / 2], i = low, j = high;
	while (i <= j) {
		while (p[i] < pivot)
			i++;
		while (p[j] > pivot)
			j--;
		if (i <= j) {
			int t = p[i];
			p[i++] = p[j];
			p[j--] = t;
		}
	}
	quick(p, low, j);
	quick(p, i, high);
}

static struct pair summary(const struct item *p, int n)
{
	struct pair r = {0, p[0]};
	for (int i = 0; i < n; i++) {
		r.sum += (uint64_t)p[i].weight * (uint32_t)(p[i].key + 40000);
		if (by_key(&p[i], &r.least) < 0)
			r.least = p[i];
	}
	return r;
}

static uint32_t ackermann(uint32_t m, uint32_t n)
{
	if (m == 0)
		return n + 1;
	return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

uint32_t sort(uint32_t seed)
{
	for (unsigned i = 0; i < sizeof items / sizeof *items; i++) {
		uint32_t r = next(&seed);
		items[i] = (struct item){(int16_t)(r >> 7), {(uint8_t)r, (uint8_t)(r >> 8), (uint8_t)i}, r >> 3};
	}
	qsort(items, sizeof items / sizeof *items, sizeof *items, by_key);
	for (int i = 0; i < 40; i++)
		numbers[i] = (int)next(&seed) >> 12;
	quick(numbers, 0, 39);
	struct pair s = summary(items, 24);
	return (uint32_t)(s.sum ^ s.sum >> 32) + (uint32_t)s.least.key + (uint32_t)numbers[7] * 3 + ackermann(2, 3);
}
