// A small LZ77 coder for journal pages.
#ifndef LZ_H
#define LZ_H

#include <stddef.h>
#include <stdint.h>

// lz_compress returns the compressed size, 0 where it would exceed capacity.
size_t lz_compress(const uint8_t *in, size_t size, uint8_t *out, size_t capacity);

#endif
