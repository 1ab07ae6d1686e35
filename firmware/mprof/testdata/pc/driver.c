/*
 * driver.c: tasks and interrupts that call functions at random, a host, and a UART; the log says what the module should have recorded.
 */
#include "fake.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fake_jump(uint32_t cycles);

#define DEEP 64

/* The open calls of each task. */
static struct {
	uint32_t open[DEEP], n;
	bool waits; /* for the tasks that have interrupted it */
} tasks[16];

static uint32_t some_function(void) { return 0x08000101u + 2 * fake_random(fake_random(8) ? 40 : 4000); }

/* Calls, one in another. */
static void tree(uint32_t deep)
{
	for (uint32_t n = fake_random(3); n > 0; n--) {
		const uint32_t f = some_function();
		fake.sp = 64 * (32 - fake.level) + deep;
		fake_hook_call('e', f);
		if (deep > 0)
			tree(deep - 1);
		fake_hook_call('x', f);
	}
}

static void control(void)
{
	switch (fake_random(8)) {
	case 0:
		mprof_stop();
		break;
	case 1:
		mprof_reset();
		break;
	case 2:
	case 3:
		mprof_stop();
		mprof_start();
		break;
	default:
		mprof_start();
	}
}

static void thread(uint32_t actions);

/* A handler that goes over to a task, which runs for a while, before it is this task's turn again. */
static void switch_tasks(void)
{
	const uint16_t before = fake.task;
	const uint32_t exception = fake.exception, level = fake.level;
	const uint16_t to = (uint16_t)fake_random(option.contexts);
	const bool instrumented = option.pendsv && fake_random(2);
	if (to == before || tasks[to].waits)
		return;
	tasks[before].waits = true;
	fake.exception = 14;
	if (instrumented)
		fake_hook_call('e', 0x08009001);
	fake_hook_call('c', to);
	if (instrumented)
		fake_hook_call('x', 0x08009001);
	fake.exception = 0;
	thread(fake_random(12));
	fake.exception = 14;
	if (instrumented)
		fake_hook_call('e', 0x08009001);
	fake_hook_call('c', before);
	if (instrumented)
		fake_hook_call('x', 0x08009001);
	fake.exception = exception;
	fake.level = level;
	tasks[before].waits = false;
}

void fake_interrupt(uint32_t interrupted)
{
	switch (fake_random(8)) {
	case 0:
		mprof_poll();
		break;
	case 1:
		fake_uart(fake_random(option.speed + 1));
		break;
	case 2:
		if (option.contexts > 1 && interrupted == 0)
			switch_tasks();
		break;
	case 3:
		if (fake_random(1000) < 20 * option.controls)
			control();
		break;
	default:
		tree(2);
	}
}

static void act(void)
{
	const uint16_t t = fake.task;
	if (tasks[t].n > 0 && (tasks[t].n == DEEP || fake_random(100) < 48)) {
		fake_hook_call('x', tasks[t].open[--tasks[t].n]);
	} else {
		const uint32_t f = some_function();
		tasks[t].open[tasks[t].n++] = f;
		fake.sp = 4096 - tasks[t].n;
		fake_hook_call('e', f);
	}
}

static void thread(uint32_t actions)
{
	for (; actions > 0; actions--)
		act();
}

static uint32_t crc_of(const uint8_t *p, uint32_t n)
{
	uint32_t crc = 0xFFFF;
	for (; n > 0; n--) {
		crc ^= (uint32_t)*p++ << 8;
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 0x8000 ? (crc << 1 ^ 0x1021) & 0xFFFF : crc << 1;
	}
	return crc;
}

static void command(const uint8_t *payload, uint32_t n)
{
	uint8_t p[16] = {0x55, 0xAA, (uint8_t)n, 0};
	uint32_t crc;
	memcpy(p + 4, payload, n);
	crc = crc_of(p + 2, n + 2);
	p[4 + n] = (uint8_t)crc;
	p[5 + n] = (uint8_t)(crc >> 8);
	p[6 + n] = 0x0A;
	for (uint32_t noise = fake_random(4) ? 0 : fake_random(9); noise > 0; noise--) {
		const uint8_t junk[] = {0x55, 0xAA, 0x01, 0x00, 0x0A, 0xFF};
		fake_host(&junk[fake_random(sizeof junk)], 1);
	}
	fake_host(p, n + 7);
}

static void drain(void)
{
	for (unsigned idle = 0; idle < 8; idle++) {
		mprof_poll();
		if (!fake_uart_idle())
			idle = 0;
		fake_uart(64);
	}
}

/* Noise may hide a command: it is repeated. */
static void ask(const uint8_t *payload, uint32_t n)
{
	for (unsigned i = 0; i < 4; i++) {
		drain();
		fake_jump(option.hz / 2);
		command(payload, n);
	}
	drain();
}

static void run(void)
{
	const uint8_t negotiate[] = {5, (uint8_t)option.version, (uint8_t)option.shift}, start[] = {1}, stop[] = {2}, status[] = {3};
	const uint32_t controls = option.controls;
	option.controls = 0; /* ticks do not change while it runs */
	ask(negotiate, option.version > 1 ? 3 : 1);
	option.controls = controls;
	command(start, 1);
	for (uint32_t i = 0; i < option.actions; i++) {
		act();
		fake_uart(fake_random(option.speed + 1));
		if (fake_random(16) == 0)
			mprof_poll();
		if (fake_random(1000) < option.controls)
			control();
		if (fake_random(400) == 0)
			command(status, 1);
		if (fake_random(1000) < option.jumps) {
			fake_jump(1u << fake_random(30));
			mprof_poll();
		}
	}
	option.levels = 0;
	ask(stop, 1);
	ask(status, 1);
}

static struct {
	const char *name;
	uint32_t *value;
} settings[] = {
	{"interrupts", &option.interrupts}, {"levels", &option.levels}, {"step", &option.step},	  {"start", &option.start},
	{"hz", &option.hz},		    {"speed", &option.speed},	{"actions", &option.actions}, {"jumps", &option.jumps},
	{"version", &option.version},	    {"shift", &option.shift},	{"size", &option.size},	  {"depth", &option.depth},
	{"contexts", &option.contexts},	    {"packet", &option.packet}, {"controls", &option.controls}, {"pendsv", &option.pendsv},
	{"script", &option.script},
};

int main(int argc, char **argv)
{
	uintptr_t *memory;
	for (int i = 1; i + 1 < argc; i += 2) {
		const uint32_t v = (uint32_t)strtoul(argv[i + 1], NULL, 0);
		if (strcmp(argv[i], "seed") == 0)
			option.seed = v;
		for (unsigned j = 0; j < sizeof settings / sizeof *settings; j++)
			if (strcmp(argv[i], settings[j].name) == 0)
				*settings[j].value = v;
	}
	fake_jump(option.start);
	memory = malloc(option.size); /* of exactly this size: the sanitizer sees what lies outside */
	memset(memory, 0xA5, option.size);
	if (mprof_init(&(struct mprof_config){.memory = memory,
					      .size = option.size,
					      .name = "driver",
					      .contexts = (uint16_t)option.contexts,
					      .depth = (uint16_t)option.depth,
					      .packet = (uint16_t)option.packet}) != 0) {
		fprintf(stderr, "mprof_init: no\n");
		return 1;
	}
	if (option.script)
		fake_script();
	else
		run();
	free(memory);
	return 0;
}
