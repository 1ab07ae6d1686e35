// A queue of items of one size between one producer and one consumer, such as
// an interrupt and a task. The capacity is a power of two.
#ifndef RING_H
#define RING_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct ring {
	uint8_t *items;
	uint16_t size, capacity;
	volatile uint32_t head, tail; // head is written by the producer, tail by the consumer
	uint32_t dropped;
};

#define RING(array) \
	{ .items = (uint8_t *)(array), .size = sizeof((array)[0]), .capacity = sizeof(array) / sizeof((array)[0]) }

static inline uint32_t ring_used(const struct ring *r) { return r->head - r->tail; }

static inline uint8_t *ring_slot(const struct ring *r, uint32_t i) {
	return r->items + (i & (r->capacity - 1u)) * r->size;
}

static inline bool ring_push(struct ring *r, const void *item) {
	if (ring_used(r) == r->capacity) {
		r->dropped++;
		return false;
	}
	memcpy(ring_slot(r, r->head), item, r->size);
	r->head++;
	return true;
}

static inline bool ring_pop(struct ring *r, void *item) {
	if (ring_used(r) == 0)
		return false;
	memcpy(item, ring_slot(r, r->tail), r->size);
	r->tail++;
	return true;
}

#endif
