// A recursive parser of JSON that calls back for every number, string and
// literal, with the path of keys that leads to it.
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_MAX_DEPTH 12

struct json_key {
	const char *text; // in the document, not terminated; 0 in an array
	uint16_t length, index;
};

struct json_visitor {
	void (*number)(void *context, const struct json_key *path, unsigned depth, int32_t thousandths);
	void (*string)(void *context, const struct json_key *path, unsigned depth, const char *text, size_t length);
	void *context;
};

bool json_parse(const char *text, const struct json_visitor *v);

#endif
