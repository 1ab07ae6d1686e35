#include <stdint.h>

#define REG(a) (*(volatile uint32_t *)(a))
#define ICSR REG(0xe000ed04)
#define SHPR1 REG(0xe000ed18)
#define SHPR2 REG(0xe000ed1c)
#define SHPR3 REG(0xe000ed20)
#define SHCSR REG(0xe000ed24)
#define CFSR REG(0xe000ed28)
#define HFSR REG(0xe000ed2c)
#define CPACR REG(0xe000ed88)
#define FPCCR REG(0xe000ef34)
#define FPCAR REG(0xe000ef38)
#define FPDSCR REG(0xe000ef3c)
#define ISER REG(0xe000e100)
#define ISPR REG(0xe000e200)
#define IPR(n) REG(0xe000e400 + 4 * (n))

#define ASPEN (1u << 31)
#define LSPEN (1u << 30)
#define LSPACT 1u
#define FPCA 4u
#define BASIC 0x10u /* EXC_RETURN: the frame is basic */

/* note makes a value part of the state that the lockstep compares. */
void note(uint32_t v);
uint32_t draw(uint32_t n);
void act(int depth);
void open_fpu(void);

/* fpccr reads FPCCR by LDR T1, where the comparison knows of QEMU's UFRDY. */
__attribute__((noinline)) uint32_t fpccr(void);

/* fp.S: every routine begins with VMRS. */
void fp_fill(const uint32_t *s, uint32_t fpscr);
void fp_dump(uint32_t *s);
uint32_t fp_compute(uint32_t a, uint32_t b);
void fp_single(void);
void shifted(int depth); /* act with SP moved by 4 */
