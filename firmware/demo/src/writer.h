// JSON text into a buffer.
#ifndef WRITER_H
#define WRITER_H

#include <stddef.h>
#include <stdint.h>

struct writer {
	char *start, *next, *end;
	int comma; // a comma goes before the next item
};

void writer_begin(struct writer *w, char *buffer, size_t size);
void write_open(struct writer *w, const char *key, char bracket);
void write_close(struct writer *w, char bracket);
void write_string(struct writer *w, const char *key, const char *value);
void write_fixed(struct writer *w, const char *key, int32_t value, unsigned decimals);
size_t writer_finish(struct writer *w); // bytes without the terminator

#endif
