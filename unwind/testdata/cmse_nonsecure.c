/* The Non-secure side: knows the other by the addresses of its gateways alone,
   in the order of their names in .gnu.sgstubs. */
#include "cmse.h"

#define secure_api ((int (*)(int))0x10008001)
#define secure_low_api ((int (*)(int))0x10008009)

static volatile number ns_state;
static volatile int ns_count;

int NOINLINE ns_cb_leaf(int n) {
	ns_state = WORK(ns_state, n);
	return ns_count + n;
}
int NOINLINE ns_callback(int n) {
	volatile int here[3] = {n, 1, 2};
	ns_count += ns_cb_leaf(here[0]);
	return here[1] + ns_count;
}
int NOINLINE ns_inner(int n) {
	volatile int here[4] = {n};
	number before = ns_state;
	ns_count += secure_api(here[0]);
	ns_state = WORK(before, ns_count);
	return ns_count;
}
int NOINLINE ns_outer(int n) { return ns_inner(n + 2) - 1; }
int NOINLINE ns_main(int n) { return ns_outer(n) & 0xff; }
int NOINLINE ns_from_low(int n) { return ns_count ^ n; }

void NOINLINE ns_low_work(void) {
	ns_state = WORK(ns_state, 3);
	ns_count += secure_low_api(ns_count);
}
void NS_Low_Handler(void) {
	ns_low_work();
	ns_count++;
}
void NOINLINE ns_high_work(void) { ns_state = WORK(ns_state, ns_count); }
void NS_High_Handler(void) {
	ns_high_work();
	ns_count--;
}
void NS_Fault_Handler(void) {
	for (;;)
		;
}
__attribute__((section(".ns_vectors"), used)) const vector ns_vectors[20] = {
	0, NS_Fault_Handler, NS_Fault_Handler, NS_Fault_Handler, NS_Fault_Handler, NS_Fault_Handler, NS_Fault_Handler, NS_Fault_Handler,
	[17] = NS_Low_Handler, [19] = NS_High_Handler,
};
