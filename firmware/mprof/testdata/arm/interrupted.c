/*
 * interrupted.c: a program whose every instruction between window_begin and window_end the test interrupts; with TICK, SysTick does, too. Compiled with
 * -finstrument-functions.
 */
#include "../../src/mprof.h"
#include "../../src/mprof_port.h"

#ifdef LEAVES
#include <setjmp.h>
#endif

#define NOTRACE __attribute__((no_instrument_function))
#ifndef REPEAT
#define REPEAT 1
#endif
#define APART __attribute__((noinline))

extern uint32_t stack_top, data_load, data_begin, data_end, bss_begin, bss_end;

volatile uint32_t mode;    /* what IRQ0 does, from the test */
volatile uint32_t out_n;   /* bytes that went over the wire */
__attribute__((used)) uint8_t out[16384];
static const uint8_t *sending;
static size_t left;
static const uint8_t *asking;
static uint32_t asked;
static volatile uint32_t sink;

NOTRACE void mprof_port_init(void) {}

NOTRACE void mprof_port_send(const uint8_t *bytes, size_t n)
{
	sending = bytes;
	left = n;
}

NOTRACE void mprof_port_poll(void)
{
	if (left == 0)
		return;
	while (left > 0 && out_n < sizeof out) {
		out[out_n] = *sending++;
		out_n = out_n + 1;
		left--;
	}
	mprof_sent();
}

NOTRACE int mprof_port_receive(void)
{
	if (asked == 0)
		return -1;
	asked--;
	return *asking++;
}

static NOTRACE void ask(const uint8_t *bytes, uint32_t n)
{
	asking = bytes;
	asked = n;
	for (unsigned i = 0; i < 8; i++)
		mprof_poll();
}

/* What is recorded. */

APART void inner(void) { sink = sink + 1; }

APART void outer(void)
{
	inner();
	inner();
}

APART void helper(void) { sink = sink + 2; }

APART void IRQ0_Handler(void)
{
	switch (mode) {
	case 0:
		helper();
		break;
	case 1:
		mprof_context(1);
		mprof_context(0);
		break;
	case 2:
		mprof_poll();
		break;
	default:
		mprof_stop();
		mprof_start();
	}
}

APART void IRQ1_Handler(void)
{
	helper();
	helper();
}

/* The application's tick, which time is taken from where there is no cycle counter. */
APART void SysTick_Handler(void)
{
	helper();
	mprof_systick();
}

/* The test watches these. */
NOTRACE APART void window_begin(void) { __asm volatile(""); }
NOTRACE APART void window_end(void) { __asm volatile(""); }
NOTRACE APART void finished(void)
{
	for (;;)
		;
}

#ifdef LEAVES
static jmp_buf loop;

/* With more on the stack than outer. */
APART void down(unsigned n)
{
	volatile uint32_t more[16];
	more[0] = n;
	helper();
	if (n == 0)
		longjmp(loop, 1);
	down(more[0] - 1);
	sink = more[0];
}

static NOTRACE void turn(void)
{
	static unsigned turns;
	if (setjmp(loop) == 0)
		down(turns++ % LEAVES);
	outer();
}
#else
static NOTRACE void turn(void) { outer(); }
#endif

static uint32_t memory[3000];

/* GET_METADATA 02 00: a tick is a cycle. GET_STATUS. */
static const uint8_t negotiate[] = {0x55, 0xAA, 0x03, 0x00, 0x05, 0x02, 0x00, CRC_OF_NEGOTIATE, 0x0A};
static const uint8_t status[] = {0x55, 0xAA, 0x01, 0x00, 0x03, CRC_OF_STATUS, 0x0A};

NOTRACE int main(void)
{
	const struct mprof_config config = {.memory = memory, .size = sizeof memory, .name = "interrupted", .hz = 16000000, .contexts = 2};
	*(volatile uint32_t *)0xE000E400 = 0x000040C0; /* IRQ1 over IRQ0 */
	*(volatile uint32_t *)0xE000E100 = 3;
#ifdef TICK
	*(volatile uint32_t *)0xE000E014 = TICK - 1;
	*(volatile uint32_t *)0xE000E018 = 0;
	*(volatile uint32_t *)0xE000E010 = 7; /* core clock, interrupt, enable */
#endif
	if (mprof_init(&config) != 0)
		finished();
	ask(negotiate, sizeof negotiate);
	mprof_start();
	ask(0, 0);
	window_begin();
	for (unsigned i = 0; i < REPEAT; i++)
		turn();
	window_end();
	mprof_stop();
	ask(0, 0);
	ask(status, sizeof status);
	finished();
}

NOTRACE void Reset_Handler(void)
{
	for (uint32_t *to = &data_begin, *from = &data_load; to < &data_end;)
		*to++ = *from++;
	for (uint32_t *to = &bss_begin; to < &bss_end;)
		*to++ = 0;
	main();
}

NOTRACE void Default_Handler(void) { finished(); }

__attribute__((used, section(".vectors"))) const void *const vectors[18] = {
	&stack_top, Reset_Handler, Default_Handler, Default_Handler, Default_Handler, Default_Handler, Default_Handler, 0, 0, 0, 0, Default_Handler, 0, 0,
	Default_Handler, SysTick_Handler, IRQ0_Handler, IRQ1_Handler,
};
