/* Work for the benchmark of the simulated core: what firmware does with its
 * time. CRC by table and bit by bit, sorting, copying, a filter, a state
 * machine, divisions, calls through pointers. Every round adds to `result`
 * and counts in `rounds`. */
#include <stdint.h>
#include <string.h>

volatile uint32_t result, rounds;

static uint32_t table[256];
static uint32_t words[256];
static uint8_t text[1024], copy[1024];
static int16_t samples[256];

static uint32_t seed = 12345;
static uint32_t next(void) { return seed = seed * 1664525u + 1013904223u; }

static void make_table(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;
		for (int k = 0; k < 8; k++)
			c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
		table[i] = c;
	}
}

__attribute__((noinline)) static uint32_t crc32(const uint8_t *p, unsigned n)
{
	uint32_t c = ~0u;
	while (n--)
		c = table[(c ^ *p++) & 0xff] ^ c >> 8;
	return ~c;
}

__attribute__((noinline)) static uint16_t crc16(const uint8_t *p, unsigned n)
{
	uint16_t c = 0xffff;
	while (n--) {
		c ^= *p++ << 8;
		for (int k = 0; k < 8; k++)
			c = c & 0x8000 ? c << 1 ^ 0x1021 : c << 1;
	}
	return c;
}

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t t = *a;
	*a = *b;
	*b = t;
}

__attribute__((noinline)) static void quicksort(uint32_t *v, int n)
{
	while (n > 1) {
		uint32_t pivot = v[n / 2];
		int i = 0, j = n - 1;
		for (;;) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i >= j)
				break;
			swap(&v[i++], &v[j--]);
		}
		quicksort(v, i);
		v += i;
		n -= i;
	}
}

__attribute__((noinline)) static int32_t filter(const int16_t *x, int n)
{
	static const int16_t h[8] = {3, -9, 25, 110, 110, 25, -9, 3};
	int32_t sum = 0;
	for (int i = 0; i + 8 <= n; i++) {
		int32_t y = 0;
		for (int k = 0; k < 8; k++)
			y += x[i + k] * h[k];
		sum += y >> 8;
	}
	return sum;
}

__attribute__((noinline)) static uint32_t parse(const uint8_t *p, unsigned n)
{
	enum { SPACE, WORD, NUMBER } state = SPACE;
	uint32_t count = 0, value = 0;
	for (unsigned i = 0; i < n; i++) {
		uint8_t ch = p[i] & 0x7f;
		switch (state) {
		case SPACE:
			if (ch >= '0' && ch <= '9') {
				state = NUMBER;
				value = ch - '0';
			} else if (ch > ' ') {
				state = WORD;
				count++;
			}
			break;
		case WORD:
			if (ch <= ' ')
				state = SPACE;
			break;
		case NUMBER:
			if (ch >= '0' && ch <= '9') {
				value = value * 10 + ch - '0';
			} else {
				count += value % 97;
				state = SPACE;
			}
			break;
		}
	}
	return count;
}

static uint32_t rotate(uint32_t v) { return v << 5 | v >> 27; }
static uint32_t mix(uint32_t v) { return (v ^ v >> 15) * 0x2c1b3c6du; }
static uint32_t (*const steps[])(uint32_t) = {rotate, mix, rotate, mix};

int main(void)
{
	make_table();
	for (;;) {
		for (unsigned i = 0; i < sizeof text; i++)
			text[i] = next() >> 24;
		for (unsigned i = 0; i < 256; i++) {
			words[i] = next();
			samples[i] = next() >> 16;
		}
		uint32_t r = crc32(text, sizeof text);
		r ^= crc16(text, 256);
		quicksort(words, 256);
		memcpy(copy, text, sizeof copy);
		r += filter(samples, 256);
		r += parse(copy, sizeof copy);
		for (unsigned i = 0; i < 64; i++)
			r = steps[i & 3](r);
		result += r ^ words[128];
		rounds++;
	}
}

extern uint32_t _stack;
void reset(void) { main(); }

__attribute__((section(".vectors"), used))
static void *const vectors[16] = {&_stack, (void *)reset};
