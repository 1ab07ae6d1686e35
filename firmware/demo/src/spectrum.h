// Magnitude spectrum of a block of samples.
#ifndef SPECTRUM_H
#define SPECTRUM_H

#include <stdint.h>

#define SPECTRUM_POINTS 128

struct complex_q15 {
	int16_t re, im;
};

// spectrum_magnitudes writes SPECTRUM_POINTS / 2 magnitudes.
void spectrum_magnitudes(const int16_t *samples, uint16_t *magnitudes);
uint32_t spectrum_peak(const uint16_t *magnitudes); // bin with the largest magnitude, the mean left out

#endif
