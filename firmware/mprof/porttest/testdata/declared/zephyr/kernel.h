/* Of Zephyr what docs/firmware-ports.md touches: kernel.h, irq.h, and of tracing_user.h two functions. */
#ifndef KERNEL_H
#define KERNEL_H
#include <stddef.h>
#include <stdint.h>
struct k_thread;
typedef struct k_thread *k_tid_t;
k_tid_t k_sched_current_thread_query(void);
const char *k_thread_name_get(k_tid_t thread);
unsigned int irq_lock(void);
void irq_unlock(unsigned int key);
void sys_trace_thread_create_user(struct k_thread *thread);
void sys_trace_thread_switched_in_user(void);
void name_threads(void);
#endif
