/* Integer arithmetic of all widths, soft floating point, CRC, bit fields. */
#include "program.h"

static uint32_t crc32(const uint8_t *p, uint32_t n)
{
	uint32_t c = 0xffffffff;
	while (n--) {
		c ^= *p++;
		for (int k = 0; k < 8; k++)
			c = c >> 1 ^ (0xedb88320 & -(c & 1));
	}
	return ~c;
}

static uint32_t wide(uint32_t *s)
{
	uint64_t a = (uint64_t)next(s) << 32 | next(s), b = next(s) | 1;
	int64_t c = (int64_t)(a ^ (uint64_t)next(s) << 17);
	uint64_t q = a / b, r = a % b;
	int64_t d = c / (int64_t)(b >> 7 | 1), e = c % 1000003;
	uint64_t m = a * b + (uint64_t)c;
	uint64_t sh = m << (b & 63) | m >> (63 - (b & 63));
	return (uint32_t)(q ^ q >> 32 ^ r ^ (uint64_t)d ^ (uint64_t)e ^ sh ^ (m > a) ^ (c < d) << 1);
}

struct packed {
	unsigned kind : 3;
	int level : 7;
	unsigned flag : 1;
	int value : 13;
	unsigned rest : 8;
};

static uint32_t fields(uint32_t *s)
{
	union {
		uint32_t w;
		struct packed f;
	} u = {next(s)};
	u.f.level += 3;
	u.f.value -= (int)u.f.kind * 17;
	u.f.flag = !u.f.flag;
	u.f.kind++;
	return u.w + (uint32_t)(u.f.level * u.f.value);
}

static uint32_t narrow(uint32_t *s)
{
	int16_t h = (int16_t)next(s);
	int8_t b = (int8_t)(next(s) >> 9);
	uint16_t u = (uint16_t)(next(s) >> 3);
	int32_t i = (int32_t)next(s), j = (int32_t)(next(s) >> 20) - 2048;
	h = (int16_t)(h * b + u);
	b = (int8_t)(h >> 3);
	if (j == 0)
		j = 1;
	return (uint32_t)(h + b * u + i / j + i % j + (i >> 5) + (i < 0 ? -i : i)) ^ __builtin_bswap32((uint32_t)i) ^
	       (uint32_t)__builtin_clz((uint32_t)i | 1) ^ (uint32_t)__builtin_popcount(u);
}

static uint32_t floating(uint32_t *s)
{
	float f = (float)(int32_t)next(s) / 65536.0f;
	double d = (double)next(s) * 1e-3 - (double)f;
	f = f * f - (float)d;
	d = d / (1.0 + (double)(next(s) & 0xffff));
	return (uint32_t)(int32_t)d + (f < d) + (uint32_t)(int64_t)(f / 1e6f);
}

uint32_t arithmetic(uint32_t seed)
{
	uint8_t buffer[64];
	uint32_t sum = 0;
	for (unsigned i = 0; i < sizeof buffer; i++)
		buffer[i] = (uint8_t)(next(&seed) >> 13);
	sum = crc32(buffer, sizeof buffer);
	for (int i = 0; i < 12; i++)
		sum = sum * 31 + wide(&seed) + fields(&seed) + narrow(&seed);
	for (int i = 0; i < 4; i++)
		sum = sum * 31 + floating(&seed);
	return sum;
}
