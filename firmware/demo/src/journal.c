// A ring of pages in RAM. A page that is full is sealed with its CRC-32.
#include "journal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "crc32.h"
#include "lz.h"

#define PAYLOAD (JOURNAL_PAGE_SIZE - 8)

struct page {
	uint16_t used, sealed;
	uint8_t data[PAYLOAD];
	uint32_t crc;
};

static struct page pages[JOURNAL_PAGES];
static unsigned writing, scrubbing, uploading;
static uint32_t total;
static uint8_t packed[JOURNAL_PAGE_SIZE + JOURNAL_PAGE_SIZE / 64];

static inline uint32_t page_crc(const struct page *p) { return crc32(p->data, p->used); }

static void seal(struct page *p) {
	p->crc = page_crc(p);
	p->sealed = 1;
}

static struct page *next_page(void) {
	writing = (writing + 1) % JOURNAL_PAGES;
	struct page *p = &pages[writing];
	memset(p, 0, sizeof *p);
	return p;
}

__attribute__((noinline)) void journal_append(const void *record, size_t size) {
	struct page *p = &pages[writing];
	if (p->used + size + 2 > PAYLOAD) {
		seal(p);
		p = next_page();
	}
	p->data[p->used++] = (uint8_t)size;
	p->data[p->used++] = (uint8_t)(size >> 8);
	memcpy(p->data + p->used, record, size);
	p->used = (uint16_t)(p->used + size);
	total += size;
}

void journal_log(const char *format, ...) {
	char line[96];
	va_list arguments;
	va_start(arguments, format);
	int n = vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	if (n > 0)
		journal_append(line, strlen(line));
}

uint32_t journal_scrub(unsigned count) {
	uint32_t damaged = 0;
	while (count--) {
		scrubbing = (scrubbing + 1) % JOURNAL_PAGES;
		const struct page *p = &pages[scrubbing];
		if (p->sealed && page_crc(p) != p->crc)
			damaged++;
	}
	return damaged;
}

// send_framed stuffs bytes as SLIP does (RFC 1055).
static __attribute__((noinline)) void send_framed(const uint8_t *data, size_t size, void (*send)(uint8_t)) {
	for (size_t i = 0; i < size; i++) {
		switch (data[i]) {
		case 0xc0:
			send(0xdb);
			send(0xdc);
			break;
		case 0xdb:
			send(0xdb);
			send(0xdd);
			break;
		default:
			send(data[i]);
		}
	}
	send(0xc0);
}

size_t journal_upload(void (*send)(uint8_t byte)) {
	uploading = (uploading + 1) % JOURNAL_PAGES;
	const struct page *p = &pages[uploading];
	if (!p->sealed)
		return 0;
	size_t n = lz_compress(p->data, p->used, packed, sizeof packed - 4);
	if (!n)
		return 0;
	uint32_t crc = crc32(packed, n);
	memcpy(packed + n, &crc, 4);
	send_framed(packed, n + 4, send);
	return n + 4;
}

uint32_t journal_bytes(void) { return total; }
