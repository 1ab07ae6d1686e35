/* A main that goes over to the process stack and calls on from there, as
   kernels start: its frame stays on the main stack. LEAVE drops privileges, too,
   by what CONTROL held before. */
#include <stdint.h>
#include <string.h>

static uint32_t process[256], block[64];
volatile uint32_t sum;

__attribute__((noinline)) static uint32_t down(uint32_t n) {
	volatile uint32_t local[3] = {n, sum, 1};
	return n ? down(n - 1) + local[0] : local[1];
}

__attribute__((noinline)) static void task(uint32_t n) {
	char text[48];
	for (;; n++) {
		memset(text, 'a' + n % 20, sizeof text - 1);
		text[sizeof text - 1] = 0;
		sum += down(n % 7) + strlen(text);
		for (int i = 0; i < 64; i++)
			block[i] += sum >> i % 8;
	}
}

/* Privilege alone: the stack stays. */
__attribute__((noinline)) static void lower(uint32_t n) {
	uint32_t control;
	__asm volatile("mrs %0, control" : "=r"(control));
	control |= 1;
	__asm volatile("msr control, %0\n isb" ::"r"(control) : "memory");
	task(n);
	sum++;
}

static void (*volatile run)(uint32_t) = lower; /* not on the stack that main leaves */

int main(void) {
	__asm volatile("msr psp, %0" ::"r"(process + 256));
#ifdef LEAVE
	uint32_t control;
	__asm volatile("mrs %0, control" : "=r"(control));
	control |= 2;
#else
	uint32_t control = 2;
#endif
	__asm volatile("msr control, %0\n isb" ::"r"(control) : "memory");
	run(5);
	for (;;)
		;
}

void SysTick_Handler(void) { sum += down(2); }
void PendSV_Handler(void) {}
void SVC_Handler(void) {}
