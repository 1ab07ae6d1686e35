// Echo on an STM32F405 at 16 MHz (RM0090): USART2 by polling, USART1 by interrupts, USART3 (DMA1) and USART6 (DMA2) by
// DMA: received into a circular buffer, looked at when it is half full, full, or the line is idle.
#include "echo.h"

struct usart {
	uint32_t sr, dr, brr, cr1, cr2, cr3, gtpr;
};

#define USART1 ((volatile struct usart *)0x40011000)
#define USART2 ((volatile struct usart *)0x40004400)
#define USART3 ((volatile struct usart *)0x40004800)
#define USART6 ((volatile struct usart *)0x40011400)

#define RCC_CR REG(0x40023800)
#define RCC_PLLCFGR REG(0x40023804)
#define RCC_CFGR REG(0x40023808)
#define RCC_AHB1ENR REG(0x40023830)
#define RCC_APB1ENR REG(0x40023840)
#define RCC_APB2ENR REG(0x40023844)
#define FLASH_ACR REG(0x40023c00)

enum { IDLE = 1 << 4, RXNE = 1 << 5, TXE = 1 << 7 };
enum { RE = 1 << 2, TE = 1 << 3, IDLEIE = 1 << 4, RXNEIE = 1 << 5, TXEIE = 1 << 7, UE = 1 << 13, OVER8 = 1 << 15 };
enum { DMAR = 1 << 6, DMAT = 1 << 7 };
enum { EN = 1, HTIE = 8, TCIE = 16, TO_PERIPHERAL = 1 << 6, CIRC = 1 << 8, MINC = 1 << 10 };
enum { HTIF = 16, TCIF = 32, ALL = 0x3d };

static void pin(int port, int n, int function)
{
	uint32_t base = 0x40020000 + 0x400 * port, afr = base + 0x20 + n / 8 * 4;
	RCC_AHB1ENR |= 1u << port;
	REG(afr) = (REG(afr) & ~(15u << n % 8 * 4)) | function << n % 8 * 4;
	REG(base) = (REG(base) & ~(3u << 2 * n)) | 2u << 2 * n;
}

// What start-up code does that uses the PLL; the clock of the board stays what it is.
static void clocks(void)
{
	RCC_CR |= 1 << 16;
	while (!(RCC_CR & 1 << 17))
		;
	RCC_PLLCFGR = 8 | 128 << 6 | 3 << 16 | 1 << 22 | 7 << 24;
	RCC_CR |= 1 << 24;
	while (!(RCC_CR & 1 << 25))
		;
	FLASH_ACR = 5 | 7 << 8;
	while ((FLASH_ACR & 7) != 5)
		;
	RCC_CFGR = 4 << 13 | 5 << 10 | 2; // APB2 by 2, APB1 by 4, PLL
	while ((RCC_CFGR >> 2 & 3) != 2)
		;
}

// A DMA echo: what came is turned and put into a buffer that the DMA sends.
struct echo {
	volatile struct usart *usart;
	uint32_t dma;
	int rx, tx;
	uint8_t came[64];
	uint8_t goes[2][64];
	uint32_t seen, filled;
	int which;
	volatile bool sending;
};

static struct echo dma1 = {USART3, 0x40026000, 1, 3}, dma2 = {USART6, 0x40026400, 1, 6};

#define STREAM(e, n, reg) REG((e)->dma + 0x10 + 0x18 * (n) + (reg))

static uint32_t flags(struct echo *e, int stream)
{
	static const uint8_t shifts[] = {0, 6, 16, 22};
	uint32_t shift = shifts[stream & 3], high = stream / 4 * 4;
	uint32_t set = REG(e->dma + high) >> shift & ALL;
	REG(e->dma + 8 + high) = set << shift;
	return set;
}

static void send(struct echo *e)
{
	if (e->sending || e->filled == 0)
		return;
	e->sending = true;
	STREAM(e, e->tx, 0x08) = (uintptr_t)&e->usart->dr;
	STREAM(e, e->tx, 0x0c) = (uintptr_t)e->goes[e->which];
	STREAM(e, e->tx, 0x04) = e->filled;
	STREAM(e, e->tx, 0x00) = (e == &dma2 ? 5u : 4u) << 25 | MINC | TO_PERIPHERAL | TCIE | EN;
	e->which ^= 1;
	e->filled = 0;
}

static void look(struct echo *e)
{
	uint32_t at = sizeof e->came - STREAM(e, e->rx, 0x04);
	while (e->seen != at % sizeof e->came) {
		if (e->filled < sizeof e->goes[0])
			e->goes[e->which][e->filled++] = turned(e->came[e->seen]);
		e->seen = (e->seen + 1) % sizeof e->came;
	}
	send(e);
}

static void dma_sent(struct echo *e)
{
	if (flags(e, e->tx) & TCIF) {
		e->sending = false;
		send(e);
	}
}

static void dma_came(struct echo *e)
{
	if (flags(e, e->rx) & (HTIF | TCIF))
		look(e);
}

static void dma_idle(struct echo *e)
{
	if (e->usart->sr & IDLE) {
		(void)e->usart->dr;
		look(e);
	}
}

static void start_dma(struct echo *e, uint32_t brr, uint32_t samples)
{
	e->usart->brr = brr;
	e->usart->cr3 = DMAR | DMAT;
	e->usart->cr1 = UE | TE | RE | IDLEIE | samples;
	STREAM(e, e->rx, 0x08) = (uintptr_t)&e->usart->dr;
	STREAM(e, e->rx, 0x0c) = (uintptr_t)e->came;
	STREAM(e, e->rx, 0x04) = sizeof e->came;
	STREAM(e, e->rx, 0x00) = (e == &dma2 ? 5u : 4u) << 25 | MINC | CIRC | HTIE | TCIE | EN;
}

static struct ring out;

void usart1_handler(void)
{
	uint32_t sr = USART1->sr;
	if (sr & RXNE) {
		put(&out, turned(USART1->dr));
		USART1->cr1 |= TXEIE;
	}
	if (sr & TXE && USART1->cr1 & TXEIE) {
		int b = take(&out);
		if (b < 0)
			USART1->cr1 &= ~TXEIE;
		else
			USART1->dr = b;
	}
}

void usart3_handler(void) { dma_idle(&dma1); }
void dma1_stream1_handler(void) { dma_came(&dma1); }
void dma1_stream3_handler(void) { dma_sent(&dma1); }
void usart6_handler(void) { dma_idle(&dma2); }
void dma2_stream1_handler(void) { dma_came(&dma2); }
void dma2_stream6_handler(void) { dma_sent(&dma2); }

void start(void)
{
	clocks();
	RCC_AHB1ENR |= 3 << 21;
	RCC_APB1ENR |= 1 << 17 | 1 << 18;
	RCC_APB2ENR |= 1 << 4 | 1 << 5;
	pin(0, 9, 7), pin(0, 10, 7);  // USART1
	pin(0, 2, 7), pin(0, 3, 7);   // USART2
	pin(1, 10, 7), pin(1, 11, 7); // USART3
	pin(2, 6, 8), pin(2, 7, 8);   // USART6
	USART2->brr = CLOCK / 4 / 115200;
	USART2->cr1 = UE | TE | RE;
	USART1->brr = CLOCK / 2 / 460800;
	USART1->cr1 = UE | TE | RE | RXNEIE;
	start_dma(&dma1, CLOCK / 4 / 57600, 0);
	start_dma(&dma2, 2 << 4, OVER8); // 500000 baud
	enable_irq(37);
	enable_irq(39);
	enable_irq(71);
	enable_irq(12);
	enable_irq(14);
	enable_irq(57);
	enable_irq(69);
}

void poll(void)
{
	if (USART2->sr & RXNE) {
		uint8_t b = turned(USART2->dr);
		while (!(USART2->sr & TXE))
			;
		USART2->dr = b;
	}
}

__attribute__((section(".isr_vector"), used)) void *const vectors_[16 + 82] = {
	__stack_top, reset_handler, fault_handler, fault_handler, fault_handler, fault_handler, fault_handler,
	[16 + 37] = usart1_handler, [16 + 39] = usart3_handler, [16 + 71] = usart6_handler,
	[16 + 12] = dma1_stream1_handler, [16 + 14] = dma1_stream3_handler,
	[16 + 57] = dma2_stream1_handler, [16 + 69] = dma2_stream6_handler,
};
