/*
 * mprof_state.h: what the parts of the module share. Nothing of it is for applications or ports.
 */
#ifndef MPROF_STATE_H
#define MPROF_STATE_H

#include "mprof.h"
#include "mprof_cpu.h"
#include "mprof_port.h"

/*
 * "where" is a call's place in one word: the exception it runs in, 0 for a task; the task; the depth. Bit 31 is
 * always set, so that a slot of the ring with where = 0 is one that nobody has finished.
 */
#define MPROF_WHERE_EXCEPTION 0x1FFu
#define MPROF_WHERE_TASK_SHIFT 9
#define MPROF_WHERE_DEPTH_SHIFT 17
#define MPROF_WHERE_DEEPER (1u << MPROF_WHERE_DEPTH_SHIFT)
#define MPROF_DEEPEST 0x7FFu
#define MPROF_WHERE_SATURATED (1u << 28) /* open for 2^31 ticks; only where the key says that the entry is in ticks */
#define MPROF_WHERE_SWITCH (1u << 29)    /* no call: from exit on this task runs */
#define MPROF_WHERE_DROPPED (1u << 30)   /* no call: exit is how many records were dropped here */
#define MPROF_WHERE_DONE (1u << 31)

/*
 * An open call. Its key is function ^ call site without bit 0, which tells it from another call of the same function,
 * unless that came from the same place. Poll sets bit 0 when the call has been open for long: then entry is in ticks,
 * and the key sends the exit hook the slow way.
 *
 * A call that begins with less on the stack than one that is open in the same context shows that this one was left
 * without a return: longjmp, a C++ exception.
 */
struct mprof_frame {
	uint32_t key;
	uint32_t entry;
	uint32_t where;
	uintptr_t sp; /* in the enter hook */
};
#define MPROF_KEY_IN_TICKS 1u
#define MPROF_KEY_NONE 0xFFFFFFFFu /* no call */
#define MPROF_SATURATED 0xFFFFFFFFu

/* A record. Times in ticks. */
struct mprof_slot {
	uint32_t function;
	uint32_t exit;
	uint32_t duration;
	volatile uint32_t where; /* written last; 0: free or not finished */
};

/*
 * A task: its stack is one frame that is not a call (depth -1), those of open calls up to limit, and one that counts
 * in entry how many more are open; its exception and sp are the first one's.
 */
struct mprof_context {
	struct mprof_frame *base, *limit;
	uintptr_t top; /* while another task runs */
	const char *name;
};

/* What the hooks touch, in reach of one base register. */
struct mprof_hot {
	uintptr_t state;         /* the next slot, counting down; and flags that send the exit hook the slow way */
	uintptr_t top;           /* of the stack of the task that runs: where the next frame goes */
	uintptr_t limit;         /* of it; 0: stopped, so that the enter hook goes the slow way */
	uintptr_t tail;          /* the reader's slot: the last one that may not be taken */
	uintptr_t last;          /* the highest slot */
	struct mprof_slot *ring;
	uint32_t raw, ticks;     /* a moment before all entries that are not in ticks: of the timer, and in ticks */
	uint32_t shift;          /* ticks = timer >> shift */
	volatile const uint32_t *cycles; /* DWT_CYCCNT; NULL: SysTick */
};
#define MPROF_STOPPED 0x80000000u
#define MPROF_PENDING 0x40000000u /* records were dropped since the last one that was stored */
#define MPROF_HEAD 0xFFFFu

/* A packet of a host, as it was received. */
struct mprof_command {
	uint8_t type, length, body[2];
};
#define MPROF_COMMANDS 8u
#define MPROF_PARSED 24u /* bytes of the longest packet from a host that is taken for one */

#define MPROF_NAMES 60u /* functions that a packet of version 2 gives numbers to */
struct mprof_names {
	uint32_t address[MPROF_NAMES];
	uint8_t head[32], next[MPROF_NAMES]; /* lists by hash of numbers from 1, 0: the end */
};

struct mprof_cold {
	struct mprof_context *contexts; /* count, and one for tasks that are none, with no room */
	uint16_t count, task;
	uint32_t hz;
	uint32_t period, wrapped; /* of SysTick: cycles per wrap, cycles until the last wrap */

	/* Counts since START or RESET_BUFFERS. */
	uint32_t dropped, deep, unmatched, pending;

	/* START and RESET_BUFFERS, in any context, to the reader: slots before the mark are of the past. */
	volatile uint8_t marked; /* bits of the commands, 0: none */
	volatile uint16_t mark;

	/* The reader. */
	bool polling, discarding; /* discarding: up to this slot */
	uint16_t discard;
	uint8_t version;
	uint8_t owed; /* bits of commands to acknowledge; bit 0: METADATA that nobody asked for */
	uint32_t number, sent, high; /* number: of the next record; high: slots */
	uint32_t linger;             /* ticks that a record waits for others to fill a packet */

	/* Packets: one is filled while the other is sent. */
	uint8_t *packet[2];
	uint16_t room, length;    /* of a payload; of the one that is filled */
	volatile uint16_t full[2]; /* bytes to send, 0: none */
	uint8_t filling, sending;
	bool wired; /* a transfer is under way */
	uint32_t begun; /* ticks, when the first record came into it */

	/* Version 1: microseconds. At second_ticks it was second_us. */
	uint32_t second_ticks, second_us;
	uint32_t tick_hz, us_per_tick; /* us_per_tick: times 2^us_shift */
	uint8_t us_shift;

	/* Version 2. */
	struct mprof_names *names;
	uint8_t named;
	uint32_t exit, address;
	uint16_t context, depth;

	/* Commands: one interrupt writes, the reader reads. */
	struct mprof_command commands[MPROF_COMMANDS];
	volatile uint8_t received, obeyed;
	uint8_t parsed, parsing[MPROF_PARSED];
	uint32_t heard; /* ticks, the last byte */

	const char *name;
	uint32_t pair_cost, inner_cost, buffer;
};

extern struct mprof_hot mprof_hot;
extern struct mprof_cold mprof_cold;

/* mprof_record.c */
void mprof_enter_slow(uint32_t key, uintptr_t sp);
void mprof_exit_slow(uint32_t function, uint32_t key);

/* mprof_time.c */
int mprof_time_init(uint32_t hz);
void mprof_time_follow(void);
void mprof_time_shift(uint32_t shift);
uint32_t mprof_time_default_shift(void);
uint32_t mprof_ticks(void);

/* mprof_packet.c */
uint8_t *mprof_packet_open(void);         /* the payload to fill; NULL: both packets are under way */
void mprof_packet_close(uint32_t length); /* of the payload */
void mprof_packet_send(void);

/* mprof_poll.c */
uint32_t mprof_waiting(void);

/* mprof_command.c: obeys a command, and returns the length of the answer; 0: none. */
bool mprof_command_waits(void);
uint32_t mprof_obey(uint8_t *payload);
uint32_t mprof_refuse(uint8_t *payload, uint8_t command, uint8_t reason); /* a NACK */

/* mprof_identity.c: the length of the payload. */
uint32_t mprof_metadata(uint8_t *payload, uint8_t flags);
uint32_t mprof_status(uint8_t *payload);

/* mprof_version1.c, mprof_version2.c: append a record to a payload of length bytes, 0 to begin one, and return its
 * new length; the same where there is no room. */
void mprof_version1_init(void);
void mprof_version1_follow(uint32_t ticks);
uint32_t mprof_version1(uint8_t *payload, uint32_t length, const struct mprof_slot *record);
uint32_t mprof_version2(uint8_t *payload, uint32_t length, const struct mprof_slot *record);

/* mprof_calibrate.c: on the stack of the first task. */
void mprof_calibrate(const struct mprof_context *first);

MPROF_INLINE uint32_t mprof_slots_between(uintptr_t from, uintptr_t to)
{
	return (uint32_t)(from >= to ? from - to : from + mprof_hot.last + 1 - to);
}

MPROF_INLINE uintptr_t mprof_slot_after(uintptr_t slot) { return slot ? slot - 1 : mprof_hot.last; }

MPROF_INLINE uint8_t *mprof_put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
	return p + 2;
}

MPROF_INLINE uint8_t *mprof_put32(uint8_t *p, uint32_t v) { return mprof_put16(mprof_put16(p, v), v >> 16); }

#endif
