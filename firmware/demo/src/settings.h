// Settings from JSON documents that the ground station sends.
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

struct settings {
	int32_t report_ms, scrub_pages, zones, limit_sum, radius_max;
	uint32_t revision;
	char name[16];
};

bool settings_apply(const char *json);
const struct settings *settings_current(void);

extern const char settings_document[];

#endif
