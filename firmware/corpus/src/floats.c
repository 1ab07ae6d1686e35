// Floating point with many values alive across calls, so that a hard-float
// compiler saves D8 to D15, and an interrupt that computes in the middle of it.
#include <math.h>

#include "corpus.h"

#if defined(__ARM_FP) && !defined(__SOFTFP__)
#define ROUNDS 60
#else
#define ROUNDS 8 // by the library's helpers
#endif

static volatile float samples[16];
static volatile uint32_t ticks;
static volatile float filtered;

NOINLINE static float polynomial(float x, const float *c, int n) {
	float s = 0;
	for (int i = 0; i < n; i++)
		s = s * x + c[i];
	return s;
}

NOINLINE static float cross(float a, float b, float c, float d, float e, float f) { return a * e - b * d + c * f; }

// Ten values live across three calls.
NOINLINE static float many(float a, float b, float c) {
	static const float k[] = {0.25f, -1.5f, 3.0f, 0.125f};
	float d = a * b, e = b * c, f = a + c, g = a - b, h = c * c;
	float p = polynomial(a, k, 4), q = polynomial(b, k, 4), r = polynomial(c, k, 3);
	return cross(a * p, d, e, f * q, g, h * r) + p + q * d + r * e - f - g - h;
}

NOINLINE static float variance(const volatile float *v, int n) {
	float sum = 0, squares = 0;
	for (int i = 0; i < n; i++) {
		float x = v[i];
		sum += x;
		squares += x * x;
	}
	float mean = sum / (float)n;
	return sqrtf(fabsf(squares / (float)n - mean * mean));
}

struct quaternion {
	float w, x, y, z;
};
NOINLINE static struct quaternion product(struct quaternion a, struct quaternion b) {
	return (struct quaternion){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
	                           a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

NOINLINE static float newton(float (*f)(float), float x, int n) {
	while (n-- > 0) {
		float y = f(x), slope = (f(x + 0.01f) - y) * 100.0f;
		x -= y / slope;
	}
	return x;
}
NOINLINE static float parabola(float x) { return x * x - 2.0f; }

NOINLINE static double wide(double a, int n) {
	double s = a;
	for (int i = 1; i < n; i++)
		s = s * 0.75 + a / (double)i;
	return s;
}

NOINLINE static float sums(int n, float a) {
	if (n == 0)
		return a;
	float kept = a * 1.5f, other = a + (float)n;
	return kept + other * sums(n - 1, a * 0.5f) + kept;
}

void SysTick_Handler(void) {
	float x = samples[ticks % 16];
	filtered += (x - filtered) * 0.125f;
	samples[ticks % 16] = cross(x, filtered, 1.0f, 0.5f, x, filtered) * 0.01f + 1.0f;
	if (++ticks % 3 == 0)
		ICSR = PENDSVSET;
}

void PendSV_Handler(void) { // one that computes with integers
	sink += mix(1, (const void *)&ticks, 4);
}

int main(void) {
	SHPR3 = 0xc0u << 16 | 0x40u << 24;
	for (int i = 0; i < 16; i++)
		samples[i] = (float)(i * i % 11) * 0.5f;
	corpus_tick(5003);
	struct quaternion q = {1, 0.1f, 0.2f, -0.1f};
	float total = 0;
	for (int n = 1; n < ROUNDS; n++) {
		float x = (float)n * 0.3f;
		total += many(x, x + 1, 2 - x) + variance(samples, 16) + newton(parabola, x, 3) + sums(n % 7, x);
		total += sinf(x) + atan2f(x, 2.0f) + expf(-x) + powf(x, 1.5f) + (float)wide(x, 5);
		q = product(q, (struct quaternion){0.9f, 0.1f, x * 0.01f, 0});
		sink += (uint32_t)(int)(total + q.w);
	}
	corpus_done();
}
