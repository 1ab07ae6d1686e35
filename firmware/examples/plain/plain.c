/*
 * plain.c: what firmware/mprof is measured against: the same interface and version 1 of the protocol, written the way
 * that comes to mind first. Structs in a ring, copied by memcpy with interrupts off, microseconds by a 64-bit division in the
 * hook, a CRC bit by bit. One stack of open calls for everything, so calls of tasks get mixed up. Not for use.
 */
#include <stdbool.h>
#include <string.h>

#include "core.h"
#include "mprof.h"
#include "mprof_port.h"

struct record {
	uint32_t function, entry_us, duration_us;
	uint16_t depth;
} __attribute__((packed));

struct open_call {
	uint32_t function;
	uint64_t entry_us;
};

enum { DEEPEST = 32, PACKET = 504, START = 1, STOP, STATUS, RESET, METADATA, RECORDS = 5 };

static struct {
	struct record *ring;
	uint32_t size, head, tail, dropped, sent, high_water;
	struct open_call stack[DEEPEST];
	uint16_t depth;
	bool running, sending;
	uint32_t last, wraps;
	uint8_t packet[7 + PACKET + 3], command[16];
	uint32_t received;
} state;

#ifdef PLAIN_DWT
#define DEMCR (*(volatile uint32_t *)0xE000EDFCu)
#define DWT_CTRL (*(volatile uint32_t *)0xE0001000u)
#define DWT_CYCCNT (*(volatile uint32_t *)0xE0001004u)

static uint32_t ticks(void) { return DWT_CYCCNT; }
static uint32_t ticks_hz(void) { return BOARD_HZ; }
static void start_ticks(void) {
	DEMCR |= 1u << 24;
	DWT_CTRL |= 1;
}
#else
static uint32_t ticks(void) { return mprof_port_time(); }
static uint32_t ticks_hz(void) { return mprof_port_time_hz(); }
static void start_ticks(void) {}
#endif

static uint64_t micros(void) {
	uint32_t now = ticks();
	if (now < state.last)
		state.wraps++;
	state.last = now;
	return ((uint64_t)state.wraps << 32 | now) / (ticks_hz() / 1000000);
}

void __cyg_profile_func_enter(void *function, void *call_site) {
	(void)call_site;
	uint32_t mask = core_mask();
	if (state.running && state.depth < DEEPEST)
		state.stack[state.depth] = (struct open_call){(uint32_t)function, micros()};
	state.depth++;
	core_unmask(mask);
}

void __cyg_profile_func_exit(void *function, void *call_site) {
	(void)call_site;
	uint32_t mask = core_mask();
	if (state.depth > 0)
		state.depth--;
	if (state.running && state.depth < DEEPEST && state.stack[state.depth].function == (uint32_t)function) {
		uint32_t next = (state.head + 1) % state.size;
		struct record r = {
			.function = (uint32_t)function,
			.entry_us = (uint32_t)state.stack[state.depth].entry_us,
			.duration_us = (uint32_t)(micros() - state.stack[state.depth].entry_us),
			.depth = state.depth,
		};
		if (next == state.tail) {
			state.dropped++;
		} else {
			memcpy(&state.ring[state.head], &r, sizeof r);
			state.head = next;
		}
	}
	core_unmask(mask);
}

static uint16_t crc16(const uint8_t *bytes, uint32_t n) {
	uint16_t crc = 0xFFFF;
	while (n--) {
		crc ^= (uint16_t)(*bytes++ << 8);
		for (int bit = 0; bit < 8; bit++)
			crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
	}
	return crc;
}

/* Sends the type and n bytes of body, which stand in state.packet + 5. */
static void send(uint8_t type, uint32_t n) {
	uint8_t *p = state.packet;
	uint16_t length = (uint16_t)(n + 1);
	p[0] = 0x55, p[1] = 0xAA;
	memcpy(p + 2, &length, 2);
	p[4] = type;
	uint16_t crc = crc16(p + 2, length + 2u);
	memcpy(p + 4 + length, &crc, 2);
	p[6 + length] = 0x0A;
	state.sending = true;
	mprof_port_send(p, length + 7u);
}

static void send_records(void) {
	uint32_t n = 0;
	while (n + sizeof(struct record) <= PACKET && state.tail != state.head) {
		uint32_t mask = core_mask();
		memcpy(state.packet + 5 + n, &state.ring[state.tail], sizeof(struct record));
		state.tail = (state.tail + 1) % state.size;
		core_unmask(mask);
		n += sizeof(struct record);
		state.sent++;
	}
	if (n)
		send(RECORDS, n);
}

static void send_metadata(void) {
	uint8_t *b = state.packet + 5;
	uint32_t hz = ticks_hz(), bytes = state.size * (uint32_t)sizeof(struct record);
	b[0] = 1;
	b[1] = state.running;
	memcpy(b + 2, &hz, 4);
	memcpy(b + 6, &bytes, 4);
	b[10] = b[11] = 0;
	send(3, 12);
}

static void send_status(void) {
	uint8_t *b = state.packet + 5;
	b[0] = state.running;
	memcpy(b + 1, &state.dropped, 4);
	memcpy(b + 5, &state.high_water, 4);
	memcpy(b + 9, &state.sent, 4);
	send(4, 13);
}

__attribute__((noinline)) void mprof_start(void) { state.running = true; }
__attribute__((noinline)) void mprof_stop(void) { state.running = false; }

static void obey(uint8_t command) {
	uint32_t mask = core_mask();
	if (command == START || command == RESET)
		state.head = state.tail = state.dropped = state.sent = 0;
	if (command == START)
		mprof_start();
	if (command == STOP)
		mprof_stop();
	core_unmask(mask);
	if (command == METADATA) {
		send_metadata();
	} else if (command == STATUS) {
		send_status();
	} else {
		state.packet[5] = command;
		send(1, 1);
	}
}

/* Commands have no body here: eight bytes each. */
void mprof_received(uint8_t byte) {
	if (state.received < sizeof state.command)
		state.command[state.received++] = byte;
}

void mprof_sent(void) { state.sending = false; }

void mprof_poll(void) {
	for (int byte; (byte = mprof_port_receive()) >= 0;)
		mprof_received((uint8_t)byte);
	mprof_port_poll();
	if (state.sending)
		return;
	if (state.received >= 8) {
		uint8_t command = state.command[4];
		state.received = 0;
		obey(command);
		return;
	}
	send_records();
}

int mprof_init(const struct mprof_config *config) {
	state.ring = config->memory;
	state.size = (uint32_t)(config->size / sizeof(struct record));
	start_ticks();
	mprof_port_init();
	return 0;
}

void mprof_context(uint16_t id) { (void)id; }
void mprof_context_name(uint16_t id, const char *name) { (void)id, (void)name; }
void mprof_systick(void) {}
