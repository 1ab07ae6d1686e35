// Filters over Q15 samples, chained through function pointers.
#ifndef FILTER_H
#define FILTER_H

#include <stddef.h>
#include <stdint.h>

#define FIR_TAPS 32

struct fir {
	int16_t history[2 * FIR_TAPS]; // every sample twice, so that a window is contiguous
	uint32_t next;
};

struct biquad { // direct form I, coefficients Q14: b0 b1 b2 a1 a2
	const int16_t *coefficients;
	int32_t x1, x2, y1, y2;
};

struct stage {
	int16_t (*apply)(void *state, int16_t x);
	void *state;
};

int16_t fir_apply(void *state, int16_t x);
int16_t biquad_apply(void *state, int16_t x);
int16_t chain_run(const struct stage *stages, size_t count, int16_t x);

extern const int16_t biquad_section1[5], biquad_section2[5];

#endif
