// The journal: pages of records with a CRC, and their upload.
#ifndef JOURNAL_H
#define JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOURNAL_PAGE_SIZE 1024
#define JOURNAL_PAGES 16

void journal_append(const void *record, size_t size);
void journal_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
uint32_t journal_scrub(unsigned pages);                  // checks pages, returns how many are damaged
size_t journal_upload(void (*send)(uint8_t byte));       // compresses and sends the next page
uint32_t journal_bytes(void);

#endif
