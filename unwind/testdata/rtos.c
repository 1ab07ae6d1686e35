/* Threads switched by hand-written code in naked functions, as in common
 * kernels: r4-r11 and EXC_RETURN are kept on the thread's stack, the start of
 * the first thread goes through SVC, and a thread that returned would come to
 * thread_error. Links with startup.c, whose SysTick asks for the switches. */
#include <stdint.h>
#include <string.h>

void thread_error(void) {
	for (;;)
		;
}

struct thread {
	uint32_t *top;
	uint32_t stack[400];
};

static struct thread threads[3];
struct thread *volatile current = &threads[0];
volatile uint32_t sink;

static void create(struct thread *t, void (*entry)(void *), void *argument) {
	uint32_t *p = t->stack + sizeof t->stack / sizeof t->stack[0];
	*--p = 0x01000000;
	*--p = (uint32_t)entry & ~1u;
	*--p = (uint32_t)thread_error;
	p -= 4; /* r12, r3-r1 */
	*--p = (uint32_t)argument;
	*--p = 0xfffffffd;
	p -= 8; /* r11-r4 */
	t->top = p;
}

__attribute__((noinline)) void choose_next(void) {
	current = current == &threads[2] ? &threads[0] : current + 1;
}

__attribute__((naked)) void PendSV_Handler(void) {
	__asm volatile("mrs r0, psp\n"
	               "isb\n"
	               "ldr r3, =current\n"
	               "ldr r2, [r3]\n"
	               "stmdb r0!, {r4-r11, r14}\n"
	               "str r0, [r2]\n"
	               "stmdb sp!, {r0, r3}\n"
	               "mov r0, #32\n"
	               "msr basepri, r0\n"
	               "bl choose_next\n"
	               "mov r0, #0\n"
	               "msr basepri, r0\n"
	               "ldmia sp!, {r0, r3}\n"
	               "ldr r1, [r3]\n"
	               "ldr r0, [r1]\n"
	               "ldmia r0!, {r4-r11, r14}\n"
	               "msr psp, r0\n"
	               "isb\n"
	               "bx r14\n"
	               ".align 4\n");
}

__attribute__((naked)) void SVC_Handler(void) {
	__asm volatile("ldr r3, =current\n"
	               "ldr r1, [r3]\n"
	               "ldr r0, [r1]\n"
	               "ldmia r0!, {r4-r11, r14}\n"
	               "msr psp, r0\n"
	               "isb\n"
	               "mov r0, #0\n"
	               "msr basepri, r0\n"
	               "bx r14\n"
	               ".align 4\n");
}

void SysTick_Handler(void) {
	*(volatile uint32_t *)0xe000ed04 = 1u << 28;
}

__attribute__((noinline)) static int recurse(int n, volatile int *p) {
	int here[3] = {n, *p, 1};
	if (n == 0)
		return *p;
	return recurse(n - 1, &here[1]) + here[0];
}

static void work(void *argument) {
	char text[64];
	for (uint32_t n = (uint32_t)argument;; n++) {
		memset(text, (int)n, sizeof text - 1);
		text[63] = 0;
		volatile int seed = n & 7;
		sink += strlen(text) + recurse(n % 9, &seed);
	}
}

/* One that never returns, and says so. */
__attribute__((noreturn, noinline)) static void work_for_ever(void *argument) {
	for (uint32_t n = (uint32_t)argument;; n++) {
		volatile int seed = n & 7;
		sink += recurse(n % 5, &seed);
	}
}

int main(void) {
	create(&threads[0], work, (void *)1);
	create(&threads[1], work_for_ever, (void *)77);
	create(&threads[2], work, (void *)1000);
	__asm volatile("cpsie i\n"
	               "svc 0\n");
	for (;;)
		;
}
