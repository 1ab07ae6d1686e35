// Every period a report in JSON goes to the journal; the upload phase sends
// pages of the journal and takes new settings.
#include "telemetry.h"

#include <stdbool.h>
#include <string.h>

#include "crc32.h"
#include "journal.h"
#include "kernel.h"
#include "mission.h"
#include "navigation.h"
#include "sensors.h"
#include "settings.h"
#include "writer.h"

#define UPLOAD_MS 25

static volatile uint32_t line_bits; // what the modem would get

static __attribute__((noinline)) void send_byte(uint8_t byte) {
	uint32_t bits = line_bits;
	line_bits = (bits << 1 | bits >> 31) ^ byte;
}

static void write_position(struct writer *w, const struct position *p) {
	write_open(w, "pos", '{');
	write_fixed(w, "t", (int32_t)p->fix.time_ms, 3);
	write_fixed(w, "lat", p->fix.latitude, 7);
	write_fixed(w, "lon", p->fix.longitude, 7);
	write_fixed(w, "alt", p->fix.altitude_dm, 1);
	write_fixed(w, "v", p->fix.speed_cms, 2);
	write_fixed(w, "sats", p->fix.satellites, 0);
	write_fixed(w, "wp", p->nearest, 0);
	write_fixed(w, "dist", (int32_t)p->distance_m, 0);
	write_string(w, "fence", p->inside ? "in" : "out");
	write_close(w, '}');
}

static void write_motion(struct writer *w, const struct motion *m) {
	write_open(w, "att", '{');
	write_fixed(w, "roll", m->angles.roll, 2);
	write_fixed(w, "pitch", m->angles.pitch, 2);
	write_fixed(w, "yaw", m->angles.yaw, 2);
	write_close(w, '}');
	write_open(w, "f", '[');
	for (unsigned i = 0; i < AXES; i++)
		write_fixed(w, 0, m->filtered[i], 0);
	write_close(w, ']');
}

static void write_statistics(struct writer *w) {
	write_open(w, "stat", '[');
	for (unsigned axis = 0; axis < AXES; axis++) {
		struct axis_statistics s;
		sensors_statistics(axis, &s);
		write_open(w, 0, '[');
		write_fixed(w, 0, s.minimum, 0);
		write_fixed(w, 0, s.median, 0);
		write_fixed(w, 0, s.p95, 0);
		write_fixed(w, 0, s.maximum, 0);
		write_close(w, ']');
	}
	write_close(w, ']');
}

static __attribute__((noinline)) void report(uint32_t number) {
	static char buffer[512];
	struct writer w;
	struct motion m = sensors_motion();
	struct position p = navigation_position();
	writer_begin(&w, buffer, sizeof buffer);
	write_open(&w, 0, '{');
	write_fixed(&w, "n", (int32_t)number, 0);
	write_string(&w, "id", settings_current()->name);
	write_position(&w, &p);
	write_motion(&w, &m);
	write_statistics(&w);
	write_close(&w, '}');
	journal_append(buffer, writer_finish(&w));
}

static __attribute__((noinline)) void upload(void) {
	size_t sent = journal_upload(send_byte);
	bool ok = settings_apply(settings_document);
	const struct settings *s = settings_current();
	journal_log("%lu: sent %u of %lu, settings %s r%lu, %ld zones, radius %ld.%03ld\n", (unsigned long)kernel_now(),
	            (unsigned)sent, (unsigned long)journal_bytes(), ok ? "ok" : "bad", (unsigned long)s->revision,
	            (long)s->zones, (long)s->radius_max / 1000, (long)s->radius_max % 1000);
}

void telemetry_task(void *argument) {
	(void)argument;
	uint32_t last = kernel_now(), number = 0;
	for (;;) {
		enum phase phase = mission_phase();
		task_sleep_until(&last, phase == UPLOAD ? UPLOAD_MS : (uint32_t)settings_current()->report_ms);
		if (phase == UPLOAD)
			upload();
		else
			report(number++);
		uint32_t damaged = journal_scrub((unsigned)settings_current()->scrub_pages);
		if (damaged)
			journal_log("%lu: %lu pages damaged\n", (unsigned long)kernel_now(), (unsigned long)damaged);
	}
}
