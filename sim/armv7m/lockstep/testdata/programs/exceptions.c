/* Exceptions without a timer: SVC with arguments, faults that are stepped over,
   two tasks on stacks of their own switched by PendSV, nested and tail-chained
   interrupts, masking. */
#include "program.h"

#define REG(a) (*(volatile uint32_t *)(a))
#define ICSR REG(0xe000ed04)
#define SHPR2 REG(0xe000ed1c)
#define SHPR3 REG(0xe000ed20)
#define SHCSR REG(0xe000ed24)
#define CFSR REG(0xe000ed28)
#define CCR REG(0xe000ed14)
#define ISER REG(0xe000e100)
#define ISPR REG(0xe000e200)
#define IPR0 REG(0xe000e400)

#define MAINLINE (__ARM_ARCH >= 7)

static volatile uint32_t events, trail[64];

static void note(uint32_t what)
{
	trail[events & 63] = what;
	events++;
}

/* A frame: r0 r1 r2 r3 r12 lr pc xpsr. Faults are stepped over. */
__attribute__((used)) static void fault(uint32_t *frame, uint32_t number)
{
	uint16_t at = *(uint16_t *)frame[6];
	note(number << 24 | (frame[6] & 0xff));
#if MAINLINE
	note(CFSR);
	CFSR = CFSR;
#endif
	frame[6] += at >> 11 >= 0x1d ? 4 : 2;
	frame[0] = number;
}

#define FAULT(name, number)                                                    \
	__attribute__((naked)) void name(void)                                 \
	{                                                                      \
		__asm volatile("movs r1, #" #number "\n"                       \
			       "mov r0, lr\n"                                  \
			       "lsls r0, r0, #29\n"                            \
			       "bmi 1f\n"                                      \
			       "mrs r0, msp\n"                                 \
			       "b 2f\n"                                        \
			       "1: mrs r0, psp\n"                              \
			       "2: push {r3, lr}\n"                            \
			       "bl fault\n"                                    \
			       "pop {r3, pc}\n");                              \
	}

FAULT(hardfault, 3)
FAULT(memmanage, 4)
FAULT(busfault, 5)
FAULT(usagefault, 6)

/* svc returns the sum of its arguments and its number in r0. */
__attribute__((used)) static void service(uint32_t *frame)
{
	uint32_t number = *(uint8_t *)(frame[6] - 2);
	note(0x0b000000 | number);
	frame[0] = frame[0] + frame[1] + number;
	if (number == 3)
		ICSR = 1u << 28; /* PendSV after this handler: tail-chained */
}

__attribute__((naked)) void svcall(void)
{
	__asm volatile("mov r0, lr\n"
		       "lsls r0, r0, #29\n"
		       "bmi 1f\n"
		       "mrs r0, msp\n"
		       "b 2f\n"
		       "1: mrs r0, psp\n"
		       "2: push {r3, lr}\n"
		       "bl service\n"
		       "pop {r3, pc}\n");
}

#define CALL(n)                                                                \
	static uint32_t svc##n(uint32_t a, uint32_t b)                         \
	{                                                                      \
		register uint32_t r0 __asm("r0") = a;                          \
		register uint32_t r1 __asm("r1") = b;                          \
		__asm volatile("svc #" #n : "+r"(r0) : "r"(r1) : "memory");    \
		return r0;                                                     \
	}
CALL(1)
CALL(3)

/* Tasks. task_sp[i] is the stack pointer of the one that waits. */
static uint32_t stacks[2][128] __attribute__((aligned(8)));
uint32_t *task_sp[2];
uint32_t current;
static volatile uint32_t switching;

__attribute__((used)) static uint32_t *choose(uint32_t *sp)
{
	note(0x0e000000 | current);
	if (!switching)
		return sp;
	task_sp[current] = sp;
	current ^= 1;
	return task_sp[current];
}

__attribute__((naked)) void pendsv(void)
{
	__asm volatile("mov r1, lr\n"
		       "lsls r0, r1, #29\n"
		       "bmi 1f\n"
		       "push {r3, lr}\n" /* from the main stack: nothing to switch */
		       "movs r0, #0\n"
		       "bl choose\n"
		       "pop {r3, pc}\n"
		       "1: mrs r0, psp\n"
		       "subs r0, #32\n"
		       "mov r2, r0\n"
		       "stmia r2!, {r4-r7}\n"
		       "mov r4, r8\n mov r5, r9\n mov r6, r10\n mov r7, r11\n"
		       "stmia r2!, {r4-r7}\n"
		       "push {r1, r3}\n"
		       "bl choose\n"
		       "pop {r1, r3}\n"
		       "mov r2, r0\n"
		       "adds r2, #16\n"
		       "ldmia r2!, {r4-r7}\n"
		       "mov r8, r4\n mov r9, r5\n mov r10, r6\n mov r11, r7\n"
		       "msr psp, r2\n"
		       "ldmia r0!, {r4-r7}\n"
		       "bx r1\n");
}

static volatile uint32_t shared;

static void yield(void)
{
	ICSR = 1u << 28;
	__asm volatile("dsb\n isb" ::: "memory");
}

static void second(void)
{
	for (uint32_t i = 0;; i++) {
		shared = shared * 5 + i;
		yield();
	}
}

/* both runs on the process stack as the first task. */
__attribute__((noinline)) static uint32_t both(void)
{
	uint32_t v = 0;
	for (int i = 0; i < 6; i++) {
		shared += 3;
		yield();
		v = v * 7 + shared + svc1(v, 2);
	}
	return v;
}

static uint32_t tasks(void)
{
	uint32_t *sp = &stacks[1][128];
	register uint32_t first __asm("r0") = (uint32_t)&stacks[0][128];
	register uint32_t (*entry)(void) __asm("r1") = both;
	*--sp = 0x01000000;
	*--sp = (uint32_t)second & ~1u;
	for (int i = 0; i < 6 + 8; i++)
		*--sp = (uint32_t)i;
	task_sp[1] = sp;
	current = 0;
	switching = 1;
	__asm volatile("mov r4, sp\n"
		       "msr psp, r0\n"
		       "movs r5, #2\n"
		       "msr control, r5\n"
		       "isb\n"
		       "blx r1\n"
		       "movs r5, #0\n"
		       "msr control, r5\n"
		       "isb\n"
		       "mov sp, r4\n"
		       : "+r"(first), "+r"(entry)
		       :
		       : "r2", "r3", "r4", "r5", "r12", "lr", "cc", "memory");
	switching = 0;
	return first;
}

/* Interrupts: 0 is more urgent than 1, 1 than 2. */
void irq0(void)
{
	note(0x10000000);
}

void irq1(void)
{
	note(0x11000000);
	ISPR = 1; /* preempts here */
	note(0x11000001);
	ISPR = 4; /* waits */
	note(0x11000002);
}

void irq2(void)
{
	note(0x12000000 | (ICSR & 0x1ff));
}

static void interrupts(void)
{
	IPR0 = 0x00c08040; /* priorities 0x40, 0x80, 0xc0 */
	ISER = 7;
	ISPR = 2;
	note(1);
	__asm volatile("cpsid i" ::: "memory");
	ISPR = 7;
	ICSR = 1u << 28;
	note(2);
	__asm volatile("cpsie i\n isb" ::: "memory"); /* all, one behind the other */
	note(3);
#if MAINLINE
	__asm volatile("msr basepri, %0" ::"r"(0x80) : "memory");
	ISPR = 7; /* only 0 */
	note(4);
	__asm volatile("msr basepri, %0" ::"r"(0) : "memory");
	note(5);
	REG(0xe000ef00) = 2; /* STIR */
	__asm volatile("dsb\n isb" ::: "memory");
#endif
	note(6);
}

static void faults(void)
{
#if MAINLINE
	SHCSR |= 7u << 16;
	CCR |= 0x18; /* DIV_0_TRP, UNALIGN_TRP */
	note(REG(0xe000ed14));
	volatile int32_t zero = 0, v = 7;
	v = v / zero;
	__asm volatile("ldr r0, [%0, #2]" ::"l"(trail) : "r0");
	CCR &= ~0x18u;
	__asm volatile("ldrd r0, r2, [%0]" ::"l"((uint32_t)trail + 2) : "r0", "r2");
	__asm volatile("mrc p7, 0, r0, c0, c0" ::: "r0");
#else
	__asm volatile("ldr r0, [%0, #0]" ::"l"((uint32_t)trail + 2) : "r0");
#endif
	__asm volatile("udf #7" ::: "r0");
	__asm volatile(".inst.w 0xf7f0a000" ::: "r0");
	__asm volatile("ldr r0, [%0]" ::"l"(0x90000000) : "r0");
	__asm volatile("str r0, [%0]" ::"l"(0x90000000) : "r0");
#if MAINLINE
	SHCSR &= ~(7u << 16); /* the same as HardFault */
	__asm volatile("udf #8" ::: "r0");
	__asm volatile("ldr r0, [%0]" ::"l"(0x90000000) : "r0");
	REG(0xe000ed2c) = REG(0xe000ed2c);
#endif
}

uint32_t exceptions(uint32_t seed)
{
	uint32_t v = seed;
	SHPR2 = 0x80000000;
	SHPR3 = 0x00c00000;
	v += svc1(v, 5);
	v = v * 3 + svc3(v, 9);
	faults();
	interrupts();
	v = v * 3 + tasks();
	for (uint32_t i = 0; i < events && i < 64; i++)
		v = v * 31 + trail[i];
	return v;
}
