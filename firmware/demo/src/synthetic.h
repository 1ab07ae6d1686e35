// Readings of sensors that are not there.
#ifndef SYNTHETIC_H
#define SYNTHETIC_H

#include <stdint.h>

int16_t synthetic_axis(unsigned axis);

#endif
