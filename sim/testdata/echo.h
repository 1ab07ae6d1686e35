// An echo on every UART of a board: what every variant of the program shares.
#include <stdbool.h>
#include <stdint.h>

#define REG(addr) (*(volatile uint32_t *)(addr))
#define CLOCK 16000000u

enum { RING = 256 };

// A ring between one writer and one reader, of which one may be an interrupt.
struct ring {
	volatile uint32_t head, tail;
	uint8_t bytes[RING];
};

static inline bool put(struct ring *r, uint8_t b)
{
	if (r->head - r->tail == RING)
		return false;
	r->bytes[r->head % RING] = b;
	r->head++;
	return true;
}

static inline int take(struct ring *r)
{
	if (r->head == r->tail)
		return -1;
	return r->bytes[r->tail++ % RING];
}

static inline void enable_irq(int n)
{
	REG(0xe000e100 + 4 * (n / 32)) = 1u << (n % 32);
}

// Other bits than those received, so that an echo of the host's is not taken for one.
static inline uint8_t turned(uint8_t b)
{
	return b ^ 0x20;
}

void start(void);
void poll(void);

extern uint32_t __data_load[], __data_start[], __data_end[], __bss_start[], __bss_end[], __stack_top[];

void reset_handler(void)
{
	uint32_t *from = __data_load;
	for (uint32_t *to = __data_start; to < __data_end;)
		*to++ = *from++;
	for (uint32_t *to = __bss_start; to < __bss_end;)
		*to++ = 0;
	start();
	for (;;)
		poll();
}

void fault_handler(void)
{
	for (;;)
		;
}
