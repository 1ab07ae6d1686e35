/*
 * script.c: does what standard input says, one word and number after the other:
 * e, x: enter and leave a function; E, X: the same, called from another place; c: task; i: exception that runs; k: stack pointer; t: time passes; n: name of a task;
 * S, P, R: START, STOP, RESET_BUFFERS; h: a byte from the host; p: poll so many times, with the UART idle in between; s: a tick
 * of SysTick.
 */
#include "fake.h"
#include <stdio.h>

void fake_jump(uint32_t cycles);

static void hook(char what, uint32_t function)
{
	void *const f = (void *)(uintptr_t)function, *const site = (void *)(uintptr_t)0x20007001u;
	if (what == 'E')
		__cyg_profile_func_enter(f, site);
	else
		__cyg_profile_func_exit(f, site);
}

void fake_script(void)
{
	char what;
	uint32_t n;
	uint8_t byte;
	while (scanf(" %c %u", &what, &n) == 2) {
		switch (what) {
		case 'e':
		case 'x':
		case 'c':
			fake_hook_call(what, n);
			break;
		case 'E':
		case 'X':
			hook(what, n);
			break;
		case 'i':
			fake.exception = n;
			break;
		case 'k':
			fake.sp = n;
			break;
		case 't':
			fake_jump(n);
			break;
		case 'n':
			mprof_context_name((uint16_t)n, n % 2 ? "odd" : "even");
			break;
		case 'S':
			mprof_start();
			break;
		case 'P':
			mprof_stop();
			break;
		case 'R':
			mprof_reset();
			break;
		case 'h':
			byte = (uint8_t)n;
			fake_host(&byte, 1);
			break;
		case 'p':
			for (; n > 0; n--) {
				mprof_poll();
				fake_uart(100000);
			}
			break;
		case 's':
			mprof_systick();
			break;
		}
	}
}
