/*
 * fake.c: see fake.h. Log lines: e, x, y: enter, exit, exit whose frame is free at once: task, exception, function, time
 * or -; c: task, time or -; p: an exit hook is over; S, P, R: START, STOP, RESET_BUFFERS took
 * effect; z: when ticks are counted from; w: bytes that went over the wire.
 */
#include "fake.h"
#include "../../src/mprof_state.h"
#include <stdio.h>
#include <stdlib.h>

struct fake_core fake;
struct fake_options option;

uint32_t fake_random(uint32_t below)
{
	option.seed = option.seed * 6364136223846793005u + 1442695040888963407u;
	return below ? (uint32_t)(option.seed >> 33) % below : 0;
}

static uintptr_t *reserved;

/* Here an interrupt may come. */
static void point(void)
{
	const struct fake_core before = fake;
	if (fake.masked || fake.level >= option.levels || fake_random(1000) >= option.interrupts)
		return;
	fake.level++;
	fake.hook = NULL;
	fake.api = 0;
	fake.exception = 16 + fake.level;
	reserved = NULL;
	fake_interrupt(before.exception);
	if (fake.task != before.task || fake.masked)
		abort();
	fake = before;
	reserved = NULL;
}

static void log_time(const struct fake_hook *h)
{
	if (h->timed)
		printf(" %u\n", h->time);
	else
		printf(" -\n");
}

/* What the module was called for has happened. */
static void happened(void)
{
	struct fake_hook *const h = fake.hook;
	if (fake.api != 0) {
		printf("%c\n", fake.api);
		fake.api = 0;
	}
	if (h == NULL || h->what == 0)
		return;
	if (h->what == 'c') {
		printf("c %u", h->function);
		fake.task = (uint16_t)h->function;
	} else {
		printf("%c %u %u %u", h->what, fake.task, fake.exception, h->function);
	}
	log_time(h);
	h->what = 0;
}

uint32_t fake_mask(void)
{
	const uint32_t before = fake.masked;
	point();
	fake.masked = true;
	return before;
}

void fake_unmask(uint32_t before)
{
	if (fake.hook != NULL && fake.hook->what == 'x')
		fake.hook->what = 'y';
	if (!before && !(fake.hook != NULL && fake.hook->slow))
		happened();
	if (fake.hook != NULL)
		fake.hook->slow = false;
	fake.masked = before;
	point();
}

uint32_t fake_exception(void)
{
	point();
	return fake.exception;
}

uintptr_t fake_sp(void) { return fake.sp; }

#ifndef FAKE_ARMV6M
uintptr_t fake_load_exclusive(uintptr_t *p)
{
	uintptr_t v;
	point();
	v = *p;
	reserved = p;
	if (fake.hook != NULL)
		fake.hook->timed = false;
	point();
	return v;
}

bool fake_store_exclusive(uintptr_t *p, uintptr_t v)
{
	point();
	if (reserved != p)
		return false;
	reserved = NULL;
	*p = v;
	happened();
	point();
	return true;
}

#endif

/* The hook takes the slow way: nothing has happened. */
void fake_clear_exclusive(void)
{
#ifndef FAKE_ARMV6M
	point();
	reserved = NULL;
#endif
	if (fake.hook == NULL)
		return;
	fake.hook->timed = false;
#ifdef FAKE_ARMV6M
	fake.hook->slow = true;
#endif
}

static uint32_t now;

uint32_t mprof_port_time(void)
{
	point();
	now += 1 + fake_random(option.step);
	if (fake.hook != NULL) {
		fake.hook->time = now;
		fake.hook->timed = true;
	}
	return now;
}

uint32_t mprof_port_time_hz(void) { return option.hz; }

void fake_jump(uint32_t cycles);
void fake_jump(uint32_t cycles) { now += cycles; }

/* Calls the module for a function, or for a switch to a task. */
void fake_hook_call(char what, uint32_t function)
{
	struct fake_hook *const outer = fake.hook, h = {what, function, 0, false, false};
	struct fake_hook mine = h;
	void *const f = (void *)(uintptr_t)function, *const site = (void *)(uintptr_t)(0x20000001u + 64 * function);
	fake.hook = &mine;
	if (what == 'e')
		__cyg_profile_func_enter(f, site);
	else if (what == 'x')
		__cyg_profile_func_exit(f, site);
	else
		mprof_context((uint16_t)function);
	happened();
	fake.hook = outer;
	if (what == 'x')
		printf("p\n");
}

void __real_mprof_start(void);
void __real_mprof_time_shift(uint32_t shift);
void __wrap_mprof_time_shift(uint32_t shift);
void __real_mprof_stop(void);
void __real_mprof_reset(void);
void __wrap_mprof_start(void);
void __wrap_mprof_stop(void);
void __wrap_mprof_reset(void);

void __wrap_mprof_start(void)
{
	fake.api = 'S';
	__real_mprof_start();
	fake.api = 0;
}

void __wrap_mprof_time_shift(uint32_t shift)
{
	__real_mprof_time_shift(shift);
	printf("z %u\n", mprof_hot.raw - (mprof_hot.ticks << mprof_hot.shift));
}

void __wrap_mprof_stop(void)
{
	fake.api = 'P';
	__real_mprof_stop();
	fake.api = 0;
}

void __wrap_mprof_reset(void)
{
	fake.api = 'R';
	__real_mprof_reset();
	fake.api = 0;
}

/* The UART. */

static struct {
	const uint8_t *bytes;
	uint32_t left;
	uint8_t in[4096];
	uint32_t written, read;
} uart;

void mprof_port_init(void) {}
void mprof_port_poll(void) { point(); }

void mprof_port_send(const uint8_t *bytes, size_t n)
{
	if (uart.left != 0)
		abort();
	uart.bytes = bytes;
	uart.left = (uint32_t)n;
	point();
}

int mprof_port_receive(void)
{
	point();
	return uart.read == uart.written ? -1 : uart.in[uart.read++ % sizeof uart.in];
}

void fake_host(const uint8_t *bytes, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		uart.in[uart.written++ % sizeof uart.in] = bytes[i];
}

void fake_uart(uint32_t n)
{
	if (uart.left == 0 || n == 0)
		return;
	printf("w ");
	for (; n > 0 && uart.left > 0; n--, uart.left--)
		printf("%02x", *uart.bytes++);
	printf("\n");
	if (uart.left == 0)
		mprof_sent();
}

bool fake_uart_idle(void) { return uart.left == 0; }
