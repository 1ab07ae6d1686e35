// Calls the functions of bare.S, which come back through here with callbacks.
#include "corpus.h"

typedef uint32_t (*function)(uint32_t);

uint32_t bare_leaf(uint32_t, uint32_t);
uint32_t bare_frame(uint32_t, function);
uint32_t bare_locals(uint32_t, function);
uint32_t bare_dynamic(uint32_t, function, uint32_t bytes);
uint32_t bare_entry_one(uint32_t, function);
uint32_t bare_entry_two(uint32_t, function, uint32_t);
uint32_t bare_subroutine(uint32_t, function);
uint32_t bare_high(uint32_t, function);
uint32_t bare_thunk(uint32_t, function);
uint32_t bare_stack_thunk(uint32_t, function);
uint32_t bare_tail(uint32_t, function);
uint32_t bare_early(uint32_t, function);
uint32_t bare_wrapped(uint32_t, function);
uint32_t bare_variable(uint32_t, function, uint32_t, uint32_t);
uint32_t bare_link_kept(uint32_t, function);
uint32_t bare_table(uint32_t, function);
uint32_t bare_pool(uint32_t, function);
uint32_t bare_two_pops(uint32_t, function);
uint32_t bare_loop(const uint32_t *, uint32_t);
uint32_t bare_recursive(uint32_t);
uint32_t bare_unsized(uint32_t, function);
uint32_t bare_untyped_through(uint32_t, function);
uint32_t bare_wide(uint32_t, function);

NOINLINE static uint32_t callback(uint32_t n) { return mix(n, &n, sizeof n) ^ n; }
NOINLINE static uint32_t deeper(uint32_t n) { return bare_frame(n, callback) + bare_leaf(n, 3); }

NOINLINE static uint32_t first(uint32_t n, function f) {
	uint32_t s = bare_leaf(n, 2) + bare_frame(n, f) + bare_locals(n, f) + bare_dynamic(n, f, 24 + n % 5 * 8);
	s += bare_entry_one(n, f) + bare_entry_two(n, f, 9) + bare_subroutine(n, f) + bare_high(n, f);
	return s + bare_thunk(n, f) + bare_stack_thunk(n, f) + bare_tail(n, f) + bare_early(n, f) + bare_early(0, f);
}
NOINLINE static uint32_t second(uint32_t n, function f) {
	static const uint32_t words[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
	uint32_t s = bare_wrapped(n, f) + bare_wrapped(0, f) + bare_variable(n, f, 7, 8) + bare_link_kept(n, f);
	s += bare_table(n % 4, f) + bare_pool(n, f) + bare_two_pops(n, f) + bare_loop(words, 12) + bare_recursive(n % 12);
	return s + bare_unsized(n, f) + bare_untyped_through(n, f) + bare_wide(n, f);
}

void SysTick_Handler(void) { sink += mix(5, (const void *)&sink, 4); }

int main(void) {
	corpus_tick(811);
	for (uint32_t n = 0; n < 60; n++)
		sink += first(n, callback) + second(n, deeper);
	corpus_done();
}
