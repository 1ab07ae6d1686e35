// Reports to the ground station.
#ifndef TELEMETRY_H
#define TELEMETRY_H

void telemetry_task(void *argument);

#endif
