// A recursive Fourier transform, decimation in frequency.
#include "spectrum.h"

#include "fixed.h"

static struct complex_q15 work[SPECTRUM_POINTS];

static inline struct complex_q15 twiddle(uint32_t k, uint32_t n) {
	uint32_t phase = k * (0xffffffffu / n + 1);
	return (struct complex_q15){sine_q15(phase + 0x40000000u), (int16_t)-sine_q15(phase)};
}

static inline struct complex_q15 rotate(int32_t re, int32_t im, struct complex_q15 w) {
	return (struct complex_q15){
		(int16_t)((re * w.re - im * w.im) >> 16),
		(int16_t)((re * w.im + im * w.re) >> 16),
	};
}

static __attribute__((noinline)) void butterflies(struct complex_q15 *x, uint32_t n) {
	for (uint32_t k = 0; k < n / 2; k++) {
		struct complex_q15 a = x[k], b = x[k + n / 2];
		x[k] = (struct complex_q15){(int16_t)((a.re + b.re) / 2), (int16_t)((a.im + b.im) / 2)};
		x[k + n / 2] = rotate(a.re - b.re, a.im - b.im, twiddle(k, n));
	}
}

static __attribute__((noinline)) void transform(struct complex_q15 *x, uint32_t n) {
	if (n == 1)
		return;
	butterflies(x, n);
	transform(x, n / 2);
	transform(x + n / 2, n / 2);
}

static inline uint32_t bit_reverse(uint32_t i, uint32_t n) {
	uint32_t r = 0;
	for (; n > 1; n >>= 1, i >>= 1)
		r = r << 1 | (i & 1);
	return r;
}

static inline int16_t hann(uint32_t i) {
	int32_t cosine = sine_q15(i * (0xffffffffu / SPECTRUM_POINTS + 1) + 0x40000000u);
	return (int16_t)((INT16_MAX - cosine) / 2);
}

void spectrum_magnitudes(const int16_t *samples, uint16_t *magnitudes) {
	for (uint32_t i = 0; i < SPECTRUM_POINTS; i++)
		work[i] = (struct complex_q15){multiply_q15(samples[i], hann(i)), 0};
	transform(work, SPECTRUM_POINTS);
	for (uint32_t i = 0; i < SPECTRUM_POINTS / 2; i++) {
		struct complex_q15 c = work[bit_reverse(i, SPECTRUM_POINTS)];
		magnitudes[i] = (uint16_t)square_root((uint32_t)((int32_t)c.re * c.re + (int32_t)c.im * c.im));
	}
}

uint32_t spectrum_peak(const uint16_t *magnitudes) {
	uint32_t best = 1;
	for (uint32_t i = 2; i < SPECTRUM_POINTS / 2; i++)
		if (magnitudes[i] > magnitudes[best])
			best = i;
	return best;
}
