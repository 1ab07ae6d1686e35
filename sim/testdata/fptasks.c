// Two tasks compute in single precision while SysTick and a more urgent
// interrupt, which compute as well, arrive in the middle, and PendSV switches
// between them, saving S16 to S31 where EXC_RETURN says that the task has a
// floating-point context. LAZY is FPCCR.LSPEN; with FOREVER they begin anew when
// they are done.
#include <stdint.h>

#define REG(a) (*(volatile uint32_t *)(a))
#define ICSR REG(0xe000ed04)
#define SHPR3 REG(0xe000ed20)
#define CPACR REG(0xe000ed88)
#define FPCCR REG(0xe000ef34)
#define SYST_CSR REG(0xe000e010)
#define SYST_RVR REG(0xe000e014)
#define ISER REG(0xe000e100)
#define ISPR REG(0xe000e200)
#define IPR REG(0xe000e400)

// Kernels differ in whether EXC_RETURN is on the main stack while they choose.
#ifdef KEEP_LR
#define PUSH_LR "push {r3, lr}\n"
#define POP_LR "pop {r3, lr}\n"
#else
#define PUSH_LR
#define POP_LR
#endif

#define ROUNDS 400
#ifndef FOREVER
#define FOREVER 0
#endif

extern uint32_t __stack_top[], __data_start[], __data_end[], __data_load[], __bss_start[], __bss_end[];

volatile float logistic_out[ROUNDS], filter_out[ROUNDS], tick_out, urgent_out;
volatile uint32_t finished, ticks, urgents, switches, extended, put_off;

__attribute__((noipa)) static float step(float x, float r) { return r * x * (1.0f - x); }

__attribute__((noipa)) static float polynomial(float x)
{
	return ((((0.125f * x + 0.25f) * x - 0.75f) * x + 1.5f) * x - 0.0625f) / (x + 3.0f);
}

__attribute__((noipa)) static void logistic(void)
{
	float x = 0.3f, sum = 0.0f;
	for (int i = 0; i < ROUNDS; i++) {
		for (int k = 0; k < 20; k++) {
			x = step(x, 3.9f);
			sum = sum * 0.5f + polynomial(x);
		}
		logistic_out[i] = sum;
	}
}

__attribute__((noipa)) static void filter(void)
{
	float a = 0.0f, b = 0.1f, c = 0.2f, d = 0.3f, e = 0.4f, f = 0.5f, g = 0.6f, h = 0.7f;
	for (int i = 0; i < ROUNDS; i++) {
		for (int k = 0; k < 20; k++) {
			float in = (float)(i * 20 + k & 63) - 31.5f;
			h = g, g = f, f = e, e = d, d = c, c = b, b = a;
			a = in * 0.0625f + b * 0.5f - c * 0.25f + d * 0.125f - e * 0.3125f + f * 0.1875f + g * 0.4375f - h * 0.0625f;
		}
		filter_out[i] = a + __builtin_sqrtf(h * h + 1.0f);
	}
}

void systick_handler(void)
{
	static float state = 1.0f;
	uint32_t n = ticks++;
	if (n % 3 == 0) { // without floating point: the state stays where it is
		ICSR = 1u << 28;
		return;
	}
	float s = state * 1.0009765625f;
	if (n % 5 == 0)
		ISPR = 1; // in the middle
	state = s > 4.0f ? s - 3.0f : s + 0.001953125f;
	tick_out = state;
	if (n % 2)
		ICSR = 1u << 28;
}

void urgent_handler(void)
{
	static float state = 0.5f;
	urgents++;
	state = polynomial(state) * 0.5f;
	urgent_out = state;
}

static uint32_t stacks[2][256] __attribute__((aligned(8)));
static uint32_t *waiting;

__attribute__((used)) static uint32_t *switch_task(uint32_t *sp, uint32_t ret)
{
	uint32_t *next = waiting;
	switches++;
	if (!(ret & 16))
		extended++;
	waiting = sp;
	return next;
}

__attribute__((naked)) void pendsv_handler(void)
{
	__asm volatile("ldr r2, =0xe000ef34\n"
		       "ldr r3, =put_off\n"
		       "ldr r1, [r2]\n"
		       "and r1, #1\n"
		       "ldr r2, [r3]\n"
		       "add r2, r1\n"
		       "str r2, [r3]\n"
		       "mrs r0, psp\n"
		       "tst lr, #16\n"
		       "it eq\n"
		       "vstmdbeq r0!, {s16-s31}\n"
		       "stmdb r0!, {r4-r11, lr}\n"
		       "mov r1, lr\n"
		       PUSH_LR
		       "bl switch_task\n"
		       POP_LR
		       "ldmia r0!, {r4-r11, lr}\n"
		       "tst lr, #16\n"
		       "it eq\n"
		       "vldmiaeq r0!, {s16-s31}\n"
		       "msr psp, r0\n"
		       "bx lr\n"
		       ".pool\n");
}

static void idle(void)
{
	if (++finished == 2)
		SYST_CSR = 0;
	for (;;)
		__asm volatile("wfi");
}

static void first_task(void)
{
	do
		logistic();
	while (FOREVER);
	idle();
}

static void second_task(void)
{
	do
		filter();
	while (FOREVER);
	idle();
}

void reset_handler(void)
{
	for (uint32_t *from = __data_load, *to = __data_start; to < __data_end;)
		*to++ = *from++;
	for (uint32_t *p = __bss_start; p < __bss_end; p++)
		*p = 0;
	CPACR = 0xf << 20;
	FPCCR = 1u << 31 | (uint32_t)LAZY << 30;
	__asm volatile("dsb\n isb");
	SHPR3 = 0x80e00000; // SysTick, PendSV
	IPR = 0x40;
	ISER = 1;
	uint32_t *top = stacks[1] + 256;
	*--top = 1 << 24;
	*--top = (uint32_t)second_task;
	top -= 6;
	*--top = 0xfffffffd;
	waiting = top - 8;
	__asm volatile("msr psp, %0\n movs r0, #2\n msr control, r0\n isb" ::"r"(stacks[0] + 256) : "r0", "memory");
	SYST_RVR = 330;
	SYST_CSR = 7;
	first_task();
}

static void stuck(void)
{
	for (;;)
		;
}

__attribute__((section(".isr_vector"), used)) static const void *const vectors[17] = {
	__stack_top, reset_handler, stuck, stuck, stuck, stuck, stuck, 0, 0, 0, 0, stuck, stuck, 0, pendsv_handler, systick_handler, urgent_handler,
};
