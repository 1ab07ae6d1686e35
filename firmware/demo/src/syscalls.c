// What newlib asks of the system: there is no heap.
#include <errno.h>
#include <stdint.h>

void *_sbrk(intptr_t increment);

void *_sbrk(intptr_t increment) {
	(void)increment;
	errno = ENOMEM;
	return (void *)-1;
}
