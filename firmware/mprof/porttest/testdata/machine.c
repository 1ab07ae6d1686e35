/*
 * machine.c: see machine.h. Scripts of one command a line, each ended by ===:
 *   init | send ADDRESS HEX | next ADDRESS HEX (sent from mprof_sent) | steps N | poll
 *   strike N (at the Nth touch of the UART from here on, outside of a handler, 5A arrives and all interrupts are served) | struck (if that moment did not come: now)
 *   rx HEX [f|n] | burst HEX (nothing is served meanwhile) | fault WHAT AFTER | peek ADDRESS | poke ADDRESS VALUE | cache 0|1
 * At the end: what went out, what came in, how often mprof_sent and the interrupt handler ran, and complaints.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine.h"
#include "mprof_port.h"
#include "irq.h"
#include "registers.h"

#define LINES 96
#define BLOCK 0x20000u

bool machine_cached;

static const uint32_t blocks[] = { 0x10000000u, 0x20000000u, 0x24000000u };
static uint8_t bus[sizeof blocks / sizeof *blocks][BLOCK];
static uint32_t enabled[3], priorities[LINES / 4];
static bool masked, handling;
static unsigned touches, strike;
static unsigned sent, interrupts, barriers;

static struct packet { uint32_t address; uint8_t bytes[8192]; size_t n; } following[8];
static unsigned follows, followed;

static uint8_t out[1 << 16], in[1 << 12];
static size_t outs, ins;

void machine_complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("complaint ");
	vprintf(format, args);
	printf("\n");
	va_end(args);
}

void machine_transmitted(uint8_t byte)
{
	if (outs < sizeof out)
		out[outs++] = byte;
}

static int block(uint32_t address)
{
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		if (address - blocks[i] < BLOCK)
			return (int)i;
	machine_complain("no memory at %08x", address);
	exit(1);
}

uint8_t machine_bus_byte(uint32_t address)
{
	if (!machine_cached)
		return *(uint8_t *)(uintptr_t)address;
	return bus[block(address)][address % BLOCK];
}

void machine_clean(uint32_t line)
{
	if (line % 32 != 0)
		machine_complain("a clean of %08x, which is no line", line);
	memcpy(&bus[block(line)][line % BLOCK], (void *)(uintptr_t)line, 32);
}

bool machine_enabled(unsigned line)
{
	return enabled[line / 32] >> line % 32 & 1;
}

unsigned machine_priority(unsigned line)
{
	return priorities[line / 4] >> 8 * (line % 4) & 0xFF;
}

static void serve(void);

void machine_touched(void)
{
	if (handling || masked || strike == 0 || ++touches != strike)
		return;
	model_arrive(0x5A, 0);
	for (int i = 0; i < 3; i++) {
		model_step();
		serve();
	}
}

/* As mprof_set_register and mprof_register of the target, with the NVIC in front of the model. */
void mprof_set_register(uint32_t address, uint32_t value)
{
	machine_touched();
	if (address - NVIC_ISER < sizeof enabled)
		enabled[(address - NVIC_ISER) / 4] |= value;
	else if (address - NVIC_IPR < sizeof priorities)
		priorities[(address - NVIC_IPR) / 4] = value;
	else
		model_write(address, value);
}

uint32_t mprof_register(uint32_t address)
{
	machine_touched();
	if (address - NVIC_IPR < sizeof priorities)
		return priorities[(address - NVIC_IPR) / 4];
	return model_read(address);
}

void mprof_barrier(void)
{
	barriers++;
}

uint32_t mprof_address(const void *memory)
{
	return (uint32_t)(uintptr_t)memory;
}

/* The module's side. */
static const uint8_t *place(const struct packet *p)
{
	uint8_t *to = (uint8_t *)(uintptr_t)p->address;

	memcpy(to, p->bytes, p->n);
	return to;
}

void mprof_sent(void)
{
	sent++;
	if (followed < follows) {
		const struct packet *p = &following[followed++];

		mprof_port_send(place(p), p->n);
	}
}

void mprof_received(uint8_t byte)
{
	if (ins < sizeof in)
		in[ins++] = byte;
}

/* Interrupts as they come; one that stays pending for ever would stop a real core. */
static void serve(void)
{
	for (int turn = 0; turn < 64 && !masked; turn++) {
		bool any = false;

		for (unsigned line = 0; line < LINES; line++)
			if (machine_enabled(line) && model_pending(line)) {
				any = true;
				interrupts++;
				model_taken(line);
				handling = true;
				mprof_port_irq();
				handling = false;
			}
		if (!any)
			return;
	}
	machine_complain("an interrupt that never ends");
	exit(1);
}

static size_t unhex(const char *text, uint8_t *to, size_t room)
{
	size_t n = 0;
	unsigned byte;

	while (n < room && sscanf(text + 2 * n, "%2x", &byte) == 1)
		to[n++] = (uint8_t)byte;
	return n;
}

static void arrive(const char *hex, char error)
{
	uint8_t bytes[1024];
	size_t n = unhex(hex, bytes, sizeof bytes);

	for (size_t i = 0; i < n; i++) {
		model_arrive(bytes[i], error);
		model_step();
		if (!masked)
			serve();
	}
}

static void print_hex(const char *name, const uint8_t *bytes, size_t n)
{
	printf("%s ", name);
	for (size_t i = 0; i < n; i++)
		printf("%02x", bytes[i]);
	printf("\n");
}

static void obey(const char *verb, const char *a, const char *b)
{
	unsigned first = (unsigned)strtoul(a, NULL, 0);

	if (strcmp(verb, "init") == 0) {
		mprof_port_init();
		serve();
	} else if (strcmp(verb, "send") == 0 || strcmp(verb, "next") == 0) {
		struct packet *p = &following[follows];

		p->address = first;
		p->n = unhex(b, p->bytes, sizeof p->bytes);
		if (*verb == 'n') {
			follows++;
			return;
		}
		mprof_port_send(place(p), p->n);
		serve();
	} else if (strcmp(verb, "steps") == 0) {
		for (unsigned i = 0; i < first; i++) {
			model_step();
			serve();
		}
	} else if (strcmp(verb, "poll") == 0) {
		int byte = mprof_port_receive();

		if (byte >= 0)
			mprof_received((uint8_t)byte);
		mprof_port_poll();
		serve();
	} else if (strcmp(verb, "rx") == 0) {
		arrive(a, *b);
	} else if (strcmp(verb, "burst") == 0) {
		masked = true;
		arrive(a, *b);
		masked = false;
		serve();
	} else if (strcmp(verb, "fault") == 0) {
		model_fault(a, (unsigned)strtoul(b, NULL, 0));
	} else if (strcmp(verb, "strike") == 0) {
		touches = 0;
		strike = first;
	} else if (strcmp(verb, "struck") == 0) {
		if (touches < strike)
			arrive("5a", 0);
	} else if (strcmp(verb, "peek") == 0) {
		printf("register %08x %08x\n", first, model_read(first));
	} else if (strcmp(verb, "poke") == 0) {
		model_write(first, (uint32_t)strtoul(b, NULL, 0));
	} else if (strcmp(verb, "cache") == 0) {
		machine_cached = first != 0;
	} else if (strcmp(verb, "line") == 0) {
		printf("line %u %d %u\n", first, machine_enabled(first), machine_priority(first));
	} else {
		machine_complain("what is %s?", verb);
	}
}

/* One script, in a process of its own: ports keep their state for ever. */
static int script(const char *text)
{
	static char verb[16], a[18000], b[18000];

	for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
		verb[0] = a[0] = b[0] = 0;
		if (sscanf(text, "%15s%*[ ]%17999[^ \n]%*[ ]%17999[^ \n]", verb, a, b) > 0)
			obey(verb, a, b);
	}
	print_hex("out", out, outs);
	print_hex("in", in, ins);
	printf("sent %u\ninterrupts %u\nbarriers %u\n", sent, interrupts, barriers);
	return 0;
}

int main(void)
{
	static char text[1 << 23];
	size_t n = fread(text, 1, sizeof text - 1, stdin);
	char *next = text;

	text[n] = 0;
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		if (mmap((void *)(uintptr_t)blocks[i], BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) !=
		    (void *)(uintptr_t)blocks[i]) {
			perror("mmap");
			return 2;
		}
	while (*next != 0) {
		char *this = next, *end = strstr(next, "===\n");
		int status = 0;
		pid_t child;

		if (end == NULL)
			return 2;
		*end = 0;
		next = end + 4;
		fflush(stdout);
		child = fork();
		if (child == 0) {
			setrlimit(RLIMIT_CPU, &(struct rlimit){ 1, 1 });
			exit(script(this));
		}
		if (child < 0 || waitpid(child, &status, 0) != child)
			return 2;
		if (status != 0) {
			printf("status 0x%x of:\n%s", (unsigned)status, this);
			return 1;
		}
		printf("===\n");
	}
	return 0;
}
