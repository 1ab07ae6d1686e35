// Every axis is a slow motion, a noise, and during an event a vibration.
#include "synthetic.h"

#include "fixed.h"
#include "mission.h"
#include "sensors.h"

static uint32_t noise_state = 2463534242u;
static uint32_t slow[AXES], fast[AXES];
static const uint32_t slow_step[AXES] = {1181116, 1503238, 858993, 2147483, 1717986, 644245}; // 2^32 * f / 500 Hz
static const int16_t offset[AXES] = {0, 0, 16384, 40, -25, 60};

static inline uint32_t noise(void) {
	uint32_t x = noise_state;
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return noise_state = x;
}

__attribute__((noinline)) int16_t synthetic_axis(unsigned axis) {
	slow[axis] += slow_step[axis];
	int32_t value = offset[axis] + sine_q15(slow[axis]) / 16 + (int32_t)(noise() & 255) - 128;
	if (mission_phase() == EVENT) {
		fast[axis] += 803158884u + (axis << 24); // 93 Hz and more
		value += sine_q15(fast[axis]) / 8;
	}
	return saturate_q15(value);
}
