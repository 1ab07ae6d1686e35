/*
 * mprof_command.c: packets from the host, byte by byte, and what they ask for.
 */
#include "mprof_wire.h"

#define MPROF_LONGEST_COMMAND (MPROF_PARSED - MPROF_FRAME)
#define MPROF_BROKEN MPROF_PARSED

/* The bytes that are missing to what may be a packet; 0: it is one; MPROF_BROKEN: it is none. */
static MPROF_PLAIN uint32_t mprof_missing(const uint8_t *p, uint32_t n)
{
	uint32_t length, crc = MPROF_CRC_BEGIN;
	if ((n > 0 && p[0] != MPROF_SYNC_0) || (n > 1 && p[1] != MPROF_SYNC_1))
		return MPROF_BROKEN;
	if (n < MPROF_HEADER)
		return MPROF_HEADER - n;
	length = (uint32_t)p[2] | (uint32_t)p[3] << 8;
	if (length == 0 || length > MPROF_LONGEST_COMMAND)
		return MPROF_BROKEN;
	if (n < length + MPROF_FRAME)
		return length + MPROF_FRAME - n;
	for (uint32_t i = 2; i < length + MPROF_HEADER; i++)
		crc = mprof_crc(crc, p[i]);
	p += length + MPROF_HEADER;
	return p[0] == (crc & 0xFF) && p[1] == crc >> 8 && p[2] == MPROF_END ? 0 : MPROF_BROKEN;
}

/* Keeps a command for the reader. One that finds no room is not answered. */
static MPROF_PLAIN void mprof_keep(const uint8_t *payload, uint32_t length)
{
	const uint8_t at = mprof_cold.received, next = (uint8_t)((at + 1u) % MPROF_COMMANDS);
	struct mprof_command *const c = &mprof_cold.commands[at];
	if (next == mprof_cold.obeyed)
		return;
	c->type = payload[0];
	c->length = (uint8_t)(length - 1);
	c->body[0] = payload[1];
	c->body[1] = payload[2];
	MPROF_BARRIER();
	mprof_cold.received = next;
}

/* Looks for the next packet among bytes of which the first is not the beginning of one. */
static MPROF_PLAIN void mprof_skip(uint8_t *p)
{
	uint32_t n = mprof_cold.parsed, from = 1;
	while (from < n && p[from] != MPROF_SYNC_0)
		from++;
	n -= from;
	for (uint32_t i = 0; i < n; i++)
		p[i] = p[i + from];
	mprof_cold.parsed = (uint8_t)n;
}

/* A packet whose rest does not come within a quarter of a second lost some of its bytes. */
MPROF_PLAIN void mprof_received(uint8_t byte)
{
	uint8_t *const p = mprof_cold.parsing;
	const uint32_t now = mprof_ticks();
	if (now - mprof_cold.heard > mprof_cold.tick_hz / 4)
		mprof_cold.parsed = 0;
	mprof_cold.heard = now;
	p[mprof_cold.parsed++] = byte;
	while (mprof_cold.parsed != 0) {
		const uint32_t missing = mprof_missing(p, mprof_cold.parsed);
		if (missing == MPROF_BROKEN) {
			mprof_skip(p);
			continue;
		}
		if (missing == 0) {
			mprof_keep(p + MPROF_HEADER, mprof_cold.parsed - MPROF_FRAME);
			mprof_cold.parsed = 0;
		}
		return;
	}
}

MPROF_PLAIN bool mprof_command_waits(void) { return mprof_cold.received != mprof_cold.obeyed; }

MPROF_PLAIN uint32_t mprof_refuse(uint8_t *payload, uint8_t command, uint8_t reason)
{
	payload[0] = MPROF_TARGET_NACK;
	payload[1] = command;
	payload[2] = reason;
	return 3;
}

/* GET_METADATA chooses the version and the length of a tick; ticks do not change while there are records. */
static MPROF_PLAIN uint32_t mprof_negotiate(uint8_t *payload, const struct mprof_command *c)
{
	uint32_t shift = mprof_time_default_shift();
	if (c->length > 1 && c->body[1] != 0xFF)
		shift = c->body[1];
	if (shift > 31 || mprof_cold.hz >> shift == 0)
		return mprof_refuse(payload, MPROF_METADATA, MPROF_NOT_NOW);
	if (shift != mprof_hot.shift) {
		if (!(mprof_hot.state & MPROF_STOPPED) || mprof_waiting() != 0)
			return mprof_refuse(payload, MPROF_METADATA, MPROF_NOT_NOW);
		mprof_time_shift(shift);
	}
	mprof_cold.version = c->length > 0 && c->body[0] >= 2 ? 2 : 1;
	return mprof_metadata(payload, 0);
}

/* Of ../optional/mprof_gprof.c, where the application has it. */
extern uint32_t mprof_obey_gprof(uint8_t *payload, const struct mprof_command *c) __attribute__((weak));

MPROF_PLAIN uint32_t mprof_obey(uint8_t *payload)
{
	uint32_t n = 0;
	const struct mprof_command c = mprof_cold.commands[mprof_cold.obeyed];
	mprof_cold.obeyed = (uint8_t)((mprof_cold.obeyed + 1u) % MPROF_COMMANDS);
	if (c.length != 0 && c.type >= MPROF_START && c.type <= MPROF_RESET)
		return mprof_refuse(payload, c.type, MPROF_WRONG_LENGTH);
	switch (c.type) {
	case MPROF_START:
		mprof_start();
		return 0;
	case MPROF_STOP:
		mprof_stop();
		payload[0] = MPROF_TARGET_ACK;
		payload[1] = c.type;
		return 2;
	case MPROF_STATUS:
		return mprof_status(payload);
	case MPROF_RESET:
		mprof_reset();
		return 0;
	case MPROF_METADATA:
		return mprof_negotiate(payload, &c);
	default:
		if (mprof_obey_gprof != NULL)
			n = mprof_obey_gprof(payload, &c);
		return n != 0 ? n : mprof_refuse(payload, c.type, MPROF_UNKNOWN_COMMAND);
	}
}
