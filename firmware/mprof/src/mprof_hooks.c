/*
 * mprof_hooks.c: what runs at each entry and return, on the way that nearly all take: profiling runs, the stack of open
 * calls and the ring have room, and the return is that of the last call. All else is in mprof_record.c.
 *
 * Between the exclusive load and store nothing was interrupted, or it is done again (mprof_cpu.h).
 */
#include "mprof_clock.h"

MPROF_INLINE uint32_t mprof_key(const void *function, const void *call_site)
{
	return (uint32_t)(uintptr_t)function ^ (uint32_t)(uintptr_t)call_site;
}

MPROF_HOOK void __cyg_profile_func_enter(void *function, void *call_site)
{
	struct mprof_hot *const m = &mprof_hot;
	const uint32_t key = mprof_key(function, call_site);
	struct mprof_frame *top;
	const uint32_t begun = mprof_begin();
	do {
		const uintptr_t at = mprof_load_exclusive(&m->top);
		uint32_t where, exception;
		if (MPROF_RARELY(at >= m->limit))
			goto slow;
		top = (struct mprof_frame *)at;
		where = top[-1].where;
		exception = mprof_exception();
		if (MPROF_RARELY((where ^ exception) << (32 - MPROF_WHERE_TASK_SHIFT) != 0)) {
			if (exception == 0)
				goto slow; /* calls of a handler that is gone */
			where = exception | MPROF_WHERE_DONE;
		} else {
			if (MPROF_RARELY(top[-1].sp < mprof_sp()))
				goto slow; /* calls that were left */
			where += MPROF_WHERE_DEEPER;
		}
		top->key = key & ~MPROF_KEY_IN_TICKS;
		top->where = where;
		top->sp = mprof_sp();
		top->entry = mprof_time_masked();
	} while (MPROF_RARELY(!mprof_store_exclusive(&m->top, (uintptr_t)(top + 1))));
	mprof_end(begun);
	return;
slow:
	mprof_clear_exclusive();
	mprof_end(begun);
	mprof_enter_slow(key, mprof_sp());
}

MPROF_HOOK void __cyg_profile_func_exit(void *function, void *call_site)
{
	struct mprof_hot *const m = &mprof_hot;
	const uint32_t key = mprof_key(function, call_site);
	struct mprof_frame *frame;
	struct mprof_slot *slot;
	uintptr_t head, next;
	uint32_t exit, duration, where;
	const uint32_t begun = mprof_begin();
	do {
		uint32_t shift;
		head = mprof_load_exclusive(&m->state);
		exit = mprof_time_masked() - m->raw;
		if (MPROF_RARELY(head > MPROF_HEAD))
			goto slow;
		frame = (struct mprof_frame *)m->top - 1;
		if (MPROF_RARELY(frame->key != key))
			goto slow;
		next = head - 1;
		if (MPROF_RARELY(head == 0))
			next = m->last;
		if (MPROF_RARELY(next == m->tail))
			goto slow;
		shift = m->shift;
		exit >>= shift;
		duration = exit - ((frame->entry - m->raw) >> shift);
		exit += m->ticks;
		where = frame->where;
	} while (MPROF_RARELY(!mprof_store_exclusive(&m->state, next)));
	m->top = (uintptr_t)frame;
	slot = m->ring + head;
	slot->function = (uint32_t)(uintptr_t)function;
	slot->exit = exit;
	slot->duration = duration;
	MPROF_BARRIER();
	slot->where = where;
	mprof_end(begun);
	return;
slow:
	mprof_clear_exclusive();
	mprof_end(begun);
	mprof_exit_slow((uint32_t)(uintptr_t)function, key);
}
