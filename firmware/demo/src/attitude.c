// A complementary filter on a quaternion: the gyroscope turns it, the measured
// direction of gravity pulls it back. Single precision without FPU.
#include "attitude.h"

#include <math.h>

#define GAIN_PROPORTIONAL 1.2f
#define GAIN_INTEGRAL 0.02f
#define CENTIDEGREES 5729.578f

static inline struct vector3 cross(struct vector3 a, struct vector3 b) {
	return (struct vector3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline struct vector3 add_scaled(struct vector3 a, struct vector3 b, float s) {
	return (struct vector3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

static inline struct vector3 expected_gravity(const struct attitude *a) {
	return (struct vector3){
		2 * (a->q1 * a->q3 - a->q0 * a->q2),
		2 * (a->q0 * a->q1 + a->q2 * a->q3),
		a->q0 * a->q0 - a->q1 * a->q1 - a->q2 * a->q2 + a->q3 * a->q3,
	};
}

static __attribute__((noinline)) struct vector3 normalize(struct vector3 v) {
	float length = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
	if (length < 1e-6f)
		return v;
	float s = 1 / length;
	return (struct vector3){v.x * s, v.y * s, v.z * s};
}

static __attribute__((noinline)) void integrate(struct attitude *a, struct vector3 w, float dt) {
	float h = dt / 2, q0 = a->q0, q1 = a->q1, q2 = a->q2, q3 = a->q3;
	a->q0 += h * (-q1 * w.x - q2 * w.y - q3 * w.z);
	a->q1 += h * (q0 * w.x + q2 * w.z - q3 * w.y);
	a->q2 += h * (q0 * w.y - q1 * w.z + q3 * w.x);
	a->q3 += h * (q0 * w.z + q1 * w.y - q2 * w.x);
	float s = 1 / sqrtf(a->q0 * a->q0 + a->q1 * a->q1 + a->q2 * a->q2 + a->q3 * a->q3);
	a->q0 *= s;
	a->q1 *= s;
	a->q2 *= s;
	a->q3 *= s;
}

void attitude_update(struct attitude *a, struct vector3 rate, struct vector3 gravity, float dt) {
	struct vector3 error = cross(normalize(gravity), expected_gravity(a));
	a->bias = add_scaled(a->bias, error, GAIN_INTEGRAL * dt);
	rate = add_scaled(rate, a->bias, 1);
	rate = add_scaled(rate, error, GAIN_PROPORTIONAL);
	integrate(a, rate, dt);
}

struct euler attitude_euler(const struct attitude *a) {
	struct vector3 g = expected_gravity(a);
	float heading = atan2f(2 * (a->q1 * a->q2 + a->q0 * a->q3), 1 - 2 * (a->q2 * a->q2 + a->q3 * a->q3));
	return (struct euler){
		(int16_t)(atan2f(g.y, g.z) * CENTIDEGREES),
		(int16_t)(atan2f(-g.x, sqrtf(g.y * g.y + g.z * g.z)) * CENTIDEGREES),
		(int16_t)(heading * CENTIDEGREES),
	};
}
