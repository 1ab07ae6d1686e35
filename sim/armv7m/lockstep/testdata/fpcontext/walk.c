/* Two tasks walk at random through what changes floating-point state: use of
   the registers, exceptions that use them or do not, FPCCR, FPDSCR, CPACR,
   CONTROL, the alignment of the stack. */
#include "walk.h"

static uint32_t seed = SEED, hash, steps;
static uint32_t stacks[2][512] __attribute__((aligned(8)));
static uint32_t *waiting;
static uint32_t words[33];
extern uint32_t good_fpcar;

__attribute__((noinline)) void note(uint32_t v) { hash = hash * 1664525 + v; }

/* draw gives a number below n: xorshift32. */
__attribute__((noinline)) uint32_t draw(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return (seed >> 8) % n;
}

static void barrier(void) { __asm volatile("dsb\n isb" ::: "memory"); }

static uint32_t control(void)
{
	uint32_t v;
	__asm volatile("mrs %0, control" : "=r"(v));
	return v;
}

static uint32_t in_handler(void)
{
	uint32_t v;
	__asm volatile("mrs %0, ipsr" : "=r"(v));
	return v;
}

void open_fpu(void)
{
	CPACR = 0xf << 20;
	barrier();
}

/* compute with numbers of like size, rounded as FPSCR says. */
static void compute(void)
{
	uint32_t a = 0x3f800000 + draw(1 << 22), b = 0x3f800000 + draw(1 << 22);
	note(fp_compute(a, b));
}

static void fill(void)
{
	for (int i = 0; i < 32; i++)
		words[i] = seed * (i + 1);
	fp_fill(words, draw(4) << 22 | draw(4) << 30 | draw(32));
}

static void dump(void)
{
	fp_dump(words);
	for (int i = 0; i < 33; i++)
		note(words[i]);
}

static void pend(void)
{
	ISPR = 1 + draw(255);
	barrier();
}

static void priorities(void)
{
	uint32_t v = seed & 0xe0e0e0e0;
	for (int i = 0; i < 4; i++)
		if ((v >> 8 * i & 0xff) == 0)
			v |= 0x20u << 8 * i; /* 0 is for faults */
	IPR(draw(2)) = v;
	barrier();
}

static void preservation(void)
{
	uint32_t v = draw(16);
	v = v == 0 ? 0 : v < 4 ? ASPEN : ASPEN | LSPEN;
	FPCCR = (fpccr() & ~(ASPEN | LSPEN)) | v;
	barrier();
}

static void astray(void)
{
	if (!(fpccr() & LSPACT))
		return;
	good_fpcar = FPCAR;
	FPCAR = 0x90000000;
	barrier();
	fp_single(); /* LSPERR, unless NOCP comes first */
	if (fpccr() & LSPACT)
		FPCAR = good_fpcar;
}

/* CONTROL.FPCA by software: a context is dropped, or begun as it is. */
static void context(void)
{
	uint32_t v = control();
	v = draw(3) ? v | FPCA : v & ~FPCA;
	__asm volatile("msr control, %0\n isb" ::"r"(v) : "memory");
	note(control());
}

void act(int depth)
{
	switch (draw(19)) {
	case 0: case 1:
		compute();
		break;
	case 2:
		fill();
		break;
	case 3: case 4:
		dump();
		break;
	case 5: case 6: case 7:
		pend();
		break;
	case 8:
		ICSR = 1u << 28; /* PendSV */
		barrier();
		break;
	case 9:
		if (!in_handler())
			__asm volatile("svc #0" ::: "memory");
		break;
	case 10:
		if (draw(4) == 0) {
			ICSR = 1u << 31; /* NMI */
			barrier();
		}
		break;
	case 11:
		priorities();
		break;
	case 12:
		preservation();
		break;
	case 13:
		FPDSCR = draw(32) << 22 & ~(1u << 26);
		barrier();
		break;
	case 14:
		if (in_handler() == 2) /* a fault in NMI is the end */
			break;
		CPACR = draw(2) ? 0 : 5u << 20;
		barrier();
		break;
	case 15:
		context();
		break;
	case 16: case 17:
		if (depth < 6)
			shifted(depth + 1);
		break;
	case 18:
		astray();
		break;
	}
}

__attribute__((noinline, used)) void done(void)
{
	for (;;)
		;
}

static void task(void)
{
	while (steps++ < STEPS)
		act(0);
	done();
}

uint32_t *switch_task(uint32_t *sp)
{
	uint32_t *next = waiting;
	waiting = sp;
	return next;
}

void reset(void);
void interrupt(void);
void fault(void);
void pendsv(void);
extern uint32_t stack_top[];

__attribute__((section(".vectors"), used)) static const void *const vectors[32] = {
	stack_top, reset, interrupt, fault, fault, fault, fault, fault, fault, fault, fault, interrupt, fault, fault, pendsv, fault,
	interrupt, interrupt, interrupt, interrupt, interrupt, interrupt, interrupt, interrupt,
};

void reset(void)
{
	extern uint32_t data_load[], data_start[], data_end[], bss_start[], bss_end[];
	for (uint32_t *from = data_load, *to = data_start; to < data_end;)
		*to++ = *from++;
	for (uint32_t *p = bss_start; p < bss_end; p++)
		*p = 0;
	SHCSR = 7 << 16;
	SHPR1 = 0;
	SHPR2 = 0x80u << 24;
	SHPR3 = 0xe0u << 16; /* PendSV */
	IPR(0) = 0x80604020;
	IPR(1) = 0xe0c0a080;
	ISER = 0xff;
	/* The other task begins by a frame of PendSV: r4 to r11 and EXC_RETURN,
	   then r0 to r3, r12, lr, pc, xPSR. */
	uint32_t *top = stacks[1] + 512;
	*--top = 1 << 24;
	*--top = (uint32_t)task;
	top -= 6;
	*--top = 0xfffffffd;
	waiting = top - 8;
	__asm volatile("msr psp, %0\n movs r0, #2\n msr control, r0\n isb" ::"r"(stacks[0] + 512) : "r0", "memory");
	task();
}
