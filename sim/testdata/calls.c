// Calls for the recorder: instrumented functions of known length, and the same without hooks, with a tick that interrupts
// them. hooked is called by hooks alone.
#include <stdint.h>

extern uint32_t __data_load[], __data_start[], __data_end[], __bss_start[], __bss_end[], __stack_top[];

#define BARE __attribute__((no_instrument_function, noinline))

volatile uint32_t ticks, hooks, rounds;

// 4 cycles a turn: subs, bne taken.
BARE void wait_turns(uint32_t turns)
{
	__asm volatile("1: subs %0, #1\n bne 1b" : "+r"(turns) : : "cc");
}

BARE void hooked(void) { hooks++; wait_turns(50); }
BARE void __cyg_profile_func_enter(void *f, void *site) { (void)f; (void)site; hooked(); }
BARE void __cyg_profile_func_exit(void *f, void *site) { (void)f; (void)site; hooked(); }

BARE void systick_handler(void)
{
	ticks++;
	wait_turns(100);
}

__attribute__((noinline)) void leaf(void) { wait_turns(1000); }
__attribute__((noinline)) void parent(void) { leaf(); wait_turns(500); leaf(); }
BARE void plain_leaf(void) { wait_turns(1000); }
BARE void plain_parent(void) { plain_leaf(); wait_turns(500); plain_leaf(); }

BARE int main(void)
{
	*(volatile uint32_t *)0xe000e014 = 1999;
	*(volatile uint32_t *)0xe000e018 = 0;
	for (;;) {
		if (rounds == 2)
			*(volatile uint32_t *)0xe000e010 = 7; // from the third round on
		parent();
		plain_parent();
		rounds++;
	}
}

BARE void reset_handler(void)
{
	for (uint32_t *to = __bss_start; to < __bss_end;)
		*to++ = 0;
	main();
}

BARE void fault_handler(void)
{
	for (;;)
		;
}

__attribute__((section(".isr_vector"), used)) void *const vectors_[] = {
	__stack_top, reset_handler, fault_handler, fault_handler,
	fault_handler, fault_handler, fault_handler, 0, 0, 0, 0,
	fault_handler, fault_handler, 0, fault_handler, systick_handler,
};
