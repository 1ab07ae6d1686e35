/*
 * mprof_wire.h: numbers of docs/trace-protocol.md.
 */
#ifndef MPROF_WIRE_H
#define MPROF_WIRE_H

enum {
	MPROF_START = 1,
	MPROF_STOP = 2,
	MPROF_STATUS = 3,
	MPROF_RESET = 4,
	MPROF_METADATA = 5,
	MPROF_GET_GPROF = 6,
	MPROF_RESET_GPROF = 7
};

enum {
	MPROF_TARGET_ACK = 1,
	MPROF_TARGET_NACK = 2,
	MPROF_TARGET_METADATA = 3,
	MPROF_TARGET_STATUS = 4,
	MPROF_TARGET_DATA = 5,
	MPROF_TARGET_DATA_2 = 6,
	MPROF_TARGET_GPROF = 7
};

enum { MPROF_UNKNOWN_COMMAND = 1, MPROF_NOT_NOW = 2, MPROF_WRONG_LENGTH = 3 };

#define MPROF_FLAG_RUNNING 0x01u
#define MPROF_FLAG_STARTED 0x80u

#define MPROF_SYNC_0 0x55u
#define MPROF_SYNC_1 0xAAu
#define MPROF_END 0x0Au
#define MPROF_HEADER 4u /* bytes before the payload */
#define MPROF_FRAME 7u  /* bytes around the payload */

#include "mprof_state.h"

/* CRC-16/CCITT-FALSE of one more byte: x^16 + x^12 + x^5 + 1, without a table. */
MPROF_INLINE uint32_t mprof_crc(uint32_t crc, uint8_t byte)
{
	uint32_t x = (crc >> 8 ^ byte) & 0xFF;
	x ^= x >> 4;
	return (crc << 8 ^ x << 12 ^ x << 5 ^ x) & 0xFFFF;
}
#define MPROF_CRC_BEGIN 0xFFFFu

/* Version 2: head, context, depth, address, time, duration. */
#define MPROF_LONGEST_RECORD (1u + 2u + 2u + 5u + 5u + 5u)

#endif
