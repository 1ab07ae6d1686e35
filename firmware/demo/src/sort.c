// Quicksort with the median of three, insertion sort for short ranges.
#include "sort.h"

#include <stdint.h>

#define SHORT_RANGE 6

struct order {
	size_t width;
	sort_compare compare;
};

static inline void swap(void *a, void *b, size_t width) {
	uint32_t *x = a, *y = b;
	for (size_t n = width / 4; n; n--) {
		uint32_t t = *x;
		*x++ = *y;
		*y++ = t;
	}
}

static __attribute__((noinline)) void insertion_sort(char *first, char *end, const struct order *o) {
	for (char *p = first + o->width; p < end; p += o->width)
		for (char *q = p; q > first && o->compare(q - o->width, q) > 0; q -= o->width)
			swap(q - o->width, q, o->width);
}

static inline char *median_of_three(char *a, char *b, char *c, sort_compare compare) {
	if (compare(a, b) > 0) {
		char *t = a;
		a = b;
		b = t;
	}
	if (compare(b, c) <= 0)
		return b;
	return compare(a, c) > 0 ? a : c;
}

// partition puts the pivot where it belongs and returns that place.
static __attribute__((noinline)) char *partition(char *first, char *end, const struct order *o) {
	size_t w = o->width;
	char *middle = first + (size_t)(end - first) / w / 2 * w;
	swap(first, median_of_three(first, middle, end - w, o->compare), w);
	char *store = first;
	for (char *p = first + w; p < end; p += w)
		if (o->compare(p, first) < 0) {
			store += w;
			swap(store, p, w);
		}
	swap(first, store, w);
	return store;
}

static __attribute__((noinline)) void sort_range(char *first, char *end, const struct order *o) {
	if ((size_t)(end - first) <= SHORT_RANGE * o->width) {
		insertion_sort(first, end, o);
		return;
	}
	char *pivot = partition(first, end, o);
	sort_range(first, pivot, o);
	sort_range(pivot + o->width, end, o);
}

void sort(void *base, size_t count, size_t width, sort_compare compare) {
	struct order o = {width, compare};
	sort_range(base, (char *)base + count * width, &o);
}
