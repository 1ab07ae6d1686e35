/*
 * registers.h: how the ports reach registers, and the few registers of the core that they need.
 *
 * With MPROF_REGISTERS_ELSEWHERE defined, whoever compiles a port provides the four functions: so the ports run
 * on a PC against a model of their hardware.
 */
#ifndef MPROF_REGISTERS_H
#define MPROF_REGISTERS_H

#include <stddef.h>
#include <stdint.h>

/* For every function of a port: the hooks must not call themselves. */
#define MPROF_BARE __attribute__((no_instrument_function))

#ifdef MPROF_REGISTERS_ELSEWHERE

uint32_t mprof_register(uint32_t address);
void mprof_set_register(uint32_t address, uint32_t value);
void mprof_barrier(void);
uint32_t mprof_address(const void *memory);

#else

MPROF_BARE static inline uint32_t mprof_register(uint32_t address)
{
	return *(volatile uint32_t *)address;
}

MPROF_BARE static inline void mprof_set_register(uint32_t address, uint32_t value)
{
	*(volatile uint32_t *)address = value;
}

/* What was written before is in memory, and registers before have their values (Armv7-M ARM A3.7.3, DSB). */
MPROF_BARE static inline void mprof_barrier(void)
{
	__asm volatile("dsb 0xf" ::: "memory");
}

/* The address of memory as a bus master sees it. */
MPROF_BARE static inline uint32_t mprof_address(const void *memory)
{
	return (uint32_t)memory;
}

#endif

MPROF_BARE static inline void mprof_set_bits(uint32_t address, uint32_t bits)
{
	mprof_set_register(address, mprof_register(address) | bits);
}

MPROF_BARE static inline void mprof_clear_bits(uint32_t address, uint32_t bits)
{
	mprof_set_register(address, mprof_register(address) & ~bits);
}

/* NVIC (Armv7-M ARM B3.4.3): set-enable and priority. Words, as ARMv6-M has nothing smaller. */
#define NVIC_ISER 0xE000E100u
#define NVIC_IPR 0xE000E400u

/* The ports' interrupts are the least urgent ones: a profiler must not delay what it measures. All lines of a port
 * have the same priority, so that mprof_port_irq never interrupts itself. */
#ifndef MPROF_UART_PRIORITY
#define MPROF_UART_PRIORITY 0xFFu
#endif

MPROF_BARE static inline void mprof_enable_interrupt(uint32_t line)
{
	uint32_t priority = NVIC_IPR + (line & ~3u), shift = 8 * (line & 3);

	mprof_set_register(priority, (mprof_register(priority) & ~(0xFFu << shift)) | (uint32_t)MPROF_UART_PRIORITY << shift);
	mprof_set_register(NVIC_ISER + 4 * (line / 32), 1u << (line % 32));
}

#endif
