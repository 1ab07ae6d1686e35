/*
 * machine.h: a machine for one port on a PC: memory, an NVIC, the module's side of a port, and a model of the UART, driven
 * by lines on standard input (machine.c).
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a model provides. */
void model_step(void);                      /* the time of one byte passes */
bool model_pending(unsigned line);          /* the level of an interrupt line */
void model_taken(unsigned line);            /* its handler begins */
uint32_t model_read(uint32_t address);      /* a register */
void model_write(uint32_t address, uint32_t value);
void model_arrive(uint8_t byte, char error); /* a byte is on the line; error 'f': framing, 'n': noise, else none */
void model_fault(const char *what, unsigned after);

/* What the machine provides. */
void machine_transmitted(uint8_t byte);
bool machine_enabled(unsigned line);
unsigned machine_priority(unsigned line);
void machine_touched(void); /* the port has touched the model: a moment at which an interrupt may come */
void machine_complain(const char *format, ...);

/* Memory: what the core sees is where it is; what bus masters see lies beside. They differ while a data cache holds what
 * was written. */
extern bool machine_cached;
uint8_t machine_bus_byte(uint32_t address);
void machine_clean(uint32_t line);

#endif
