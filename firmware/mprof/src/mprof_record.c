/*
 * mprof_record.c: what the hooks do rarely: a stack or a ring without room, a return that is not that of the last call,
 * dropped records, context switches. With interrupts masked; loops end with the stack.
 */
#include "mprof_clock.h"

MPROF_INLINE struct mprof_context *mprof_running(void) { return &mprof_cold.contexts[mprof_cold.task]; }

MPROF_INLINE uint32_t mprof_exception_of(const struct mprof_frame *f) { return f->where & MPROF_WHERE_EXCEPTION; }

static MPROF_PLAIN void mprof_store(uint32_t function, uint32_t exit, uint32_t duration, uint32_t where)
{
	const uintptr_t head = mprof_hot.state & MPROF_HEAD;
	struct mprof_slot *const slot = mprof_hot.ring + head;
	slot->function = function;
	slot->exit = exit;
	slot->duration = duration;
	slot->where = where;
	mprof_hot.state = mprof_slot_after(head);
}

static MPROF_PLAIN void mprof_drop(void)
{
	mprof_cold.dropped++;
	mprof_cold.pending++;
	mprof_hot.state |= MPROF_PENDING;
}

/* Stores a record, and before it how many were dropped; where both do not fit, it is dropped, too. */
static MPROF_PLAIN void mprof_push(uint32_t function, uint32_t exit, uint32_t duration, uint32_t where)
{
	const uint32_t used = mprof_slots_between(mprof_hot.tail, mprof_hot.state & MPROF_HEAD);
	const uint32_t pending = mprof_cold.pending;
	if (used + 1 + (pending != 0) > mprof_hot.last) {
		mprof_drop();
		return;
	}
	if (pending != 0) {
		mprof_cold.pending = 0;
		mprof_store(0, pending, 0, MPROF_WHERE_DONE | MPROF_WHERE_DROPPED);
	}
	mprof_store(function, exit, duration, where);
}

/* Takes frames off that belong to handlers, which are gone without having returned. */
static MPROF_PLAIN struct mprof_frame *mprof_forget_handlers(const struct mprof_context *c, struct mprof_frame *top)
{
	while (top - 1 > c->base && mprof_exception_of(top - 1) != 0) {
		top--;
		mprof_cold.unmatched++;
	}
	return top;
}

/* Whether a call was left without a return, when one begins in that exception with that stack pointer. */
MPROF_INLINE bool mprof_was_left(const struct mprof_frame *f, uint32_t exception, uintptr_t sp)
{
	return mprof_exception_of(f) == exception && f->sp < sp;
}

/*
 * Takes off those that were. With the same stack pointer begin calls that are inlined into another, which is open, or what comes
 * after one that was left. The second is taken for true where the call is the same and there is another sign of it: others were left,
 * or the stack has no room.
 */
static MPROF_PLAIN struct mprof_frame *mprof_forget_left(const struct mprof_context *c, struct mprof_frame *top, uint32_t key, uintptr_t sp)
{
	const uint32_t exception = mprof_exception();
	struct mprof_frame *left = top;
	while (left - 1 > c->base && mprof_was_left(left - 1, exception, sp))
		left--;
	if (left != top || top == c->limit)
		for (struct mprof_frame *f = left - 1; f > c->base && mprof_exception_of(f) == exception && f->sp == sp; f--)
			if (((f->key ^ key) & ~MPROF_KEY_IN_TICKS) == 0)
				left = f;
	mprof_cold.unmatched += (uint32_t)(top - left);
	return left;
}

/* Whether those that are too deep were; not in tasks that are none, of which there may be several. */
MPROF_INLINE bool mprof_deep_were_left(const struct mprof_context *c, uint32_t exception, uintptr_t sp)
{
	if ((struct mprof_frame *)mprof_hot.top <= c->limit || mprof_cold.task == mprof_cold.count)
		return false;
	return mprof_was_left(c->limit, exception, sp) || (exception == 0 && mprof_exception_of(c->limit) != 0);
}

static MPROF_PLAIN void mprof_enter_masked(uint32_t key, uintptr_t sp)
{
	const struct mprof_context *c = mprof_running();
	const uint32_t exception = mprof_exception();
	struct mprof_frame *top = (struct mprof_frame *)mprof_hot.top;
	if (mprof_deep_were_left(c, exception, sp)) {
		mprof_cold.unmatched += c->limit->entry;
		top = c->limit;
	}
	if (top > c->limit) {
		c->limit->entry++;
		return;
	}
	if (exception == 0)
		top = mprof_forget_handlers(c, top);
	top = mprof_forget_left(c, top, key, sp);
	top->sp = sp;
	if (top == c->limit) {
		top->key = MPROF_KEY_NONE;
		top->entry = 1;
		top->where = exception;
	} else {
		top->key = key & ~MPROF_KEY_IN_TICKS;
		top->where = top[-1].where + MPROF_WHERE_DEEPER;
		if (mprof_exception_of(top - 1) != exception)
			top->where = exception | MPROF_WHERE_DONE;
		top->entry = mprof_time_masked();
	}
	mprof_hot.top = (uintptr_t)(top + 1);
}

MPROF_RARE void mprof_enter_slow(uint32_t key, uintptr_t sp)
{
	const uint32_t mask = mprof_mask();
	if (!(mprof_hot.state & MPROF_STOPPED))
		mprof_enter_masked(key, sp);
	mprof_unmask(mask);
}

/*
 * The innermost open call with that key that may return here: a handler does not return from a call of what it
 * interrupted. NULL: none.
 */
static MPROF_PLAIN struct mprof_frame *mprof_find(const struct mprof_context *c, struct mprof_frame *top, uint32_t key)
{
	const uint32_t exception = mprof_exception();
	for (struct mprof_frame *f = top - 1; f > c->base; f--) {
		if (f->key != MPROF_KEY_NONE && mprof_exception_of(f) != exception) {
			if (exception != 0)
				return NULL;
			continue;
		}
		if (((f->key ^ key) & ~MPROF_KEY_IN_TICKS) == 0)
			return f;
	}
	return NULL;
}

static MPROF_PLAIN void mprof_exit_masked(uint32_t function, uint32_t key)
{
	const struct mprof_context *c = mprof_running();
	struct mprof_frame *top = (struct mprof_frame *)mprof_hot.top, *f;
	const uint32_t now = mprof_time_masked() - mprof_hot.raw;
	const uint32_t exit = mprof_hot.ticks + (now >> mprof_hot.shift);
	uint32_t duration;
	if (mprof_deep_were_left(c, mprof_exception(), 0)) {
		mprof_cold.unmatched += c->limit->entry;
		top = c->limit;
	}
	if (top > c->limit) {
		if (--c->limit->entry == 0)
			mprof_hot.top = (uintptr_t)c->limit;
		mprof_cold.deep++;
		mprof_drop();
		return;
	}
	f = mprof_find(c, top, key);
	if (f == NULL) {
		mprof_cold.unmatched++;
		while (top - 1 > c->base && top[-1].key == MPROF_KEY_NONE)
			top--;
		mprof_hot.top = (uintptr_t)top;
		return;
	}
	for (const struct mprof_frame *skipped = f + 1; skipped < top; skipped++)
		if (skipped->key != MPROF_KEY_NONE)
			mprof_cold.unmatched++;
	mprof_hot.top = (uintptr_t)f;
	duration = exit - f->entry;
	if (!(f->key & MPROF_KEY_IN_TICKS))
		duration = exit - mprof_hot.ticks - ((f->entry - mprof_hot.raw) >> mprof_hot.shift);
	else if (f->where & MPROF_WHERE_SATURATED)
		duration = MPROF_SATURATED;
	mprof_push(function, exit, duration, f->where);
}

MPROF_RARE void mprof_exit_slow(uint32_t function, uint32_t key)
{
	const uint32_t mask = mprof_mask();
	if (!(mprof_hot.state & MPROF_STOPPED))
		mprof_exit_masked(function, key);
	mprof_unmask(mask);
}

/* A handler that switches leaves what it has entered behind: it returns in another task. */
MPROF_PLAIN void mprof_context(uint16_t id)
{
	const uint32_t mask = mprof_mask();
	struct mprof_context *c;
	if (mprof_cold.contexts == NULL)
		goto done;
	if (id >= mprof_cold.count)
		id = mprof_cold.count;
	if (id == mprof_cold.task)
		goto done;
	c = mprof_running();
	c->top = mprof_hot.top;
	if ((struct mprof_frame *)c->top <= c->limit)
		c->top = (uintptr_t)mprof_forget_handlers(c, (struct mprof_frame *)c->top);
	mprof_cold.task = id;
	c = mprof_running();
	mprof_hot.top = c->top;
	if (mprof_hot.state & MPROF_STOPPED)
		goto done;
	mprof_hot.limit = (uintptr_t)c->limit;
	if (id == mprof_cold.count) {
		mprof_drop();
		goto done;
	}
	mprof_push(0, mprof_hot.ticks + ((mprof_time_masked() - mprof_hot.raw) >> mprof_hot.shift), 0,
		   MPROF_WHERE_DONE | MPROF_WHERE_SWITCH | (uint32_t)id << MPROF_WHERE_TASK_SHIFT);
done:
	mprof_unmask(mask);
}
