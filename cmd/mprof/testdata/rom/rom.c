/* A library in a ROM: it calls back into the application. */
__attribute__((noinline)) unsigned rom_mix(unsigned x)
{
    for (int i = 0; i < 40; i++)
        x = x * 1664525u + 1013904223u;
    return x;
}

__attribute__((noinline)) unsigned rom_each(unsigned (*f)(unsigned), unsigned n)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += f(rom_mix(i));
    return sum;
}

void rom_reset(void)
{
    for (;;)
        rom_each(rom_mix, 3);
}
