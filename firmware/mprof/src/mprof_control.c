/*
 * mprof_control.c: the module's state, and starting, stopping and emptying it in any context.
 */
#include "mprof_state.h"
#include "mprof_wire.h"

struct mprof_hot mprof_hot = {.state = MPROF_STOPPED};
struct mprof_cold mprof_cold;

/*
 * Empties a stack. The frames stay as ones that match nothing and begin at depth 0 again: a hook that was interrupted
 * by STOP and START may put top back above them.
 */
static MPROF_PLAIN void mprof_clear(struct mprof_context *c)
{
	const uint32_t where = c->base->where;
	for (struct mprof_frame *f = c->base; f <= c->limit; f++) {
		f->key = MPROF_KEY_NONE;
		f->entry = 0;
		f->where = where;
		f->sp = UINTPTR_MAX;
	}
	c->top = (uintptr_t)(c->base + 1);
}

/* Everything that was recorded until now is of the past: the reader discards it. Interrupts are masked. */
static MPROF_PLAIN void mprof_begin_again(uint8_t command)
{
	mprof_cold.dropped = mprof_cold.deep = mprof_cold.unmatched = mprof_cold.pending = 0;
	mprof_hot.state &= ~(uintptr_t)MPROF_PENDING;
	mprof_cold.mark = (uint16_t)(mprof_hot.state & MPROF_HEAD);
	mprof_cold.marked |= (uint8_t)(1u << command);
}

MPROF_PLAIN void mprof_start(void)
{
	uint32_t mask;
	if (mprof_cold.contexts == NULL)
		return;
	if (mprof_hot.state & MPROF_STOPPED)
		for (unsigned i = 0; i <= mprof_cold.count; i++)
			mprof_clear(&mprof_cold.contexts[i]);
	mask = mprof_mask();
	if (mprof_hot.state & MPROF_STOPPED) {
		const struct mprof_context *c = &mprof_cold.contexts[mprof_cold.task];
		mprof_hot.top = c->top;
		mprof_hot.limit = (uintptr_t)c->limit;
		mprof_hot.state &= ~(uintptr_t)MPROF_STOPPED;
	}
	mprof_begin_again(MPROF_START);
	mprof_unmask(mask);
}

MPROF_PLAIN void mprof_stop(void)
{
	const uint32_t mask = mprof_mask();
	mprof_hot.limit = 0;
	mprof_hot.state |= MPROF_STOPPED;
	mprof_unmask(mask);
}

MPROF_PLAIN void mprof_reset(void)
{
	const uint32_t mask = mprof_mask();
	if (mprof_cold.contexts != NULL)
		mprof_begin_again(MPROF_RESET);
	mprof_unmask(mask);
}

/* What a task before it has left open under that id never returns. */
static MPROF_PLAIN void mprof_bury(struct mprof_context *c)
{
	const struct mprof_frame *const top = (const struct mprof_frame *)c->top;
	if (mprof_hot.state & MPROF_STOPPED)
		return;
	mprof_cold.unmatched += (uint32_t)((top < c->limit ? top : c->limit) - c->base) - 1;
	if (top > c->limit)
		mprof_cold.unmatched += c->limit->entry;
	c->top = (uintptr_t)(c->base + 1);
}

MPROF_PLAIN void mprof_context_name(uint16_t id, const char *name)
{
	const uint32_t mask = mprof_mask();
	if (mprof_cold.contexts != NULL && id < mprof_cold.count) {
		mprof_cold.contexts[id].name = name;
		if (id != mprof_cold.task)
			mprof_bury(&mprof_cold.contexts[id]);
	}
	mprof_unmask(mask);
}
