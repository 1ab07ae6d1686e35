/* Switch tables, function pointers, variable arguments, code in RAM, a small
   interpreter. */
#include <stdarg.h>
#include "program.h"

enum { PUSH, ADD, SUB, MUL, DUP, SWAP, LOOP, AND, OR, XOR, SHL, SHR, NEG, CALL, HALT };

static int32_t twice(int32_t v) { return v * 2; }
static int32_t third(int32_t v) { return v / 3; }
static int32_t mix(int32_t v) { return v ^ v >> 7; }

static int32_t (*const calls[])(int32_t) = {twice, third, mix};

static int32_t interpret(const int8_t *code)
{
	int32_t stack[16] = {0}, *sp = stack, counter = 5;
	for (const int8_t *pc = code;;) {
		switch (*pc++) {
		case PUSH: *++sp = *pc++; break;
		case ADD: sp--; *sp += sp[1]; break;
		case SUB: sp--; *sp -= sp[1]; break;
		case MUL: sp--; *sp *= sp[1]; break;
		case DUP: sp[1] = *sp; sp++; break;
		case SWAP: { int32_t t = *sp; *sp = sp[-1]; sp[-1] = t; break; }
		case LOOP: if (--counter > 0) pc = code + *pc; else pc++; break;
		case AND: sp--; *sp &= sp[1]; break;
		case OR: sp--; *sp |= sp[1]; break;
		case XOR: sp--; *sp ^= sp[1]; break;
		case SHL: sp--; *sp = (int32_t)((uint32_t)*sp << (sp[1] & 31)); break;
		case SHR: sp--; *sp >>= sp[1] & 31; break;
		case NEG: *sp = -*sp; break;
		case CALL: *sp = calls[*pc++](*sp); break;
		case HALT: return *sp;
		default: return -1;
		}
	}
}

static uint32_t total(int n, ...)
{
	va_list ap;
	uint32_t v = 0;
	va_start(ap, n);
	for (int i = 0; i < n; i++)
		v = v * 3 + (i % 3 == 2 ? (uint32_t)(va_arg(ap, uint64_t) >> 5) : va_arg(ap, uint32_t));
	va_end(ap);
	return v;
}

__attribute__((section(".ramcode"), noinline, long_call)) static uint32_t in_ram(uint32_t n)
{
	uint32_t a = 0, b = 1;
	while (n--) {
		uint32_t t = a + b;
		a = b;
		b = t;
	}
	return a;
}

/* spread has a wide switch with a table of halfwords. */
static uint32_t spread(uint32_t v)
{
#define STEP(k) case k: v = v * (2 * k + 3) + (v >> (k & 15)) + 0x1234567u * k; break;
#define STEPS(k) STEP((k)) STEP((k + 1)) STEP((k + 2)) STEP((k + 3)) STEP((k + 4)) STEP((k + 5))
	switch (v % 26) {
		STEPS(0) STEPS(6) STEPS(12) STEPS(18)
	default: v ^= 0x55aa55aau;
	}
	return v;
}

uint32_t dispatch(uint32_t seed)
{
	static const int8_t code[] = {
		PUSH, 3, PUSH, 7, DUP, MUL, ADD, CALL, 0, PUSH, 5, XOR, CALL, 2, PUSH, 2, SHL, NEG, CALL, 1,
		PUSH, 13, SUB, PUSH, 127, AND, PUSH, 64, OR, PUSH, 1, SWAP, ADD, LOOP, 2, PUSH, 1, SHR, HALT,
	};
	uint32_t v = (uint32_t)interpret(code);
	for (int i = 0; i < 12; i++)
		v = v * 31 + spread(next(&seed) >> 4);
	return v + total(6, 1u, 2u, (uint64_t)v << 20, 4u, 5u, (uint64_t)1 << 63) + in_ram(30);
}
