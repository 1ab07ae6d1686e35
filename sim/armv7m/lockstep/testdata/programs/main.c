#include "program.h"

volatile uint32_t results[7];

int main(void)
{
#ifndef ONLY_EXCEPTIONS
	results[0] = arithmetic(1);
	results[1] = text(2);
	results[2] = sort(3);
	results[3] = dispatch(4);
	results[4] = dsp(5);
	results[6] = single(7);
#endif
	results[5] = exceptions(6);
	return 0;
}
