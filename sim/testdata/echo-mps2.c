// Echo on an MPS2 with the FPGA image AN385: UART0 by polling, UART1 by interrupts. UART2 sends a line at the start.
#include "echo.h"

struct uart {
	uint32_t data, state, ctrl, intstatus, bauddiv;
};

#define UART0 ((volatile struct uart *)0x40004000)
#define UART1 ((volatile struct uart *)0x40005000)
#define UART2 ((volatile struct uart *)0x40006000)

enum { TX_FULL = 1, RX_FULL = 2 };
enum { TX_EN = 1, RX_EN = 2, TX_INT = 4, RX_INT = 8 };

static struct ring out;
static volatile bool sending;
volatile uint32_t overruns;

void uart1_rx_handler(void)
{
	UART1->intstatus = RX_INT >> 2;
	while (UART1->state & RX_FULL) {
		uint8_t b = turned(UART1->data);
		if (!sending) {
			sending = true;
			UART1->data = b;
		} else
			put(&out, b);
	}
}

void uart1_tx_handler(void)
{
	UART1->intstatus = TX_INT >> 2;
	int b = take(&out);
	if (b < 0)
		sending = false;
	else
		UART1->data = b;
}

void overrun_handler(void)
{
	overruns++;
	UART0->state = UART1->state = 0xc;
}

static void say(const char *s)
{
	for (; *s; s++) {
		while (UART2->state & TX_FULL)
			;
		UART2->data = *s;
	}
}

void start(void)
{
	UART0->bauddiv = CLOCK / 115200;
	UART0->ctrl = TX_EN | RX_EN;
	UART1->bauddiv = CLOCK / 460800;
	UART1->ctrl = TX_EN | RX_EN | TX_INT | RX_INT;
	UART2->bauddiv = CLOCK / 57600;
	UART2->ctrl = TX_EN;
	enable_irq(2);
	enable_irq(3);
	enable_irq(12);
	say("echo on UART0 and UART1\r\n");
}

void poll(void)
{
	if (UART0->state & RX_FULL) {
		uint8_t b = turned(UART0->data);
		while (UART0->state & TX_FULL)
			;
		UART0->data = b;
	}
}

__attribute__((section(".isr_vector"), used)) void *const vectors_[16 + 32] = {
	__stack_top, reset_handler, fault_handler, fault_handler, fault_handler, fault_handler, fault_handler,
	[16 + 2] = uart1_rx_handler, [16 + 3] = uart1_tx_handler, [16 + 12] = overrun_handler,
};
