// Exceptions that are never thrown: functions whose unwind tables the compiler
// makes with handlers, and those that it makes without.
extern "C" int printf(const char *, ...);
volatile int sink;

struct Guard {
	int x;
	__attribute__((noinline)) ~Guard() { sink = sink + x; }
};

__attribute__((noinline)) int plain(int a) { return a * sink + 1; }

__attribute__((noinline)) double guarded(double a, float b) {
	Guard g{int(a)};
	if (sink == 12345)
		throw 7;
	return a * b + plain(int(b));
}

__attribute__((noinline)) int variable(int n) {
	Guard g{n};
	volatile char v[n + 8];
	for (int i = 0; i < n; i++)
		v[i] = i + plain(i);
	return v[n / 2] + int(guarded(n, 2));
}

__attribute__((noinline)) int large(int n) {
	Guard g{n};
	volatile int v[1200];
	for (int i = 0; i < 1200; i += 100)
		v[i] = variable(i / 100);
	return v[n % 12 * 100];
}

__attribute__((noinline)) float many(float a, float b, float c, float d) {
	float p = a * b, q = b * c, r = c * d, s = a - d;
	for (int i = 0; i < 3; i++) {
		p += plain(i) * q;
		q -= r * plain(int(p));
		r *= s;
		s += p;
	}
	return p + q + r + s;
}

extern "C" void SysTick_Handler() { sink = sink + plain(1); }
extern "C" void PendSV_Handler() {}
extern "C" void SVC_Handler() {}

int main() {
	for (;;) {
		try {
			sink = large(sink & 15) + int(many(1, 2, 3, 4));
		} catch (int e) {
			sink = e;
		}
	}
}
