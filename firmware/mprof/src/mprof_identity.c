/*
 * mprof_identity.c: what the target says of itself, and what it has counted.
 */
#include "mprof_wire.h"

/* The note of the GNU build id (section .note.gnu.build-id), where the linker script says where it is. */
extern const uint32_t mprof_build_id[] __attribute__((weak));
#define MPROF_NOTE_BUILD_ID 3u /* NT_GNU_BUILD_ID */
#define MPROF_NOTE_GNU 0x00554E47u
#define MPROF_LONGEST_ID 20u

static MPROF_PLAIN uint8_t *mprof_put_build_id(uint8_t *p)
{
	const uint32_t *const note = mprof_build_id;
	uint32_t n = 0;
	if (note != NULL && note[0] == 4 && note[2] == MPROF_NOTE_BUILD_ID && note[3] == MPROF_NOTE_GNU)
		n = note[1] < MPROF_LONGEST_ID ? note[1] : MPROF_LONGEST_ID;
	*p++ = (uint8_t)n;
	for (uint32_t i = 0; i < n; i++)
		*p++ = ((const uint8_t *)(note + 4))[i];
	return p;
}

/* A name, cut where it does not fit; not within a character. */
static MPROF_PLAIN uint8_t *mprof_put_name(uint8_t *p, const char *name, uint32_t room)
{
	uint32_t n = 0;
	if (room > 0xFF)
		room = 0xFF;
	while (name != NULL && n < room && name[n] != 0)
		n++;
	while (n > 0 && ((uint8_t)name[n] & 0xC0) == 0x80)
		n--;
	*p++ = (uint8_t)n;
	for (uint32_t i = 0; i < n; i++)
		*p++ = (uint8_t)name[i];
	return p;
}

#define MPROF_LEAST_AFTER_NAME 10u /* tick shift, two costs, number of contexts */

static MPROF_PLAIN uint8_t *mprof_put_contexts(uint8_t *p, const uint8_t *end)
{
	uint8_t *const count = p++;
	uint8_t n = 0;
	for (uint16_t id = 0; id < mprof_cold.count && n < 0xFF && end - p > 4; id++) {
		const char *name = mprof_cold.contexts[id].name;
		if (name == NULL)
			continue;
		p = mprof_put_name(mprof_put16(p, id), name, (uint32_t)(end - p) - 3);
		n++;
	}
	*count = n;
	return p;
}

MPROF_PLAIN uint32_t mprof_metadata(uint8_t *payload, uint8_t flags)
{
	uint8_t *p = payload;
	const uint8_t *const end = payload + mprof_cold.room;
	if (!(mprof_hot.state & MPROF_STOPPED))
		flags |= MPROF_FLAG_RUNNING;
	*p++ = MPROF_TARGET_METADATA;
	*p++ = mprof_cold.version;
	*p++ = flags;
	p = mprof_put32(p, mprof_cold.hz);
	p = mprof_put32(p, mprof_cold.buffer);
	p = mprof_put_build_id(p);
	p = mprof_put_name(p, mprof_cold.name, (uint32_t)(end - p) - 1 - MPROF_LEAST_AFTER_NAME);
	*p++ = (uint8_t)mprof_hot.shift;
	p = mprof_put32(p, mprof_cold.pair_cost);
	p = mprof_put32(p, mprof_cold.inner_cost);
	return (uint32_t)(mprof_put_contexts(p, end) - payload);
}

MPROF_PLAIN uint32_t mprof_status(uint8_t *payload)
{
	uint8_t *p = payload;
	const uint32_t mask = mprof_mask();
	const uint32_t waiting = mprof_waiting();
	if (waiting > mprof_cold.high)
		mprof_cold.high = waiting < mprof_hot.last ? waiting : (uint32_t)mprof_hot.last;
	*p++ = MPROF_TARGET_STATUS;
	*p++ = !(mprof_hot.state & MPROF_STOPPED);
	p = mprof_put32(p, mprof_cold.dropped);
	p = mprof_put32(p, mprof_cold.high * (uint32_t)sizeof(struct mprof_slot));
	p = mprof_put32(p, mprof_cold.sent);
	p = mprof_put32(p, waiting);
	p = mprof_put32(p, mprof_cold.deep);
	p = mprof_put32(p, mprof_cold.unmatched);
	mprof_unmask(mask);
	return (uint32_t)(p - payload);
}
