// A data logger for a boat: motion, position, telemetry. The sensors are
// synthetic, everything else does what it says.
#include "cpu.h"
#include "crc32.h"
#include "kernel.h"
#include "mission.h"
#include "navigation.h"
#include "sensors.h"
#include "settings.h"
#include "telemetry.h"
#include "timer.h"

#define STACK_WORDS 256
#define TELEMETRY_STACK_WORDS 512 // parses and prints

static uint32_t sensor_stack[STACK_WORDS] __attribute__((aligned(8)));
static uint32_t navigation_stack[STACK_WORDS] __attribute__((aligned(8)));
static uint32_t telemetry_stack[TELEMETRY_STACK_WORDS] __attribute__((aligned(8)));
static struct task sensor, navigation, telemetry;
static struct timer mission_timer;

extern const uint8_t _etext[];
volatile uint32_t firmware_crc;

static void follow_schedule(void *argument) {
	(void)argument;
	mission_update(kernel_now());
}

static __attribute__((noinline, noreturn)) void idle(void) {
	for (;;)
		wait_for_interrupt();
}

int main(void) {
	crc32_init();
	firmware_crc = crc32((const void *)0x08000000, (size_t)(_etext - (const uint8_t *)0x08000000));
	settings_apply(settings_document);
	sensors_init();
	navigation_init();
	timer_start(&mission_timer, 100, follow_schedule, 0);
	task_create(&sensor, "sensor", 3, sensor_stack, STACK_WORDS, sensor_task, 0);
	task_create(&navigation, "navigation", 2, navigation_stack, STACK_WORDS, navigation_task, 0);
	task_create(&telemetry, "telemetry", 1, telemetry_stack, TELEMETRY_STACK_WORDS, telemetry_task, 0);
	kernel_start();
	idle();
}
