// Text that does not fit is cut.
#include "writer.h"

#include <string.h>

static inline void put(struct writer *w, char c) {
	if (w->next < w->end)
		*w->next++ = c;
}

static __attribute__((noinline)) void put_text(struct writer *w, const char *s) {
	size_t n = strlen(s), room = (size_t)(w->end - w->next);
	if (n > room)
		n = room;
	memcpy(w->next, s, n);
	w->next += n;
}

static void item(struct writer *w, const char *key) {
	if (w->comma)
		put(w, ',');
	w->comma = 1;
	if (!key)
		return;
	put(w, '"');
	put_text(w, key);
	put(w, '"');
	put(w, ':');
}

void writer_begin(struct writer *w, char *buffer, size_t size) {
	*w = (struct writer){buffer, buffer, buffer + size - 1, 0};
}

void write_open(struct writer *w, const char *key, char bracket) {
	item(w, key);
	put(w, bracket);
	w->comma = 0;
}

void write_close(struct writer *w, char bracket) {
	put(w, bracket);
	w->comma = 1;
}

void write_string(struct writer *w, const char *key, const char *value) {
	item(w, key);
	put(w, '"');
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			put(w, '\\');
		put(w, *value);
	}
	put(w, '"');
}

static __attribute__((noinline)) void put_decimal(struct writer *w, uint32_t value, unsigned decimals) {
	char digits[12];
	unsigned n = 0;
	do {
		digits[n++] = (char)('0' + value % 10);
		value /= 10;
		if (n == decimals)
			digits[n++] = '.';
	} while (value || n < decimals + 2u * (decimals > 0));
	while (n)
		put(w, digits[--n]);
}

__attribute__((noinline)) void write_fixed(struct writer *w, const char *key, int32_t value, unsigned decimals) {
	item(w, key);
	if (value < 0)
		put(w, '-');
	put_decimal(w, value < 0 ? 0u - (uint32_t)value : (uint32_t)value, decimals);
}

size_t writer_finish(struct writer *w) {
	*w->next = 0;
	return (size_t)(w->next - w->start);
}
