#ifndef PROGRAM_H
#define PROGRAM_H
#include <stdint.h>

/* Each part returns a number that depends on all that it computed. */
uint32_t arithmetic(uint32_t seed);
uint32_t text(uint32_t seed);
uint32_t sort(uint32_t seed);
uint32_t dispatch(uint32_t seed);
uint32_t dsp(uint32_t seed);
uint32_t single(uint32_t seed);
uint32_t exceptions(uint32_t seed);

/* next is a linear congruential generator. */
static inline uint32_t next(uint32_t *s) { return *s = *s * 1664525u + 1013904223u; }

/* vectors is the table in flash. */
extern void (*const vectors[])(void);
#endif
