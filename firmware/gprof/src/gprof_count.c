// gprof_count.c: counts ticks and calls. A call is counted in any context, and may be interrupted at any place by another
// one, by a tick, and by whoever clears the counts.
#include "gprof_cpu.h"
#include "gprof_port.h"
#include "gprof_state.h"

void gprof_hit(uint32_t pc)
{
	uint32_t bucket;

	if (mprof_gprof.state == 0)
		return;
	if (mprof_gprof.request != 0)
		gprof_clear();
	mprof_gprof.ticks++;
	bucket = (pc - mprof_gprof.low) >> mprof_gprof.bucket_shift;
	if (bucket >= mprof_gprof.buckets) {
		mprof_gprof.outside++;
	} else {
		volatile uint16_t *counter = &gprof_counters()[bucket];
		uint32_t n = *counter;

		if (n < GPROF_FULL)
			*counter = (uint16_t)(n + 1);
		else
			mprof_gprof.saturated++;
	}
}

// From gprof_irq.
void gprof_tick(uint32_t pc);
void gprof_tick(uint32_t pc)
{
	gprof_timer_clear();
	gprof_hit(pc);
}

// By the caller's address; the last one is for callers elsewhere.
GPROF_INLINE volatile uint16_t *slot_of(uint32_t from)
{
	uint32_t slot = (from - mprof_gprof.low) >> GPROF_HASH_SHIFT, last = mprof_gprof.slots;

	return &gprof_hash()[slot < last ? slot : last];
}

// What a call that finds no arc does next.
enum outcome { LOOK_AGAIN, ANEW, NO_ROOM };

// Takes a free arc, which is all zeros: its number plus 1, 0 where there is none or the counts were cleared.
static uint32_t take_arc(uint32_t epoch)
{
	uint32_t n;

	do {
		n = gprof_load_exclusive(&mprof_gprof.arcs_used);
		if (n >= mprof_gprof.arcs_size || mprof_gprof.epoch != epoch)
			return 0;
	} while (!gprof_store_exclusive(&mprof_gprof.arcs_used, n + 1));
	return n + 1;
}

// Writes a word of an arc that was taken; not where the counts were cleared since, for then it may be somebody else's.
static bool fill(volatile uint32_t *word, uint32_t value, uint32_t epoch)
{
	do {
		gprof_load_exclusive(word);
		if (mprof_gprof.epoch != epoch)
			return false;
	} while (!gprof_store_exclusive(word, value));
	return true;
}

// Adds an arc with a count of 0 to its slot, in front of `head`. Where another context did so meanwhile, nothing is added, and the
// arc stays in *taken for the next attempt.
static enum outcome add(uint32_t head, uint32_t from, uint32_t self, uint32_t epoch, uint32_t *taken)
{
	volatile uint16_t *slot = slot_of(from);
	volatile struct gprof_arc *arc;

	if (*taken == 0)
		*taken = take_arc(epoch);
	if (*taken == 0)
		return mprof_gprof.epoch != epoch ? ANEW : NO_ROOM;
	arc = &gprof_arcs()[*taken - 1];
	if (!fill(&arc->from, from, epoch) || !fill(&arc->self, self, epoch) || !fill(&arc->next, head, epoch))
		return ANEW;
	if (gprof_load_exclusive16(slot) != head)
		return LOOK_AGAIN;
	if (mprof_gprof.epoch != epoch)
		return ANEW;
	if (gprof_store_exclusive16(slot, *taken))
		*taken = 0;
	return LOOK_AGAIN;
}

static void lose(void)
{
	uint32_t n;

	do {
		n = gprof_load_exclusive(&mprof_gprof.arcs_lost);
	} while (n != GPROF_MOST && !gprof_store_exclusive(&mprof_gprof.arcs_lost, n + 1));
}

// Counts a call whose arc is there. Else *head is what the slot had.
GPROF_INLINE bool counted(uint32_t from, uint32_t self, uint32_t *head)
{
	uint32_t before = mprof_gprof.arcs - (uint32_t)sizeof(struct gprof_arc), n = *head = *slot_of(from);

	while (n != 0) {
		volatile struct gprof_arc *arc = (volatile struct gprof_arc *)(uintptr_t)(before + n * (uint32_t)sizeof(struct gprof_arc));
		uint32_t count = gprof_load_exclusive(&arc->count);

		if (arc->from != from || arc->self != self)
			n = arc->next;
		else if (count == GPROF_MOST || gprof_store_exclusive(&arc->count, count + 1))
			return true;
	}
	return false;
}

static GPROF_RARE void count_new(uint32_t from, uint32_t self)
{
	uint32_t epoch = mprof_gprof.epoch, taken = 0, head;

	while (mprof_gprof.state != 0 && !counted(from, self, &head)) {
		switch (add(head, from, self, epoch, &taken)) {
		case NO_ROOM:
			lose();
			return;
		case ANEW:
			epoch = mprof_gprof.epoch;
			taken = 0;
			break;
		default:
			break;
		}
	}
}

void gprof_call(uint32_t from, uint32_t self)
{
	uint32_t begun = gprof_begin(), head;

	if (mprof_gprof.state != 0 && !counted(from, self, &head))
		count_new(from, self);
	gprof_end(begun);
}
