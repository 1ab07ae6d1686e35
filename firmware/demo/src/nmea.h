// Sentences of a satellite receiver (NMEA 0183).
#ifndef NMEA_H
#define NMEA_H

#include <stdbool.h>
#include <stdint.h>

struct fix {
	uint32_t time_ms;           // of the day
	int32_t latitude, longitude; // 1e-7 degrees
	int32_t altitude_dm, speed_cms, course_cdeg;
	uint8_t satellites, strongest_db;
	bool valid;
};

// nmea_parse takes one line without its end and changes it. False where the
// checksum is wrong or the sentence is unknown.
bool nmea_parse(char *line, struct fix *f);

extern const char nmea_track[]; // a recorded drive

#endif
