// Keys are looked up by path in a table of setters.
#include "settings.h"

#include <string.h>

#include "json.h"

static struct settings settings = {.report_ms = 100, .scrub_pages = 2};

const char settings_document[] =
	"{ \"name\": \"lake-7\", \"report\": { \"period\": 0.100, \"fields\": [ \"time\", \"pos\", \"att\", \"stat\" ] },\n"
	"  \"journal\": { \"scrub\": 2, \"compress\": true, \"limits\": [ 120, 250.5, 375, -40, 12.25 ] },\n"
	"  \"zones\": [\n"
	"    { \"id\": 1, \"name\": \"harbour\", \"radius\": 350, \"corners\": [ [47.3851, 8.5432], [47.3862, 8.5501], [47.3807, 8.5519] ] },\n"
	"    { \"id\": 2, \"name\": \"channel\", \"radius\": 1200, \"corners\": [ [47.3651, 8.5632], [47.3662, 8.5701], [47.3607, 8.5719] ],\n"
	"      \"rules\": [ { \"if\": { \"speed\": { \"above\": 12.5 } }, \"then\": { \"report\": 0.05, \"notify\": [ \"ground\", \"crew\" ] } } ] },\n"
	"    { \"id\": 3, \"name\": \"reeds\", \"radius\": 90.5, \"closed\": false, \"corners\": [ [47.3412, 8.5932], [47.3433, 8.5944] ],\n"
	"      \"rules\": [ { \"if\": { \"season\": [ 3, 4, 5 ] }, \"then\": { \"notify\": [ \"warden\" ] } } ] }\n"
	"  ] }";

static void set_report(int32_t v) { settings.report_ms = v; }
static void set_scrub(int32_t v) { settings.scrub_pages = v / 1000; }
static void add_limit(int32_t v) { settings.limit_sum += v; }
static void add_zone(int32_t v) { settings.zones += v > 0; }

static void widen(int32_t v) {
	if (v > settings.radius_max)
		settings.radius_max = v;
}

static const struct {
	const char *path; // keys, "*" for an array
	void (*set)(int32_t thousandths);
} setters[] = {
	{"report.period", set_report}, {"journal.scrub", set_scrub}, {"journal.limits.*", add_limit},
	{"zones.*.id", add_zone},      {"zones.*.radius", widen},
};

static __attribute__((noinline)) bool path_matches(const char *pattern, const struct json_key *path, unsigned depth) {
	for (unsigned i = 0; i < depth; i++) {
		if (i && *pattern++ != '.')
			return false;
		if (!path[i].text) {
			if (*pattern++ != '*')
				return false;
			continue;
		}
		if (strncmp(pattern, path[i].text, path[i].length))
			return false;
		pattern += path[i].length;
	}
	return *pattern == 0;
}

static void on_number(void *context, const struct json_key *path, unsigned depth, int32_t thousandths) {
	(void)context;
	for (unsigned i = 0; i < sizeof setters / sizeof setters[0]; i++)
		if (path_matches(setters[i].path, path, depth)) {
			setters[i].set(thousandths);
			return;
		}
}

static void on_string(void *context, const struct json_key *path, unsigned depth, const char *text, size_t length) {
	struct settings *s = context;
	if (!path_matches("name", path, depth))
		return;
	if (length >= sizeof s->name)
		length = sizeof s->name - 1;
	memcpy(s->name, text, length);
	s->name[length] = 0;
}

bool settings_apply(const char *json) {
	const struct json_visitor visitor = {on_number, on_string, &settings};
	settings.zones = settings.limit_sum = settings.radius_max = 0;
	if (!json_parse(json, &visitor))
		return false;
	settings.revision++;
	return true;
}

const struct settings *settings_current(void) { return &settings; }
