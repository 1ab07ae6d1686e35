// CRC-32 as in IEEE 802.3: polynomial 0x04c11db7, reflected.
#ifndef CRC32_H
#define CRC32_H

#include <stddef.h>
#include <stdint.h>

void crc32_init(void);
uint32_t crc32(const void *data, size_t size);

#endif
