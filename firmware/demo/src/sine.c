// Sine by table and linear interpolation.
#include "fixed.h"

static const int16_t quarter[65] = {
	0, 804, 1608, 2410, 3212, 4011, 4808, 5602, 6393, 7179, 7962, 8739, 9512,
	10278, 11039, 11793, 12539, 13279, 14010, 14732, 15446, 16151, 16846, 17530, 18204, 18868,
	19519, 20159, 20787, 21403, 22005, 22594, 23170, 23731, 24279, 24811, 25329, 25832, 26319,
	26790, 27245, 27683, 28105, 28510, 28898, 29268, 29621, 29956, 30273, 30571, 30852, 31113,
	31356, 31580, 31785, 31971, 32137, 32285, 32412, 32521, 32609, 32678, 32728, 32757, 32767,
};

int16_t sine_q15(uint32_t phase) {
	uint32_t quadrant = phase >> 30;
	uint32_t x = phase & 0x3fffffffu;
	if (quadrant & 1)
		x = 0x3fffffffu - x;
	uint32_t i = x >> 24;
	int32_t low = quarter[i], high = quarter[i + 1];
	int32_t y = low + (((high - low) * (int32_t)((x >> 8) & 0xffff)) >> 16);
	return (int16_t)(quadrant & 2 ? -y : y);
}
