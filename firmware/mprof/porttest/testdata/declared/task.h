/* Of FreeRTOS's task.h, and of the task control block of tasks.c, with configUSE_TRACE_FACILITY. */
#ifndef TASK_H
#define TASK_H
#if configUSE_TRACE_FACILITY != 1
#error "configUSE_TRACE_FACILITY"
#endif
typedef struct tskTaskControlBlock {
	char pcTaskName[16];
	UBaseType_t uxTCBNumber, uxTaskNumber;
} TCB_t;
typedef struct tskTaskControlBlock *TaskHandle_t;
void vTaskSetTaskNumber(TaskHandle_t xTask, const UBaseType_t uxHandle);
extern TCB_t *volatile pxCurrentTCB;
void name_task(TaskHandle_t task, uint16_t id, const char *name);
#endif
