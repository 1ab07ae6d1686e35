// CRC-32, a byte at a time with a table in RAM.
#include "crc32.h"

static uint32_t table[256];

void crc32_init(void) {
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;
		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
		table[i] = c;
	}
}

uint32_t crc32(const void *data, size_t size) {
	const uint8_t *p = data;
	uint32_t c = 0xffffffffu;
	while (size--)
		c = table[(c ^ *p++) & 0xff] ^ (c >> 8);
	return ~c;
}
