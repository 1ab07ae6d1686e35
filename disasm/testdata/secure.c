// The secure side of a program of ARMv8-M: an entry, a call of the other side, and what tests addresses.
#include <arm_cmse.h>

typedef int __attribute__((cmse_nonsecure_call)) (*callback)(int, float);

static callback registered;
volatile int locked;

int __attribute__((cmse_nonsecure_entry)) entry(int *buffer, int n, float scale)
{
	if (!cmse_check_address_range(buffer, n * sizeof *buffer, CMSE_NONSECURE | CMSE_MPU_READWRITE))
		return -1;
	while (__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE))
		;
	for (int i = 0; i < n; i++)
		buffer[i] = buffer[i] * scale + registered(buffer[i], scale);
	__atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
	return __atomic_fetch_add(&locked, n, __ATOMIC_SEQ_CST);
}

void __attribute__((cmse_nonsecure_entry)) subscribe(callback f)
{
	registered = cmse_nsfptr_create(f);
}

int permitted(void *p)
{
	cmse_address_info_t info = cmse_TT(p), user = cmse_TTT(p), other = cmse_TTA(p), last = cmse_TTAT(p);
	return info.flags.readwrite_ok + user.flags.read_ok + other.flags.secure + last.flags.mpu_region;
}
