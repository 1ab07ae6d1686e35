/* Single precision as compilers use the floating-point extension: a matrix, a
   filter, a Fourier transform, roots, conversions, comparisons, varargs. Without
   the extension it is the soft-float library. */
#include "program.h"
#include <math.h>
#include <stdarg.h>

static float fraction(uint32_t *s) { return (float)(int32_t)next(s) * 0x1p-31f; }

static uint32_t bits(float f)
{
	union {
		float f;
		uint32_t w;
	} u = {f};
	return u.w;
}

/* solve is Gauss elimination with pivoting. */
static float solve(uint32_t *s)
{
	float a[4][5];
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 5; j++)
			a[i][j] = fraction(s) * 10.0f;
	for (int k = 0; k < 4; k++) {
		int best = k;
		for (int i = k + 1; i < 4; i++)
			if (fabsf(a[i][k]) > fabsf(a[best][k]))
				best = i;
		for (int j = 0; j < 5; j++) {
			float t = a[k][j];
			a[k][j] = a[best][j];
			a[best][j] = t;
		}
		for (int i = k + 1; i < 4; i++) {
			float f = a[i][k] / a[k][k];
			for (int j = k; j < 5; j++)
				a[i][j] -= f * a[k][j];
		}
	}
	float x[4], sum = 0;
	for (int i = 3; i >= 0; i--) {
		x[i] = a[i][4];
		for (int j = i + 1; j < 4; j++)
			x[i] -= a[i][j] * x[j];
		x[i] /= a[i][i];
		sum += x[i];
	}
	return sum;
}

struct complex {
	float re, im;
};

/* fourier goes there by halves; the twiddles come from a recurrence. */
__attribute__((noinline)) static struct complex fourier(struct complex *v, int n, int step, float re, float im)
{
	struct complex sum = {0, 0};
	if (n == 1)
		return v[0];
	float wr = 1, wi = 0;
	for (int k = 0; k < 2; k++) {
		struct complex p = fourier(v + k * step, n / 2, step * 2, re * re - im * im, 2 * re * im);
		sum.re += p.re * wr - p.im * wi;
		sum.im += p.re * wi + p.im * wr;
		wr = re;
		wi = im;
	}
	return sum;
}

static float mean(int n, ...)
{
	va_list ap;
	float sum = 0;
	va_start(ap, n);
	for (int i = 0; i < n; i++)
		sum += (float)va_arg(ap, double);
	va_end(ap);
	return sum / (float)n;
}

static uint32_t conversions(uint32_t *s)
{
	float f = fraction(s) * (float)(1u << (next(s) >> 27)) * 4.0f;
	uint32_t w = next(s);
	uint32_t r = (uint32_t)(int32_t)f + (uint32_t)fabsf(f) + bits((float)w) + bits((float)(int32_t)w);
	r += bits((float)(int16_t)w / 256.0f) + (uint32_t)(int32_t)(f * 65536.0f);
	r = r * 31 + bits(sqrtf(fabsf(f))) + bits(fmaf(f, f, -1.0f)) + bits(copysignf(f, -1.0f));
	r ^= (uint32_t)(f < 1.0f) | (uint32_t)(f >= 0.0f) << 1 | (uint32_t)(f != f) << 2 | (uint32_t)(f > 1e6f) << 3;
	return r + bits(f > 0.5f ? f : -f) + (uint32_t)lrintf(f);
}

uint32_t single(uint32_t seed)
{
	struct complex v[16];
	float y = 0;
	uint32_t sum = 0;
	for (int i = 0; i < 3; i++)
		sum = sum * 31 + bits(solve(&seed));
	for (int i = 0; i < 16; i++) {
		y = 0.9f * y + 0.1f * fraction(&seed);
		v[i].re = y;
		v[i].im = -y * y;
	}
	struct complex c = fourier(v, 16, 1, 0.92387953f, 0.38268343f);
	sum = sum * 31 + bits(c.re) + bits(c.im);
	for (int i = 0; i < 12; i++)
		sum = sum * 31 + conversions(&seed);
	return sum * 31 + bits(mean(5, 1.0, 2.5, (double)y, -3.25, 1e-3));
}
