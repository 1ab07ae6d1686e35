// Recursive descent, one function for each rule of RFC 8259 section 2.
#include "json.h"

#include <string.h>

struct parser {
	const char *p;
	unsigned depth;
	const struct json_visitor *visitor;
	struct json_key path[JSON_MAX_DEPTH];
};

static bool parse_value(struct parser *s);

static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

static inline void skip_space(struct parser *s) {
	while (*s->p == ' ' || *s->p == '\n' || *s->p == '\t' || *s->p == '\r')
		s->p++;
}

static inline bool accept(struct parser *s, char c) {
	skip_space(s);
	if (*s->p != c)
		return false;
	s->p++;
	return true;
}

static __attribute__((noinline)) bool scan_string(struct parser *s, const char **text, size_t *length) {
	if (!accept(s, '"'))
		return false;
	*text = s->p;
	while (*s->p && *s->p != '"')
		s->p += *s->p == '\\' && s->p[1] ? 2 : 1;
	*length = (size_t)(s->p - *text);
	return accept(s, '"');
}

static __attribute__((noinline)) bool parse_number(struct parser *s) {
	bool negative = accept(s, '-');
	if (!is_digit(*s->p))
		return false;
	int32_t value = 0, decimals = 3;
	while (is_digit(*s->p))
		value = value * 10 + (*s->p++ - '0');
	if (*s->p == '.')
		for (s->p++; is_digit(*s->p); s->p++)
			if (decimals) {
				value = value * 10 + (*s->p - '0');
				decimals--;
			}
	while (decimals--)
		value *= 10;
	s->visitor->number(s->visitor->context, s->path, s->depth, negative ? -value : value);
	return true;
}

static bool parse_literal(struct parser *s) {
	static const char *const words[] = {"false", "true", "null"};
	for (int32_t i = 0; i < 3; i++) {
		size_t n = strlen(words[i]);
		if (strncmp(s->p, words[i], n))
			continue;
		s->p += n;
		s->visitor->number(s->visitor->context, s->path, s->depth, i == 1 ? 1000 : 0);
		return true;
	}
	return false;
}

static bool parse_string(struct parser *s) {
	const char *text;
	size_t length;
	if (!scan_string(s, &text, &length))
		return false;
	s->visitor->string(s->visitor->context, s->path, s->depth, text, length);
	return true;
}

static __attribute__((noinline)) bool parse_array(struct parser *s) {
	struct json_key *key = &s->path[s->depth++];
	*key = (struct json_key){0};
	s->p++;
	if (!accept(s, ']')) {
		do {
			if (!parse_value(s))
				return false;
			key->index++;
		} while (accept(s, ','));
		if (!accept(s, ']'))
			return false;
	}
	s->depth--;
	return true;
}

static __attribute__((noinline)) bool parse_member(struct parser *s, struct json_key *key) {
	size_t length;
	if (!scan_string(s, &key->text, &length) || !accept(s, ':'))
		return false;
	key->length = (uint16_t)length;
	return parse_value(s);
}

static __attribute__((noinline)) bool parse_object(struct parser *s) {
	struct json_key *key = &s->path[s->depth++];
	*key = (struct json_key){0};
	s->p++;
	if (!accept(s, '}')) {
		do {
			if (!parse_member(s, key))
				return false;
			key->index++;
		} while (accept(s, ','));
		if (!accept(s, '}'))
			return false;
	}
	s->depth--;
	return true;
}

static __attribute__((noinline)) bool parse_value(struct parser *s) {
	skip_space(s);
	switch (*s->p) {
	case '{':
		return s->depth < JSON_MAX_DEPTH && parse_object(s);
	case '[':
		return s->depth < JSON_MAX_DEPTH && parse_array(s);
	case '"':
		return parse_string(s);
	case 't':
	case 'f':
	case 'n':
		return parse_literal(s);
	default:
		return parse_number(s);
	}
}

bool json_parse(const char *text, const struct json_visitor *v) {
	struct parser s = {.p = text, .visitor = v};
	if (!parse_value(&s))
		return false;
	skip_space(&s);
	return *s.p == 0;
}
