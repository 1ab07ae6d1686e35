/*
 * mprof_gprof.c: gives the counters of firmware/gprof to the host (docs/trace-protocol.md, GET_GPROF). An application that links
 * both modules compiles this file, too; without it the module answers that it does not know the command.
 */
#include "gprof.h"
#include "mprof_wire.h"

#define PART_SHIFT 14
#define PIECE 0x3FFFu
#define HEADER 5u /* type, what was asked for, bytes of a piece */

enum part { PART_BLOCK, PART_COUNTERS, PART_ARCS };

/* A part of the counts: its words, NULL where there is none. Before profile_on and after profile_off there is the block. */
struct words {
	const volatile uint32_t *at;
	uint32_t count;
};

static MPROF_PLAIN struct words mprof_gprof_part(uint32_t part)
{
	const bool on = mprof_gprof.state != 0;
	switch (part) {
	case PART_BLOCK:
		return (struct words){(const volatile uint32_t *)&mprof_gprof, sizeof mprof_gprof / 4};
	case PART_COUNTERS:
		return (struct words){(const volatile uint32_t *)(uintptr_t)mprof_gprof.counters, on ? (mprof_gprof.buckets + 1) / 2 : 0};
	case PART_ARCS:
		return (struct words){(const volatile uint32_t *)(uintptr_t)mprof_gprof.arcs,
				      on ? mprof_gprof.arcs_used * (uint32_t)(sizeof(struct gprof_arc) / 4) : 0};
	default:
		return (struct words){NULL, 0};
	}
}

/* A piece is as many words as a packet has room for. Words are read whole: a tick does not tear a counter. */
static MPROF_PLAIN uint32_t mprof_gprof_piece(uint8_t *payload, uint32_t asked)
{
	const struct words w = mprof_gprof_part(asked >> PART_SHIFT);
	const uint32_t most = (mprof_cold.room - HEADER) / 4, from = (asked & PIECE) * most;
	uint8_t *p = payload;
	*p++ = MPROF_TARGET_GPROF;
	p = mprof_put16(mprof_put16(p, asked), 4 * most);
	for (uint32_t i = from; i < w.count && i < from + most; i++)
		p = mprof_put32(p, w.at[i]);
	return (uint32_t)(p - payload);
}

MPROF_PLAIN uint32_t mprof_obey_gprof(uint8_t *payload, const struct mprof_command *c)
{
	if (c->type == MPROF_GET_GPROF && c->length == 2)
		return mprof_gprof_piece(payload, (uint32_t)c->body[0] | (uint32_t)c->body[1] << 8);
	if (c->type == MPROF_RESET_GPROF && c->length == 1) {
		mprof_gprof.request = c->body[0] != 0;
		payload[0] = MPROF_TARGET_ACK;
		payload[1] = c->type;
		return 2;
	}
	if (c->type == MPROF_GET_GPROF || c->type == MPROF_RESET_GPROF)
		return mprof_refuse(payload, c->type, MPROF_WRONG_LENGTH);
	return 0;
}
