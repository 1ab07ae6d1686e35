/* A filter: with the DSP instructions where there are any, in plain C too. */
#include "program.h"
#include <arm_acle.h>

#define TAPS 8

static int16_t taps[TAPS] __attribute__((aligned(4))) = {-812, 1203, 8456, 16384, 16384, 8456, 1203, -812};
static int16_t line[TAPS + 16] __attribute__((aligned(4)));

static int32_t plain(const int16_t *x)
{
	int32_t acc = 0;
	for (int i = 0; i < TAPS; i++)
		acc += x[i] * taps[i];
	return acc;
}

#ifdef __ARM_FEATURE_DSP
static int32_t packed(const int16_t *x)
{
	int32_t acc = 0;
	for (int i = 0; i < TAPS; i += 2)
		acc = __smlad(*(const int16x2_t *)(const void *)(x + i), *(const int16x2_t *)(const void *)(taps + i), acc);
	return acc;
}

static uint32_t intrinsics(uint32_t *s)
{
	int32_t a = (int32_t)next(s), b = (int32_t)next(s), c = (int32_t)next(s);
	int64_t acc = (int64_t)next(s) << 20;
	uint32_t r = (uint32_t)__qadd(a, b) + (uint32_t)__qsub(b, c) * 3 + (uint32_t)__qdbl(c);
	r += (uint32_t)__ssat(a, 12) + __usat(b, 9);
	r ^= (uint32_t)__sadd16(a, b) + (uint32_t)__qsub16(b, c) + (uint32_t)__shasx(a, c);
	r += (uint32_t)__uadd8((uint8x4_t)a, (uint8x4_t)b);
	r ^= (uint32_t)__sel((uint8x4_t)a, (uint8x4_t)c);
	r += (uint32_t)__usad8((uint8x4_t)a, (uint8x4_t)b) + (uint32_t)__sxtab16(a, (int8x4_t)b);
	acc = __smlald(a, b, acc);
	acc = __smlsldx(b, c, acc);
	r += (uint32_t)__smlawb(a, b, c) + (uint32_t)__smlabt(a, c, b) + (uint32_t)__smusd(a, c);
	return r + (uint32_t)(acc ^ acc >> 32);
}
#endif

uint32_t dsp(uint32_t seed)
{
	uint32_t sum = 0;
	for (int i = 0; i < TAPS + 16; i++)
		line[i] = (int16_t)(next(&seed) >> 15);
	for (int i = 0; i < 16; i += 2) {
		sum = sum * 31 + (uint32_t)plain(line + i);
#ifdef __ARM_FEATURE_DSP
		sum = sum * 31 + (uint32_t)packed(line + i) + intrinsics(&seed);
#endif
	}
	return sum;
}
