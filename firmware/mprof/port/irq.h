/*
 * irq.h: what the application calls from its vectors.
 */
#ifndef MPROF_IRQ_H
#define MPROF_IRQ_H

#ifdef __cplusplus
extern "C" {
#endif

/* Serves every interrupt of the port: from the vectors of the UART and, where the port uses it, of the DMA stream.
 * Both must have the same priority, as mprof_port_init sets them.
 * A port compiled with MPROF_UART_HANDLER=USART2_IRQHandler (and MPROF_DMA_HANDLER=DMA1_Stream6_IRQHandler) has
 * the handlers itself. */
void mprof_port_irq(void);

#ifdef __cplusplus
}
#endif
#endif
