/* Of ThreadX what docs/firmware-ports.md touches: tx_api.h's TX_THREAD, tx_execution_profile.h. */
#ifndef TX_API_H
#define TX_API_H
#include <stdint.h>
#include "tx_user.h"
typedef char CHAR;
typedef struct TX_THREAD_STRUCT {
	CHAR *tx_thread_name;
	TX_THREAD_USER_EXTENSION
} TX_THREAD;
#ifdef TX_ENABLE_EXECUTION_CHANGE_NOTIFY
void _tx_execution_thread_enter(void);
void _tx_execution_thread_exit(void);
void _tx_execution_isr_enter(void);
void _tx_execution_isr_exit(void);
#endif
void number_thread(TX_THREAD *thread, unsigned short id);
#endif
