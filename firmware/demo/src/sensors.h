// Six axes of motion at 500 Hz, filtered; statistics and spectra of them.
#ifndef SENSORS_H
#define SENSORS_H

#include <stdint.h>

#include "attitude.h"

#define AXES 6 // acceleration x y z, rate x y z

struct axis_statistics {
	int16_t minimum, maximum, median, p95;
};

struct motion {
	struct euler angles;
	int16_t filtered[AXES];
	uint32_t blocks;
};

void sensors_init(void);
void sensor_task(void *argument);
struct motion sensors_motion(void);
void sensors_statistics(unsigned axis, struct axis_statistics *out);

#endif
