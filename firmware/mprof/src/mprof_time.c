/*
 * mprof_time.c: where time comes from, and ticks that go on when the 32-bit timer wraps.
 */
#include "mprof_clock.h"

#ifdef MPROF_TIME_PORT

static MPROF_PLAIN uint32_t mprof_timer_init(uint32_t hz)
{
	(void)hz;
	return mprof_port_time_hz();
}

MPROF_PLAIN void mprof_systick(void) {}

#else

extern uint32_t SystemCoreClock __attribute__((weak)); /* CMSIS-Core */

#ifdef MPROF_HOOKS_MASK

MPROF_PLAIN uint32_t mprof_time(void)
{
	const uint32_t mask = mprof_mask();
	const uint32_t t = mprof_systick_time();
	mprof_unmask(mask);
	return t;
}

static MPROF_PLAIN bool mprof_cycle_counter(void) { return false; }

#else

MPROF_PLAIN uint32_t mprof_time_systick(void)
{
	const uint32_t mask = mprof_mask();
	const uint32_t t = mprof_systick_time();
	mprof_unmask(mask);
	return t;
}

#define MPROF_DEMCR (*(volatile uint32_t *)0xE000EDFC)  /* DDI 0403E, C1.6.5 */
#define MPROF_DEMCR_TRCENA (1u << 24)
#define MPROF_DWT_CTRL (*(volatile uint32_t *)0xE0001000) /* C1.8.7 */
#define MPROF_DWT_CYCCNTENA (1u << 0)
#define MPROF_DWT_CYCCNT ((volatile const uint32_t *)0xE0001004)
#define MPROF_DWT_LAR (*(volatile uint32_t *)0xE0001FB0) /* Cortex-M7, CoreSight lock */
#define MPROF_UNLOCK 0xC5ACCE55u

/* Starts DWT_CYCCNT, and tells whether it counts: there are cores without it, and emulators. */
static MPROF_PLAIN bool mprof_cycle_counter(void)
{
	MPROF_DEMCR |= MPROF_DEMCR_TRCENA;
	MPROF_DWT_LAR = MPROF_UNLOCK;
	MPROF_DWT_CTRL |= MPROF_DWT_CYCCNTENA;
	const uint32_t before = *MPROF_DWT_CYCCNT;
	for (unsigned i = 0; i < 64; i++)
		if (*MPROF_DWT_CYCCNT != before) {
			mprof_hot.cycles = MPROF_DWT_CYCCNT;
			return true;
		}
	return false;
}

#endif

/* SysTick as the application has started it, or over its whole 24 bits. */
static MPROF_PLAIN uint32_t mprof_timer_init(uint32_t hz)
{
	if (hz == 0 && &SystemCoreClock != NULL)
		hz = SystemCoreClock;
	if (mprof_cycle_counter())
		return hz;
	if (!(MPROF_SYST_CSR & MPROF_CSR_ENABLE)) {
		MPROF_SYST_RVR = 0xFFFFFF;
		MPROF_SYST_CVR = 0;
		MPROF_SYST_CSR = MPROF_CSR_ENABLE | MPROF_CSR_CLKSOURCE;
	}
	mprof_cold.period = MPROF_SYST_RVR + 1;
	return hz;
}

MPROF_PLAIN void mprof_systick(void)
{
	if (mprof_cold.period != 0)
		(void)mprof_time();
}

#endif

MPROF_PLAIN int mprof_time_init(uint32_t hz)
{
	mprof_cold.hz = mprof_timer_init(hz);
	if (mprof_cold.hz == 0)
		return -1;
	mprof_time_shift(0);
	return 0;
}

/* The coarsest ticks of at most a microsecond. */
MPROF_PLAIN uint32_t mprof_time_default_shift(void)
{
	uint32_t shift = 0;
	while (mprof_cold.hz >> (shift + 1) >= 1000000)
		shift++;
	return shift;
}

/*
 * Ticks are counted from MPROF_BACK before the last time that poll looked; calls that are open for MPROF_OLD then
 * have their entry in ticks. So the hooks subtract 32-bit times without a sign, until poll has been away for
 * 2^32 - MPROF_BACK - MPROF_OLD timer cycles.
 */
#define MPROF_BACK (1u << 29)
#define MPROF_OLD (1u << 28)

/* Time begins anew, at 0, in ticks of another length. Nothing runs and nothing waits. */
MPROF_PLAIN void mprof_time_shift(uint32_t shift)
{
	const uint32_t mask = mprof_mask();
	mprof_hot.raw = mprof_time_masked() - (MPROF_BACK >> shift << shift);
	mprof_hot.ticks = 0 - (MPROF_BACK >> shift);
	mprof_hot.shift = shift;
	mprof_unmask(mask);
	mprof_cold.tick_hz = mprof_cold.hz >> shift;
	mprof_cold.linger = mprof_cold.tick_hz >> 6;
	mprof_version1_init();
}

MPROF_PLAIN uint32_t mprof_ticks(void)
{
	const uint32_t mask = mprof_mask();
	const uint32_t t = mprof_hot.ticks + ((mprof_time_masked() - mprof_hot.raw) >> mprof_hot.shift);
	mprof_unmask(mask);
	return t;
}

/* Counts a call that has been open for long in ticks, and after 2^31 of them no more; passed: timer cycles since raw. Masked. */
static MPROF_PLAIN void mprof_age(struct mprof_frame *f, uint32_t passed)
{
	const uint32_t since = f->entry - mprof_hot.raw;
	if (f->key == MPROF_KEY_NONE)
		return;
	if (f->key & MPROF_KEY_IN_TICKS) {
		if ((mprof_hot.ticks + (passed >> mprof_hot.shift) - f->entry) >> 31)
			f->where |= MPROF_WHERE_SATURATED;
	} else if (since <= passed && passed - since >= MPROF_OLD) { /* not entered meanwhile */
		f->entry = mprof_hot.ticks + (since >> mprof_hot.shift);
		f->key |= MPROF_KEY_IN_TICKS;
		f->where &= ~MPROF_WHERE_SATURATED;
	}
}

/* Interrupts wait no longer than for one frame. */
static MPROF_PLAIN void mprof_age_stack(const struct mprof_context *c, bool runs, uint32_t passed)
{
	for (struct mprof_frame *f = c->base + 1; f < c->limit; f++) {
		const uint32_t mask = mprof_mask();
		const bool open = (uintptr_t)f < (runs ? mprof_hot.top : c->top);
		if (open)
			mprof_age(f, passed);
		mprof_unmask(mask);
		if (!open)
			break;
	}
}

MPROF_PLAIN void mprof_time_follow(void)
{
	uint32_t mask = mprof_mask();
	const uint32_t passed = mprof_time_masked() - mprof_hot.raw, shift = mprof_hot.shift;
	uint32_t moves;
	mprof_unmask(mask);
	if (passed < MPROF_BACK + MPROF_OLD)
		return;
	for (unsigned i = 0; i < mprof_cold.count; i++)
		mprof_age_stack(&mprof_cold.contexts[i], i == mprof_cold.task, passed);
	moves = (passed - MPROF_BACK) >> shift;
	mask = mprof_mask();
	mprof_hot.ticks += moves;
	mprof_hot.raw += moves << shift;
	mprof_unmask(mask);
}
