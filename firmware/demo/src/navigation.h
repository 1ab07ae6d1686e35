// Position from the satellite receiver, waypoints and a fence.
#ifndef NAVIGATION_H
#define NAVIGATION_H

#include <stdbool.h>
#include <stdint.h>

#include "nmea.h"

struct position {
	struct fix fix;
	uint32_t sentences, rejected;
	uint16_t nearest;     // waypoint
	uint32_t distance_m;  // to it
	bool inside;          // the fence
};

void navigation_init(void);
void navigation_task(void *argument);
struct position navigation_position(void);

#endif
