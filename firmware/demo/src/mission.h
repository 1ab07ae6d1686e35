// What the device is doing: most of the time it cruises; an event makes it
// record vibration in detail; then it sends what it recorded.
#ifndef MISSION_H
#define MISSION_H

#include <stdint.h>

enum phase { CRUISE, EVENT, UPLOAD };

void mission_update(uint32_t now_ms);
enum phase mission_phase(void);

#endif
