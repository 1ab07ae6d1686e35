// Sorting of arrays of any element.
#ifndef SORT_H
#define SORT_H

#include <stddef.h>

typedef int (*sort_compare)(const void *a, const void *b);

// sort orders count elements of width bytes, a multiple of 4.
void sort(void *base, size_t count, size_t width, sort_compare compare);

#endif
