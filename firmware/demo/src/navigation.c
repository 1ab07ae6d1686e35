// The tick interrupt receives bytes; the task parses lines and looks for the
// nearest waypoints and whether the fence was left.
#include "navigation.h"

#include <string.h>

#include "cpu.h"
#include "fixed.h"
#include "kernel.h"
#include "ring.h"
#include "sort.h"
#include "timer.h"

#define BYTES_PER_TICK 6 // 57600 baud
#define WAYPOINTS 24
#define CORNERS 20
#define HOME_LATITUDE 473850000
#define HOME_LONGITUDE 85430000

struct waypoint {
	int32_t latitude, longitude;
	uint32_t distance_m;
	uint32_t number;
};

struct corner {
	int32_t latitude, longitude;
};

static uint8_t received[256];
static struct ring queue = RING(received);
static struct semaphore line_ready;
static struct timer receive_timer;
static struct waypoint waypoints[WAYPOINTS];
static struct corner fence[CORNERS];
static struct position position;

// receive stands for the interrupt of a serial port with a FIFO.
static void receive(void *argument) {
	static const char *next = nmea_track;
	for (int i = 0; i < BYTES_PER_TICK; i++) {
		char c = *next++;
		if (!*next)
			next = nmea_track;
		ring_push(argument, &c);
		if (c == '\n')
			semaphore_give(&line_ready);
	}
}

void navigation_init(void) {
	for (uint32_t i = 0; i < WAYPOINTS; i++)
		waypoints[i] = (struct waypoint){
			HOME_LATITUDE + sine_q15(i * 0x2c000000u) * 4,
			HOME_LONGITUDE + sine_q15(i * 0x34000000u + 0x20000000u) * 6, 0, i};
	for (uint32_t i = 0; i < CORNERS; i++) {
		uint32_t phase = i * (0xffffffffu / CORNERS);
		fence[i] = (struct corner){
			HOME_LATITUDE + sine_q15(phase) * 3,
			HOME_LONGITUDE + sine_q15(phase + 0x40000000u) * 4};
	}
	timer_start(&receive_timer, 1, receive, &queue);
}

// distance_m is good for some tens of kilometres: a degree is 111.3 km, that
// of longitude times cos(latitude), here 0.677.
static inline uint32_t distance_m(int32_t latitude1, int32_t longitude1, int32_t latitude2, int32_t longitude2) {
	int32_t north = (latitude2 - latitude1) / 90;
	int32_t east = (longitude2 - longitude1) / 133;
	if (absolute(north) > 46000 || absolute(east) > 46000)
		return UINT32_MAX;
	return square_root((uint32_t)(north * north) + (uint32_t)(east * east));
}

static int by_distance(const void *a, const void *b) {
	const struct waypoint *x = a, *y = b;
	return (x->distance_m > y->distance_m) - (x->distance_m < y->distance_m);
}

static __attribute__((noinline)) void rank_waypoints(const struct fix *f) {
	for (unsigned i = 0; i < WAYPOINTS; i++)
		waypoints[i].distance_m = distance_m(f->latitude, f->longitude, waypoints[i].latitude, waypoints[i].longitude);
	sort(waypoints, WAYPOINTS, sizeof waypoints[0], by_distance);
}

// inside_fence counts the edges that a ray to the east crosses.
static __attribute__((noinline)) bool inside_fence(int32_t latitude, int32_t longitude) {
	bool inside = false;
	for (unsigned i = 0, j = CORNERS - 1; i < CORNERS; j = i++) {
		const struct corner *a = &fence[i], *b = &fence[j];
		if ((a->latitude > latitude) == (b->latitude > latitude))
			continue;
		int64_t crossing = (int64_t)(b->longitude - a->longitude) * (latitude - a->latitude);
		if (longitude < a->longitude + crossing / (b->latitude - a->latitude))
			inside = !inside;
	}
	return inside;
}

static void update_position(const struct fix *f, bool known) {
	if (f->latitude != position.fix.latitude || f->longitude != position.fix.longitude)
		rank_waypoints(f);
	bool inside = inside_fence(f->latitude, f->longitude);
	uint32_t primask = irq_save();
	position.fix = *f;
	position.sentences += known;
	position.rejected += !known;
	position.nearest = (uint16_t)waypoints[0].number;
	position.distance_m = waypoints[0].distance_m;
	position.inside = inside;
	irq_restore(primask);
}

static __attribute__((noinline)) bool read_line(char *line, size_t size) {
	size_t n = 0;
	char c;
	while (ring_pop(&queue, &c)) {
		if (c == '\n') {
			line[n] = 0;
			return true;
		}
		if (c != '\r' && n + 1 < size)
			line[n++] = c;
	}
	return false;
}

void navigation_task(void *argument) {
	(void)argument;
	static char line[96];
	struct fix fix = {0};
	for (;;) {
		semaphore_take(&line_ready);
		if (!read_line(line, sizeof line))
			continue;
		bool known = nmea_parse(line, &fix);
		update_position(&fix, known);
	}
}

struct position navigation_position(void) {
	uint32_t primask = irq_save();
	struct position p = position;
	irq_restore(primask);
	return p;
}
