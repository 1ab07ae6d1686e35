/* The C library's memory and string functions, a small parser. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "program.h"

static char buffer[160], copy[160];

/* expression: sums of products of numbers and parentheses. */
static const char *cursor;
static long sum(void);

static long atom(void)
{
	while (isspace((unsigned char)*cursor))
		cursor++;
	if (*cursor == '(') {
		cursor++;
		long v = sum();
		if (*cursor == ')')
			cursor++;
		return v;
	}
	char *end;
	long v = strtol(cursor, &end, 0);
	cursor = end;
	return v;
}

static long product(void)
{
	long v = atom();
	for (;;) {
		while (*cursor == ' ')
			cursor++;
		if (*cursor == '*') {
			cursor++;
			v *= atom();
		} else if (*cursor == '/') {
			cursor++;
			long d = atom();
			v = d ? v / d : 0;
		} else {
			return v;
		}
	}
}

static long sum(void)
{
	long v = product();
	for (;;) {
		if (*cursor == '+') {
			cursor++;
			v += product();
		} else if (*cursor == '-') {
			cursor++;
			v -= product();
		} else {
			return v;
		}
	}
}

static void reverse(char *s)
{
	for (char *e = s + strlen(s); s < --e; s++) {
		char c = *s;
		*s = *e;
		*e = c;
	}
}

uint32_t text(uint32_t seed)
{
	uint32_t h = 2166136261u;
	strcpy(buffer, "the quick brown fox jumps over the lazy dog");
	for (int i = 0; i < 4; i++) {
		uint32_t r = next(&seed);
		memcpy(copy + (r >> 8 & 7), buffer, strlen(buffer) + 1);
		memmove(copy + (r >> 12 & 7), copy + (r >> 16 & 7), 40);
		memset(copy + 90, (int)(r >> 24), r >> 4 & 31);
		copy[60] = 0;
		reverse(copy + 8);
		h = (h ^ (uint32_t)strlen(copy)) * 16777619u;
		h ^= (uint32_t)(strcmp(copy, buffer) > 0) + (uint32_t)(memcmp(copy, buffer, 20) < 0) * 2;
		const char *f = strstr(buffer, "lazy");
		h += (uint32_t)(f - buffer) + (strchr(buffer, 'q') != 0) + (strrchr(buffer, 'o') - buffer);
		strcat(copy, " tail");
	}
	static const char *const expressions[] = {
		"1+2*3", "(0x10+7)*(3-9)/2", "((12))*-3 + 0777 - 100000/7", "9*(8-(7*(6-(5*4))))",
	};
	for (unsigned i = 0; i < sizeof expressions / sizeof *expressions; i++) {
		cursor = expressions[i];
		h = h * 31 + (uint32_t)sum();
	}
	return h;
}
