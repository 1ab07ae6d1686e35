/*
 * mprof_init.c: divides the memory that the application gives.
 */
#include "mprof_wire.h"

#define MPROF_DEPTH 24u
#define MPROF_MOST_DEPTH 2000u
#define MPROF_MOST_CONTEXTS 256u
#define MPROF_PACKET 512u
#define MPROF_LEAST_PACKET 64u
#define MPROF_MOST_PACKET 4096u
#define MPROF_LEAST_SLOTS 5u /* one of them is never used */
#define MPROF_MOST_SLOTS 0xFFFFu

/* What is left of the memory. */
struct mprof_rest {
	uint8_t *at;
	size_t size;
};

/* Takes n bytes, whole words; NULL where they are not there. */
static MPROF_PLAIN void *mprof_take(struct mprof_rest *rest, size_t n)
{
	void *const p = rest->at;
	n = (n + sizeof(uintptr_t) - 1) & ~(sizeof(uintptr_t) - 1);
	if (rest->at == NULL || n > rest->size) {
		rest->at = NULL;
		return NULL;
	}
	rest->at += n;
	rest->size -= n;
	return p;
}

MPROF_INLINE uint32_t mprof_choose(uint32_t value, uint32_t preset, uint32_t most)
{
	if (value == 0)
		value = preset;
	return value < most ? value : most;
}

/* A task: a frame below its calls, its calls, and one above for those that are too deep. */
static MPROF_PLAIN void mprof_new_stack(struct mprof_context *c, struct mprof_rest *rest, uint32_t id, uint32_t depth)
{
	struct mprof_frame *const base = mprof_take(rest, (depth + 2) * sizeof(struct mprof_frame));
	c->name = NULL;
	if (base == NULL)
		return;
	base->key = MPROF_KEY_NONE;
	base->sp = UINTPTR_MAX;
	base->where = (MPROF_WHERE_DONE - MPROF_WHERE_DEEPER) | id << MPROF_WHERE_TASK_SHIFT;
	c->base = base;
	c->limit = base + 1 + depth;
	c->top = (uintptr_t)(base + 1);
}

/* The stacks; the last has no room, and is that of tasks that are none. */
static MPROF_PLAIN struct mprof_context *mprof_new_contexts(const struct mprof_config *config, struct mprof_rest *rest)
{
	const uint32_t count = mprof_choose(config->contexts, 1, MPROF_MOST_CONTEXTS);
	const uint32_t depth = mprof_choose(config->depth, MPROF_DEPTH, MPROF_MOST_DEPTH);
	struct mprof_context *const c = mprof_take(rest, (count + 1) * sizeof *c);
	if (c == NULL)
		return NULL;
	for (uint32_t id = 0; id < count; id++)
		mprof_new_stack(&c[id], rest, id, depth);
	mprof_new_stack(&c[count], rest, 0, 0);
	mprof_cold.count = (uint16_t)count;
	return c;
}

static MPROF_PLAIN void mprof_new_packets(const struct mprof_config *config, struct mprof_rest *rest)
{
	const uint32_t eighth = config->size / 8 < MPROF_PACKET ? (uint32_t)(config->size / 8) : MPROF_PACKET;
	uint32_t room = mprof_choose(config->packet, eighth, MPROF_MOST_PACKET);
	if (room < MPROF_LEAST_PACKET)
		room = MPROF_LEAST_PACKET;
	mprof_cold.room = (uint16_t)room;
	mprof_cold.names = mprof_take(rest, sizeof *mprof_cold.names);
	for (unsigned i = 0; i < 2; i++)
		mprof_cold.packet[i] = mprof_take(rest, room + MPROF_FRAME);
}

static MPROF_PLAIN int mprof_new_ring(struct mprof_rest *rest)
{
	size_t slots = rest->size / sizeof(struct mprof_slot);
	if (rest->at == NULL || slots < MPROF_LEAST_SLOTS)
		return -1;
	if (slots > MPROF_MOST_SLOTS)
		slots = MPROF_MOST_SLOTS;
	mprof_hot.ring = mprof_take(rest, slots * sizeof(struct mprof_slot));
	for (size_t i = 0; i < slots; i++)
		mprof_hot.ring[i].where = 0;
	mprof_hot.last = slots - 1;
	mprof_hot.state = MPROF_STOPPED | mprof_hot.last;
	mprof_hot.tail = mprof_hot.last;
	mprof_cold.buffer = (uint32_t)(mprof_hot.last * sizeof(struct mprof_slot));
	return 0;
}

MPROF_PLAIN int mprof_init(const struct mprof_config *config)
{
	struct mprof_rest rest = {config->memory, config->size};
	struct mprof_context *contexts;
	if (config->memory == NULL || (uintptr_t)config->memory % sizeof(uintptr_t) != 0 || mprof_cold.contexts != NULL)
		return -1;
	contexts = mprof_new_contexts(config, &rest);
	mprof_new_packets(config, &rest);
	if (mprof_new_ring(&rest) != 0 || mprof_time_init(config->hz) != 0)
		return -1;
	mprof_cold.version = 1;
	mprof_cold.name = config->name;
	mprof_hot.top = contexts->top;
	mprof_calibrate(contexts);
	mprof_time_shift(mprof_time_default_shift());
	mprof_cold.owed = 1;
	mprof_port_init();
	mprof_cold.contexts = contexts; /* from here on START is obeyed */
	return 0;
}
