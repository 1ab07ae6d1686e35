// Calls the functions of described.S.
#include "corpus.h"

typedef uint32_t (*function)(uint32_t);

uint32_t cfi_frame(uint32_t, function);
uint32_t cfi_locals(uint32_t, function);
uint32_t cfi_pointer(uint32_t, function, uint32_t bytes);
uint32_t cfi_states(uint32_t, function);
uint32_t cfi_link_kept(uint32_t, function);
uint32_t cfi_expression(uint32_t, function);
uint32_t tables_frame(uint32_t, function);
uint32_t tables_locals(uint32_t, function);
uint32_t tables_pointer(uint32_t, function, uint32_t bytes);
uint32_t tables_many(uint32_t, function);
uint32_t tables_high(uint32_t, function);
uint32_t tables_arguments(uint32_t, function, uint32_t, uint32_t);

NOINLINE static uint32_t callback(uint32_t n) { return mix(n, &n, sizeof n) ^ n; }
NOINLINE static uint32_t deeper(uint32_t n) { return cfi_frame(n, callback) + tables_frame(n, callback); }

NOINLINE static uint32_t all(uint32_t n, function f) {
	uint32_t s = cfi_frame(n, f) + cfi_locals(n, f) + cfi_pointer(n, f, 16 + n % 4 * 8) + cfi_states(n, f) + cfi_states(0, f);
	s += cfi_link_kept(n, f) + cfi_expression(n, f) + tables_frame(n, f) + tables_locals(n, f);
	return s + tables_pointer(n, f, 8 + n % 4 * 8) + tables_many(n, f) + tables_high(n, f) + tables_arguments(n, f, 3, 4);
}

void SysTick_Handler(void) { sink += mix(5, (const void *)&sink, 4); }

int main(void) {
	corpus_tick(811);
	for (uint32_t n = 0; n < 24; n++)
		sink += all(n, callback) + all(n, deeper);
	corpus_done();
}
