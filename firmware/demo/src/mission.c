// The schedule of phases.
#include "mission.h"

#include <stddef.h>

static const struct {
	enum phase phase;
	uint16_t milliseconds;
} schedule[] = {
	{CRUISE, 5000}, {EVENT, 2500}, {CRUISE, 1500}, {UPLOAD, 2000},
	{CRUISE, 4000}, {EVENT, 1200}, {UPLOAD, 3000},
};

static volatile enum phase phase = CRUISE;
static size_t step;
static uint32_t step_ends = 5000;

void mission_update(uint32_t now_ms) {
	if ((int32_t)(now_ms - step_ends) < 0)
		return;
	step = (step + 1) % (sizeof schedule / sizeof schedule[0]);
	step_ends += schedule[step].milliseconds;
	phase = schedule[step].phase;
}

enum phase mission_phase(void) { return phase; }
