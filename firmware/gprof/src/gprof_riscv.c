// gprof_riscv.c: mcount of RISC-V, which gcc -pg calls like any function, with the return address of the function that calls.
#if defined(__riscv)
#include "gprof_port.h"

void _mcount(void *from);
void _mcount(void *from)
{
	gprof_call((uint32_t)(uintptr_t)from, (uint32_t)(uintptr_t)__builtin_return_address(0));
}
#else
typedef int gprof_is_not_for_riscv; // a file of C has to declare something
#endif
