/* Secure and Non-secure code of one image for QEMU's mps2-an505. Each function
   has one caller, so that the place of the PC says what the stack must be. */
#include <stdint.h>

#define NOINLINE __attribute__((noinline))
#define REGISTER(addr) (*(volatile uint32_t *)(addr))

#ifdef __ARM_FP
#define WORK(f, i) ((f) * 1.5f + (float)(i))
typedef float number;
#else
#define WORK(f, i) ((f) * 3 + (i))
typedef int number;
#endif

int secure_api(int n);
int secure_low_api(int n);
int ns_main(int n);
int ns_callback(int n);
int ns_from_low(int n);
typedef void (*vector)(void);
extern const vector ns_vectors[20];
