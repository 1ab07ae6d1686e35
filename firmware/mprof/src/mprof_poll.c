/*
 * mprof_poll.c: the reader of the ring. One call of mprof_poll at a time; it fills at most two packets.
 */
#include "mprof_wire.h"

MPROF_INLINE uintptr_t mprof_head(void) { return *(volatile const uintptr_t *)&mprof_hot.state & MPROF_HEAD; }

/* Slots that are to be sent. */
MPROF_PLAIN uint32_t mprof_waiting(void)
{
	const uint32_t mask = mprof_mask();
	uintptr_t from = mprof_hot.tail;
	uint32_t n;
	if (mprof_cold.marked)
		from = mprof_cold.mark;
	else if (mprof_cold.discarding)
		from = mprof_cold.discard;
	n = mprof_slots_between(from, mprof_hot.state & MPROF_HEAD) + (mprof_cold.pending != 0);
	mprof_unmask(mask);
	return n;
}

/* START or RESET_BUFFERS: what waits is not sent, and the answer stands before all that comes. */
static MPROF_PLAIN void mprof_forget(void)
{
	const uint32_t mask = mprof_mask();
	mprof_cold.discard = mprof_cold.mark;
	mprof_cold.owed |= mprof_cold.marked;
	mprof_cold.marked = 0;
	mprof_unmask(mask);
	mprof_cold.discarding = true;
	mprof_cold.length = 0;
	mprof_cold.number = mprof_cold.sent = mprof_cold.high = 0;
}

MPROF_INLINE void mprof_free(struct mprof_slot *slot, uintptr_t tail)
{
	slot->where = 0;
	MPROF_BARRIER();
	*(volatile uintptr_t *)&mprof_hot.tail = mprof_slot_after(tail);
}

/* Takes what was dropped behind the last record. */
static MPROF_PLAIN bool mprof_take_dropped(struct mprof_slot *record)
{
	const uint32_t mask = mprof_mask();
	const bool any = mprof_cold.pending != 0 && !mprof_cold.marked && mprof_hot.tail == (mprof_hot.state & MPROF_HEAD);
	if (any) {
		*record = (struct mprof_slot){.exit = mprof_cold.pending, .where = MPROF_WHERE_DONE | MPROF_WHERE_DROPPED};
		mprof_cold.pending = 0;
		mprof_hot.state &= ~(uintptr_t)MPROF_PENDING;
	}
	mprof_unmask(mask);
	return any;
}

/* There is no function at address 0. */
static MPROF_PLAIN void mprof_disown(struct mprof_slot *record)
{
	const uint32_t mask = mprof_mask();
	mprof_cold.dropped++;
	mprof_unmask(mask);
	*record = (struct mprof_slot){.exit = 1, .where = MPROF_WHERE_DONE | MPROF_WHERE_DROPPED};
}

/* Looks at the oldest record that is finished, and tells whether there is one. */
static MPROF_PLAIN bool mprof_peek(struct mprof_slot *record)
{
	for (;;) {
		const uintptr_t head = mprof_head(), tail = mprof_hot.tail;
		struct mprof_slot *const slot = mprof_hot.ring + tail;
		uint32_t where, used;
		if (mprof_cold.marked)
			mprof_forget();
		if (mprof_cold.discarding && tail == mprof_cold.discard)
			mprof_cold.discarding = false;
		if (mprof_cold.owed)
			return false;
		if (tail == head)
			return false;
		where = slot->where;
		if (where == 0)
			return false;
		MPROF_BARRIER();
		if (mprof_cold.discarding) {
			mprof_free(slot, tail);
			continue;
		}
		used = mprof_slots_between(tail, head);
		if (used > mprof_cold.high)
			mprof_cold.high = used;
		record->function = slot->function;
		record->exit = slot->exit;
		record->duration = slot->duration;
		record->where = where;
		if (record->function < 2 && !(where & (MPROF_WHERE_SWITCH | MPROF_WHERE_DROPPED)))
			mprof_disown(record);
		return true;
	}
}

/* Appends a record to a packet that has room for it. Version 1 has no switches: they take no number in it. */
static MPROF_PLAIN void mprof_append(uint8_t *payload, const struct mprof_slot *record)
{
	const uint32_t sent = mprof_cold.sent;
	if (mprof_cold.length == 0)
		mprof_cold.begun = mprof_ticks();
	if (mprof_cold.version == 2)
		mprof_cold.length = (uint16_t)mprof_version2(payload, mprof_cold.length, record);
	else
		mprof_cold.length = (uint16_t)mprof_version1(payload, mprof_cold.length, record);
	mprof_cold.number += record->where & MPROF_WHERE_DROPPED ? record->exit : mprof_cold.sent - sent;
}

MPROF_INLINE bool mprof_full(void)
{
	return mprof_cold.length + MPROF_LONGEST_RECORD > mprof_cold.room;
}

/* A packet that is not full goes when nobody else has use of the wire, and there is nothing to wait for. */
static MPROF_PLAIN bool mprof_late(void)
{
	if (mprof_cold.length == 0 || mprof_cold.wired)
		return false;
	return mprof_hot.state & MPROF_STOPPED || mprof_ticks() - mprof_cold.begun >= mprof_cold.linger;
}

static MPROF_PLAIN bool mprof_records(uint8_t *payload)
{
	struct mprof_slot record;
	while (!mprof_full()) {
		if (mprof_peek(&record)) {
			mprof_append(payload, &record);
			mprof_free(mprof_hot.ring + mprof_hot.tail, mprof_hot.tail);
		} else if (mprof_take_dropped(&record)) {
			mprof_append(payload, &record);
		} else {
			break;
		}
	}
	if (mprof_cold.marked || mprof_cold.owed)
		return true;
	if (!mprof_full() && !mprof_late())
		return false;
	mprof_packet_close(mprof_cold.length);
	return true;
}

/* What the target owes the host without a question, or behind one that took effect at once. */
static MPROF_PLAIN uint32_t mprof_owed(uint8_t *payload)
{
	for (uint8_t command = MPROF_START; command <= MPROF_RESET; command++)
		if (mprof_cold.owed >> command & 1) {
			mprof_cold.owed ^= (uint8_t)(1u << command);
			payload[0] = MPROF_TARGET_ACK;
			payload[1] = command;
			return 2;
		}
	mprof_cold.owed = 0;
	return mprof_metadata(payload, MPROF_FLAG_STARTED);
}

/* Does one thing towards a packet; false: there is nothing to do, or no packet free. */
static MPROF_PLAIN bool mprof_step(void)
{
	uint8_t *const payload = mprof_packet_open();
	const bool waits = mprof_command_waits();
	if (payload == NULL)
		return false;
	if (mprof_cold.marked)
		mprof_forget();
	if (!mprof_cold.owed && !waits)
		return mprof_records(payload);
	if (mprof_cold.length != 0) {
		mprof_packet_close(mprof_cold.length);
	} else {
		const uint32_t n = mprof_cold.owed ? mprof_owed(payload) : mprof_obey(payload);
		if (n != 0)
			mprof_packet_close(n);
	}
	return true;
}

/* Version 1 counts seconds on where nothing is recorded for long. A hook under way may know an earlier time. */
static MPROF_PLAIN void mprof_count_seconds(void)
{
	const uint32_t now = mprof_ticks();
	if ((now - mprof_cold.second_ticks) >> 30 && mprof_hot.tail == mprof_head())
		mprof_version1_follow(now - (1u << 29));
}

#define MPROF_STEPS 16     /* of one call */
#define MPROF_RECEIVED 64u /* bytes of one call */

MPROF_PLAIN void mprof_poll(void)
{
	const uint32_t mask = mprof_mask();
	const bool mine = mprof_cold.contexts != NULL && !mprof_cold.polling;
	if (mine)
		mprof_cold.polling = true;
	mprof_unmask(mask);
	if (!mine)
		return;
	mprof_time_follow();
	mprof_port_poll();
	for (unsigned i = 0; i < MPROF_RECEIVED; i++) {
		const int byte = mprof_port_receive();
		if (byte < 0)
			break;
		mprof_received((uint8_t)byte);
	}
	for (unsigned i = 0; i < MPROF_STEPS && mprof_step(); i++)
		;
	mprof_count_seconds();
	mprof_packet_send();
	mprof_cold.polling = false;
}
