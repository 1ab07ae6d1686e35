// Fixed-point helpers: Q15 is a fraction of 32768.
#ifndef FIXED_H
#define FIXED_H

#include <stdint.h>

static inline int16_t saturate_q15(int32_t x) {
	if (x > INT16_MAX)
		return INT16_MAX;
	if (x < INT16_MIN)
		return INT16_MIN;
	return (int16_t)x;
}

static inline int16_t multiply_q15(int16_t a, int16_t b) { return saturate_q15(((int32_t)a * b + (1 << 14)) >> 15); }

static inline int32_t absolute(int32_t x) { return x < 0 ? -x : x; }

// square_root is the integer part of the root, one bit of it per step.
static inline uint32_t square_root(uint32_t x) {
	uint32_t root = 0;
	for (uint32_t bit = 1u << 30; bit; bit >>= 2) {
		uint32_t trial = root + bit;
		root >>= 1;
		if (x >= trial) {
			x -= trial;
			root += bit;
		}
	}
	return root;
}

int16_t sine_q15(uint32_t phase); // phase 2^32 is a turn

#endif
