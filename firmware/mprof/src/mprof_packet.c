/*
 * mprof_packet.c: two packets, one of which is filled by the reader while the port sends the other.
 */
#include "mprof_wire.h"

MPROF_PLAIN uint8_t *mprof_packet_open(void)
{
	const uint8_t i = mprof_cold.filling;
	return mprof_cold.full[i] ? NULL : mprof_cold.packet[i] + MPROF_HEADER;
}

MPROF_PLAIN void mprof_packet_close(uint32_t length)
{
	const uint8_t i = mprof_cold.filling;
	uint8_t *const p = mprof_cold.packet[i];
	const uint32_t end = MPROF_HEADER + length;
	uint32_t crc = MPROF_CRC_BEGIN;
	p[0] = MPROF_SYNC_0;
	p[1] = MPROF_SYNC_1;
	mprof_put16(p + 2, length);
	for (uint32_t at = 2; at < end; at++)
		crc = mprof_crc(crc, p[at]);
	*mprof_put16(p + end, crc) = MPROF_END;
	mprof_cold.filling = i ^ 1;
	mprof_cold.length = 0;
	MPROF_BARRIER();
	mprof_cold.full[i] = (uint16_t)(length + MPROF_FRAME);
	mprof_packet_send();
}

/* Gives the port the packet whose turn it is, unless one is under way. In any context. */
MPROF_PLAIN void mprof_packet_send(void)
{
	const uint32_t mask = mprof_mask();
	const uint8_t i = mprof_cold.sending;
	const uint16_t n = mprof_cold.full[i];
	const bool free = n != 0 && !mprof_cold.wired;
	if (free)
		mprof_cold.wired = true;
	mprof_unmask(mask);
	if (free)
		mprof_port_send(mprof_cold.packet[i], n);
}

MPROF_PLAIN void mprof_sent(void)
{
	const uint32_t mask = mprof_mask();
	if (mprof_cold.wired) {
		mprof_cold.full[mprof_cold.sending] = 0;
		mprof_cold.sending ^= 1;
		mprof_cold.wired = false;
	}
	mprof_unmask(mask);
	mprof_packet_send();
}
