/*
 * tasks.c: two tasks and an interrupt under a small preemptive kernel. The controller runs every 5 ms and interrupts
 * the logger, whose report takes longer than that.
 */
#include "board.h"
#include "kernel.h"
#include "mprof.h"

#define NOINLINE __attribute__((noinline))
#define STACK_WORDS 160

enum { CONTROLLER = 2, LOGGER = 1 };

static uint32_t memory[BOARD_MPROF_WORDS];
uint32_t controller_stack[STACK_WORDS] __attribute__((aligned(8)));
uint32_t logger_stack[STACK_WORDS] __attribute__((aligned(8)));

static volatile int32_t level, valve;
static int32_t history[16];
static volatile uint32_t sum, samples;

/* The tank empties and is filled by the valve. */
NOINLINE int32_t read_level(void) {
	board_spin(60); /* the converter */
	return level += valve / 16 - 9;
}

NOINLINE int32_t filtered(int32_t value) {
	int32_t total = 0;
	for (int i = 15; i > 0; i--)
		total += history[i] = history[i - 1];
	history[0] = value;
	return (total + value) / 16;
}

NOINLINE int32_t regulated(int32_t error) {
	static int32_t integral;
	integral += error;
	return error / 4 + integral / 64;
}

NOINLINE void control(void) {
	valve = regulated(1000 - filtered(read_level()));
	board_spin(20);
}

static void controller(void) {
	for (;;) {
		control();
		kernel_sleep(5);
	}
}

NOINLINE uint32_t checksum(const uint8_t *bytes, uint32_t n) {
	uint32_t crc = 0xFFFF;
	while (n--) {
		crc ^= (uint32_t)*bytes++ << 8;
		for (int i = 0; i < 8; i++)
			crc = crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1;
	}
	return crc & 0xFFFF;
}

NOINLINE void format(uint8_t *line, int32_t value) {
	for (int i = 0; i < 64; i++) {
		line[63 - i] = (uint8_t)('0' + (value >> i % 24 & 7));
		board_spin(25);
	}
}

NOINLINE void report(void) {
	uint8_t line[64];
	format(line, level);
	for (int i = 0; i < 4; i++)
		sum += checksum(line, sizeof line);
	board_spin(2000); /* writes a page */
}

static void logger(void) {
	for (;;) {
		report();
		kernel_sleep(20);
	}
}

NOINLINE void sample(void) {
	board_spin(15);
	samples++;
}

void board_tick(void) {
	mprof_systick(); /* only needed where SysTick measures */
	sample();
	kernel_tick();
}

void board_alarm(void) {}

NOTRACE int main(void) {
	board_init();
	board_start_tick(997);
	mprof_init(&(struct mprof_config){
		.memory = memory, .size = sizeof memory, .name = "tasks", .hz = BOARD_HZ, .contexts = KERNEL_TASKS});
	kernel_create(CONTROLLER, "controller", controller_stack, STACK_WORDS, controller);
	kernel_create(LOGGER, "logger", logger_stack, STACK_WORDS, logger);
	kernel_start();
	for (;;)
		mprof_poll();
}
