// Checksum, fields, and one function per sentence.
#include "nmea.h"

#include <string.h>

#define MAX_FIELDS 24

struct sentence {
	char *field[MAX_FIELDS];
	unsigned count;
};

static inline int hex_value(char c) {
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static __attribute__((noinline)) bool checksum_ok(char *line) {
	uint8_t sum = 0;
	char *p = line + 1;
	while (*p && *p != '*')
		sum ^= (uint8_t)*p++;
	if (*p != '*')
		return false;
	*p = 0;
	return hex_value(p[1]) == sum >> 4 && hex_value(p[2]) == (sum & 15);
}

static __attribute__((noinline)) void split(char *line, struct sentence *s) {
	s->count = 0;
	for (char *p = line; s->count < MAX_FIELDS; *p++ = 0) {
		s->field[s->count++] = p;
		p = strchr(p, ',');
		if (!p)
			return;
	}
}

// decimal reads a number with the given count of decimals: "12.5", 2 is 1250.
static __attribute__((noinline)) int32_t decimal(const char *p, int decimals) {
	bool negative = *p == '-';
	if (negative)
		p++;
	int32_t value = 0;
	bool fraction = false;
	for (; *p; p++) {
		if (*p == '.') {
			fraction = true;
			continue;
		}
		if (fraction && decimals-- == 0)
			return negative ? -value : value;
		value = value * 10 + (*p - '0');
	}
	while (decimals-- > 0)
		value *= 10;
	return negative ? -value : value;
}

// degrees reads [d]ddmm.mmmm and its hemisphere.
static int32_t degrees(const char *value, const char *hemisphere) {
	int32_t v = decimal(value, 4); // dddmmmmmm
	int32_t whole = v / 1000000, minutes = v % 1000000;
	int32_t d = whole * 10000000 + (int32_t)((int64_t)minutes * 1000 / 60);
	return *hemisphere == 'S' || *hemisphere == 'W' ? -d : d;
}

static uint32_t time_of_day(const char *value) {
	uint32_t v = (uint32_t)decimal(value, 3);
	uint32_t hours = v / 10000000, minutes = v / 100000 % 100;
	return (hours * 60 + minutes) * 60000 + v % 100000;
}

static void on_position(const struct sentence *s, struct fix *f) {
	f->time_ms = time_of_day(s->field[1]);
	f->latitude = degrees(s->field[2], s->field[3]);
	f->longitude = degrees(s->field[4], s->field[5]);
	f->satellites = (uint8_t)decimal(s->field[7], 0);
	f->altitude_dm = decimal(s->field[9], 1);
}

static void on_minimum(const struct sentence *s, struct fix *f) {
	f->valid = *s->field[2] == 'A';
	f->speed_cms = (int32_t)((int64_t)decimal(s->field[7], 3) * 51444 / 1000000);
	f->course_cdeg = decimal(s->field[8], 2);
}

static void on_satellites(const struct sentence *s, struct fix *f) {
	if (decimal(s->field[2], 0) == 1)
		f->strongest_db = 0;
	for (unsigned i = 7; i < s->count; i += 4) {
		int32_t db = decimal(s->field[i], 0);
		if (db > f->strongest_db)
			f->strongest_db = (uint8_t)db;
	}
}

static void on_velocity(const struct sentence *s, struct fix *f) {
	f->course_cdeg = decimal(s->field[1], 2);
	f->speed_cms = decimal(s->field[7], 2) * 10 / 36;
}

static const struct {
	char name[4];
	unsigned fields;
	void (*handle)(const struct sentence *s, struct fix *f);
} handlers[] = {
	{"GGA", 10, on_position},
	{"RMC", 9, on_minimum},
	{"GSV", 4, on_satellites},
	{"VTG", 8, on_velocity},
};

__attribute__((noinline)) bool nmea_parse(char *line, struct fix *f) {
	struct sentence s;
	if (*line != '$' || !checksum_ok(line))
		return false;
	split(line, &s);
	if (strlen(s.field[0]) != 6)
		return false;
	for (unsigned i = 0; i < sizeof handlers / sizeof handlers[0]; i++)
		if (!strcmp(s.field[0] + 3, handlers[i].name) && s.count >= handlers[i].fields) {
			handlers[i].handle(&s, f);
			return true;
		}
	return false;
}
