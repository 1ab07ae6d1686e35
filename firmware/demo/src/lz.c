// Tokens: 0nnnnnnn and n+1 literals, or 1nnnnnnn and a 16-bit distance for a
// match of n+4 bytes. Candidates come from a hash of four bytes.
#include "lz.h"

#include <stdbool.h>
#include <string.h>

#define MIN_MATCH 4
#define MAX_MATCH (127 + MIN_MATCH)
#define MAX_LITERALS 128
#define HASH_BITS 8

static uint16_t heads[1 << HASH_BITS];

struct output {
	uint8_t *next, *end;
};

static inline uint32_t hash4(const uint8_t *p) {
	uint32_t word;
	memcpy(&word, p, 4);
	return (word * 2654435761u) >> (32 - HASH_BITS);
}

static __attribute__((noinline)) size_t match_length(const uint8_t *a, const uint8_t *b, const uint8_t *end) {
	size_t n = 0;
	while (n < MAX_MATCH && b + n < end && a[n] == b[n])
		n++;
	return n;
}

static bool put_literals(struct output *o, const uint8_t *from, size_t count) {
	while (count) {
		size_t n = count < MAX_LITERALS ? count : MAX_LITERALS;
		if ((size_t)(o->end - o->next) < n + 1)
			return false;
		*o->next++ = (uint8_t)(n - 1);
		memcpy(o->next, from, n);
		o->next += n;
		from += n;
		count -= n;
	}
	return true;
}

static bool put_match(struct output *o, size_t length, size_t distance) {
	if (o->end - o->next < 3)
		return false;
	*o->next++ = (uint8_t)(0x80 | (length - MIN_MATCH));
	*o->next++ = (uint8_t)distance;
	*o->next++ = (uint8_t)(distance >> 8);
	return true;
}

size_t lz_compress(const uint8_t *in, size_t size, uint8_t *out, size_t capacity) {
	struct output o = {out, out + capacity};
	const uint8_t *p = in, *literals = in, *end = in + size;
	memset(heads, 0xff, sizeof heads);
	while (p + MIN_MATCH <= end) {
		uint32_t h = hash4(p);
		size_t candidate = heads[h], length = 0;
		heads[h] = (uint16_t)(p - in);
		if (candidate != 0xffff)
			length = match_length(in + candidate, p, end);
		if (length < MIN_MATCH) {
			p++;
			continue;
		}
		if (!put_literals(&o, literals, (size_t)(p - literals)) || !put_match(&o, length, (size_t)(p - in) - candidate))
			return 0;
		p += length;
		literals = p;
	}
	if (!put_literals(&o, literals, (size_t)(end - literals)))
		return 0;
	return (size_t)(o.next - out);
}
