/* An application that spends its time in a ROM and in what the ROM calls. */
unsigned rom_each(unsigned (*f)(unsigned), unsigned n);

volatile unsigned sink;

__attribute__((noinline)) static unsigned app_step(unsigned x)
{
    for (int i = 0; i < 60; i++)
        x ^= (x << 7) + i;
    return x;
}

__attribute__((noinline)) static unsigned app_work(unsigned n)
{
    return rom_each(app_step, n) + 1;
}

int main(void)
{
    for (;;)
        sink += app_work(50);
}

void Reset_Handler(void)
{
    main();
}

__attribute__((section(".vectors"), used)) void *const vectors[16] = {(void *)0x20004000, (void *)Reset_Handler};
