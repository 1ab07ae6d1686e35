/* Of FreeRTOS what the macros on docs/firmware-ports.md touch: the Kernel's book and reference manual, "Trace Hook Macros"
 * and uxTaskGetSystemState (xTaskNumber, pcTaskName). */
#ifndef FREERTOS_H
#define FREERTOS_H
#include <stdint.h>
#include "FreeRTOSConfig.h"
typedef unsigned long UBaseType_t;
#ifndef traceTASK_CREATE
#error "traceTASK_CREATE"
#endif
#ifndef traceTASK_SWITCHED_IN
#error "traceTASK_SWITCHED_IN"
#endif
#endif
