/* What the handlers do: look at the frame, walk on, look again. */
#include "walk.h"

static void look(uint32_t ret, const uint32_t *frame)
{
	uint32_t n = ret & BASIC ? 8 : 25;
	for (uint32_t i = 0; i < n; i++)
		note(frame[i]);
}

static void status(void)
{
	uint32_t control;
	__asm volatile("mrs %0, control" : "=r"(control));
	note(control);
	note(fpccr());
	if (fpccr() & LSPACT)
		note(FPCAR);
}

static int depth;

void interrupted(uint32_t ret, const uint32_t *frame)
{
	uint32_t number;
	__asm volatile("mrs %0, ipsr" : "=r"(number));
	if (number == 2)
		open_fpu(); /* NMI cannot have it opened */
	note(ret);
	status();
	look(ret, frame);
	depth++;
	if (depth < 4)
		for (uint32_t n = draw(4); n > 0; n--)
			act(depth);
	depth--;
	status();
	look(ret, frame);
}

/* bad_fpcar is where FPCAR belonged before a walk sent it astray. */
uint32_t good_fpcar;

void faulted(uint32_t ret, const uint32_t *frame)
{
	uint32_t why = CFSR;
	note(ret);
	note(why);
	note(HFSR);
	status();
	look(ret, frame);
	if (why & (1u << 19)) /* NOCP */
		open_fpu();
	if (why & (1u << 13)) /* LSPERR */
		FPCAR = good_fpcar;
	CFSR = why;
	HFSR = HFSR;
	__asm volatile("dsb\n isb" ::: "memory");
}
