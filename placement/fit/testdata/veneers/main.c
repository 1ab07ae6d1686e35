/* Two functions to move, of which one calls two that stay. */
volatile int sink;

/* larger than a veneer to them */
__attribute__((noinline)) int cold(int x) {
	for (int i = 0; i < 20; i++)
		sink += x * i ^ sink >> 3;
	return x * 7 + sink;
}
__attribute__((noinline)) int colder(int x) {
	for (int i = 9; i > 0; i--)
		sink -= x << i ^ sink;
	return x * 9 + sink;
}
__attribute__((noinline)) int leaf(int x) { return x * 11 + sink; }
__attribute__((noinline)) int hot(int x) { return cold(x) + cold(x + 1) * colder(leaf(x)); }

int main(void) {
	for (;;)
		sink = hot(sink);
}

void start(void) { main(); }
