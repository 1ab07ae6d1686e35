// timer.c: starts a port's timer, whose registers are memory here, with the interval of the command line in microseconds. Prints
// what profile_on would be told, the prescaler, the shortest and the longest reload of 1000 intervals.
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "gprof_port.h"

static void registers(uintptr_t page)
{
	if (mmap((void *)page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != (void *)page) {
		perror("mmap");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	uint32_t shortest = UINT32_MAX, longest = 0;
	struct gprof_interval i;

	registers(TIMER_PAGE);
	registers(0x40023000);
	registers(0xE000E000);
	i = gprof_timer_start(argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 0);
	for (int n = 0; n < 1000; n++) {
		uint32_t reload = *(volatile uint32_t *)(uintptr_t)TIMER_RELOAD_AT;
		shortest = reload < shortest ? reload : shortest;
		longest = reload > longest ? reload : longest;
		gprof_timer_clear();
	}
	printf("%u %u %u %u %u\n", i.hz, i.period, *(volatile uint32_t *)(uintptr_t)TIMER_PRESCALER_AT, shortest, longest);
	return 0;
}
