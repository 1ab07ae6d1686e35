// The tick interrupt samples; the task filters blocks of sixteen samples,
// keeps the attitude, a history for statistics, and spectra during an event.
#include "sensors.h"

#include <string.h>

#include "cpu.h"
#include "filter.h"
#include "fixed.h"
#include "journal.h"
#include "kernel.h"
#include "mission.h"
#include "ring.h"
#include "sort.h"
#include "spectrum.h"
#include "synthetic.h"
#include "timer.h"

#define BLOCK 16
#define HISTORY 128 // a power of two, SPECTRUM_POINTS at least
#define SAMPLE_TICKS 2
#define ATTITUDE_EVERY 2 // samples
#define ATTITUDE_SECONDS (ATTITUDE_EVERY * SAMPLE_TICKS / (float)TICK_HZ)
#define RADIANS_PER_LSB 0.00053264f
#define GRAVITY_PER_LSB (1.0f / 16384)

struct reading {
	int16_t axis[AXES];
};

static struct reading readings[64];
static struct ring queue = RING(readings);
static struct semaphore block_ready;
static struct timer sample_timer;

static struct fir low_pass[AXES];
static struct biquad section1[AXES], section2[AXES];
static struct stage chain[AXES][3];

static struct attitude attitude = {.q0 = 1};
static struct motion motion;
static int16_t history[AXES][HISTORY];
static uint32_t history_next;

static void acquire(void *argument) {
	struct ring *r = argument;
	struct reading now;
	for (unsigned i = 0; i < AXES; i++)
		now.axis[i] = synthetic_axis(i);
	ring_push(r, &now);
	if (ring_used(r) % BLOCK == 0)
		semaphore_give(&block_ready);
}

void sensors_init(void) {
	for (unsigned i = 0; i < AXES; i++) {
		section1[i].coefficients = biquad_section1;
		section2[i].coefficients = biquad_section2;
		chain[i][0] = (struct stage){fir_apply, &low_pass[i]};
		chain[i][1] = (struct stage){biquad_apply, &section1[i]};
		chain[i][2] = (struct stage){biquad_apply, &section2[i]};
	}
	timer_start(&sample_timer, SAMPLE_TICKS, acquire, &queue);
}

static inline struct vector3 scaled(const int16_t *v, float s) {
	return (struct vector3){v[0] * s, v[1] * s, v[2] * s};
}

static __attribute__((noinline)) void filter_reading(const struct reading *in, struct reading *out) {
	for (unsigned i = 0; i < AXES; i++) {
		out->axis[i] = chain_run(chain[i], 3, in->axis[i]);
		history[i][history_next] = in->axis[i];
	}
	history_next = (history_next + 1) % HISTORY;
}

static __attribute__((noinline)) void process_block(void) {
	struct reading raw, filtered;
	for (unsigned n = 0; n < BLOCK && ring_pop(&queue, &raw); n++) {
		filter_reading(&raw, &filtered);
		if (n % ATTITUDE_EVERY == 0)
			attitude_update(&attitude, scaled(filtered.axis + 3, RADIANS_PER_LSB),
			                scaled(filtered.axis, GRAVITY_PER_LSB), ATTITUDE_SECONDS);
	}
	struct euler angles = attitude_euler(&attitude);
	uint32_t primask = irq_save();
	motion.angles = angles;
	memcpy(motion.filtered, filtered.axis, sizeof motion.filtered);
	motion.blocks++;
	irq_restore(primask);
}

static void copy_history(unsigned axis, int16_t *out) {
	uint32_t first = HISTORY - history_next;
	memcpy(out, history[axis] + history_next, first * sizeof *out);
	memcpy(out + first, history[axis], history_next * sizeof *out);
}

static __attribute__((noinline)) void record_spectrum(unsigned axis) {
	static int16_t samples[SPECTRUM_POINTS];
	static struct {
		uint32_t tick;
		uint16_t axis, peak;
		uint16_t magnitudes[SPECTRUM_POINTS / 2];
	} record;
	copy_history(axis, samples);
	spectrum_magnitudes(samples, record.magnitudes);
	record.tick = kernel_now();
	record.axis = (uint16_t)axis;
	record.peak = (uint16_t)spectrum_peak(record.magnitudes);
	journal_append(&record, sizeof record);
}

void sensor_task(void *argument) {
	(void)argument;
	for (;;) {
		semaphore_take(&block_ready);
		process_block();
		if (mission_phase() == EVENT)
			for (unsigned axis = 0; axis < 3; axis++)
				record_spectrum(axis);
	}
}

struct motion sensors_motion(void) {
	uint32_t primask = irq_save();
	struct motion m = motion;
	irq_restore(primask);
	return m;
}

struct ranked {
	int16_t value;
	uint16_t index;
};

static int by_value(const void *a, const void *b) {
	const struct ranked *x = a, *y = b;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (int)x->index - (int)y->index; // stable
}

void sensors_statistics(unsigned axis, struct axis_statistics *out) {
	static struct ranked ranking[HISTORY];
	for (uint32_t i = 0; i < HISTORY; i++)
		ranking[i] = (struct ranked){history[axis][i], (uint16_t)i};
	sort(ranking, HISTORY, sizeof ranking[0], by_value);
	*out = (struct axis_statistics){
		.minimum = ranking[0].value,
		.maximum = ranking[HISTORY - 1].value,
		.median = ranking[HISTORY / 2].value,
		.p95 = ranking[HISTORY * 95 / 100].value,
	};
}
