/* A function of the same name as one in shapes.c, and one more that is dropped. */
#include <stdint.h>

extern volatile uint32_t sink;

__attribute__((noinline)) static int helper(int x)
{
	sink += 23;
	return x - 1;
}

__attribute__((noinline)) int other_helper(int x)
{
	return helper(x) + helper(x + 2);
}

__attribute__((noinline)) int dropped_there(int x)
{
	return helper(x) * 29;
}
