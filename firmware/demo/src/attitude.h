// Orientation from rate and acceleration.
#ifndef ATTITUDE_H
#define ATTITUDE_H

#include <stdint.h>

struct vector3 {
	float x, y, z;
};

struct attitude {
	float q0, q1, q2, q3; // orientation
	struct vector3 bias;  // of the gyroscope, rad/s
};

struct euler {
	int16_t roll, pitch, yaw; // centidegrees
};

void attitude_update(struct attitude *a, struct vector3 rate, struct vector3 gravity, float dt);
struct euler attitude_euler(const struct attitude *a);

#endif
