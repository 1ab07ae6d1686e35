/*
 * mprof_version2.c: records as differences of the one before (docs/trace-protocol.md, version 2).
 */
#include "mprof_wire.h"

enum { MPROF_UP = 0, MPROF_NEXT = 1, MPROF_DOWN = 2, MPROF_ELSEWHERE = 3 };

#define MPROF_STEP_SHIFT 6
#define MPROF_NEW_NAME 0u
#define MPROF_NO_NAME 61u
#define MPROF_A_SWITCH 62u
#define MPROF_A_DROP 63u

static MPROF_PLAIN uint8_t *mprof_varint(uint8_t *p, uint32_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

MPROF_INLINE uint8_t *mprof_head_byte(uint8_t *p, uint32_t step, uint32_t reference)
{
	*p++ = (uint8_t)(step << MPROF_STEP_SHIFT | reference);
	return p;
}

MPROF_INLINE uint32_t mprof_context_of(const struct mprof_slot *r)
{
	const uint32_t exception = r->where & MPROF_WHERE_EXCEPTION;
	return exception ? 256 + exception : r->where >> MPROF_WHERE_TASK_SHIFT & 0xFF;
}

MPROF_INLINE uint32_t mprof_depth_of(const struct mprof_slot *r) { return r->where >> MPROF_WHERE_DEPTH_SHIFT & MPROF_DEEPEST; }

/* Time begins where the first difference is 0. */
static MPROF_PLAIN uint8_t *mprof_begin_packet(uint8_t *p, const struct mprof_slot *r)
{
	struct mprof_names *const names = mprof_cold.names;
	uint32_t at = r->exit;
	if (r->where & MPROF_WHERE_DROPPED)
		at = mprof_cold.exit;
	else if (r->function != 0 && r->duration != MPROF_SATURATED && mprof_context_of(r) == 0 && mprof_depth_of(r) <= 1)
		at -= r->duration;
	*p++ = MPROF_TARGET_DATA_2;
	p = mprof_put32(mprof_put32(p, mprof_cold.number), at);
	mprof_cold.exit = at;
	mprof_cold.context = mprof_cold.depth = 0;
	mprof_cold.named = 0;
	mprof_cold.address = 0;
	for (unsigned i = 0; i < sizeof names->head; i++)
		names->head[i] = 0;
	return p;
}

MPROF_INLINE uint8_t *mprof_list_of(struct mprof_names *names, uint32_t address)
{
	return &names->head[(address >> 1 ^ address >> 6 ^ address >> 11) % sizeof names->head];
}

/* The number of a function in this packet, 0 where it has none. */
static MPROF_PLAIN uint32_t mprof_named(uint32_t address)
{
	struct mprof_names *const names = mprof_cold.names;
	uint8_t n = *mprof_list_of(names, address);
	while (n != 0 && names->address[n - 1] != address)
		n = names->next[n - 1];
	return n;
}

/* Writes an address, and gives it a number while there are any. */
static MPROF_PLAIN uint8_t *mprof_put_address(uint8_t *p, uint32_t address)
{
	struct mprof_names *const names = mprof_cold.names;
	const uint32_t d = (address >> 1) - (mprof_cold.address >> 1);
	mprof_cold.address = address;
	if (mprof_cold.named < MPROF_NAMES) {
		uint8_t *const list = mprof_list_of(names, address), i = mprof_cold.named++;
		names->address[i] = address;
		names->next[i] = *list;
		*list = mprof_cold.named;
	}
	return mprof_varint(p, d << 1 ^ (0 - (d >> 31)));
}

static MPROF_PLAIN uint32_t mprof_step_to(const struct mprof_slot *r, uint32_t context, uint32_t depth)
{
	const uint32_t since = r->exit - mprof_cold.exit;
	if (context != mprof_cold.context)
		return MPROF_ELSEWHERE;
	if (depth + 1 == mprof_cold.depth)
		return MPROF_UP;
	if (r->duration > since) /* entered before the previous returned */
		return MPROF_ELSEWHERE;
	if (depth == mprof_cold.depth)
		return MPROF_NEXT;
	return depth == mprof_cold.depth + 1u ? MPROF_DOWN : MPROF_ELSEWHERE;
}

static MPROF_PLAIN uint8_t *mprof_put_call(uint8_t *p, const struct mprof_slot *r)
{
	const uint32_t context = mprof_context_of(r), depth = mprof_depth_of(r);
	const uint32_t address = r->function & ~1u, name = mprof_named(address), since = r->exit - mprof_cold.exit;
	const uint32_t step = mprof_step_to(r, context, depth);
	const uint32_t fresh = mprof_cold.named < MPROF_NAMES ? MPROF_NEW_NAME : MPROF_NO_NAME;
	p = mprof_head_byte(p, step, name ? name : fresh);
	if (step == MPROF_ELSEWHERE)
		p = mprof_varint(mprof_varint(p, context), depth);
	if (name == 0)
		p = mprof_put_address(p, address);
	p = mprof_varint(p, step == MPROF_NEXT || step == MPROF_DOWN ? since - r->duration : since);
	mprof_cold.context = (uint16_t)context;
	mprof_cold.depth = (uint16_t)depth;
	mprof_cold.exit = r->exit;
	return mprof_varint(p, r->duration);
}

static MPROF_PLAIN uint8_t *mprof_put_switch(uint8_t *p, const struct mprof_slot *r)
{
	const uint32_t task = r->where >> MPROF_WHERE_TASK_SHIFT & 0xFF;
	p = mprof_varint(mprof_head_byte(p, MPROF_ELSEWHERE, MPROF_A_SWITCH), task);
	p = mprof_varint(p, r->exit - mprof_cold.exit);
	mprof_cold.context = (uint16_t)task;
	mprof_cold.depth = 0;
	mprof_cold.exit = r->exit;
	return p;
}

MPROF_PLAIN uint32_t mprof_version2(uint8_t *payload, uint32_t length, const struct mprof_slot *record)
{
	uint8_t *p = payload + length;
	if (length == 0)
		p = mprof_begin_packet(p, record);
	if (record->where & MPROF_WHERE_DROPPED)
		return (uint32_t)(mprof_varint(mprof_head_byte(p, MPROF_ELSEWHERE, MPROF_A_DROP), record->exit) - payload);
	p = record->where & MPROF_WHERE_SWITCH ? mprof_put_switch(p, record) : mprof_put_call(p, record);
	mprof_cold.sent++;
	return (uint32_t)(p - payload);
}
