/* MPROF_UART_HEADER: some of the five as macros, some as functions. */
#define mprof_uart_init() ((void)0)
#define mprof_uart_writable() ((*(volatile uint32_t *)0x40000000u & 1) != 0)
#define mprof_uart_write(byte) ((void)(*(volatile uint32_t *)0x40000004u = (byte)))

MPROF_BARE static inline void mprof_uart_tx_interrupt(bool on)
{
	*(volatile uint32_t *)0x40000008u = on;
}

MPROF_BARE static inline int mprof_uart_read(void)
{
	return -1;
}
