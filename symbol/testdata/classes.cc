// C++ for looking addresses up: namespaces, templates, constructors, lambdas,
// virtual calls, anonymous namespaces.
#include <stdint.h>

volatile uint32_t sink;

namespace dsp {

template <typename T, int N> class Filter {
public:
	explicit Filter(T k) : gain(k), at(0)
	{
		for (int i = 0; i < N; i++)
			taps[i] = T(i) * k;
	}
	T feed(T v)
	{
		taps[at] = v;
		at = next(at);
		T sum = 0;
		for (const T &t : taps)
			sum += scaled(t);
		return sum;
	}

private:
	static int next(int i) { return i + 1 == N ? 0 : i + 1; }
	T scaled(T v) const { return v * gain / N; }
	T taps[N], gain;
	int at;
};

struct Source {
	virtual uint32_t read() = 0;
};

} // namespace dsp

namespace {

struct Noise : dsp::Source {
	uint32_t state = 1;
	uint32_t read() override
	{
		state = state * 1664525u + 1013904223u;
		return state >> 16;
	}
};

__attribute__((noinline)) uint32_t pull(dsp::Source &s, int n)
{
	uint32_t sum = 0;
	auto add = [&sum](uint32_t v) { sum += v ^ sink; };
	while (n--)
		add(s.read());
	return sum;
}

} // namespace

__attribute__((noinline)) static uint32_t run(dsp::Filter<int32_t, 8> &f, uint32_t v) { return f.feed(v) + f.feed(v >> 1); }

extern "C" int Reset_Handler()
{
	Noise noise;
	dsp::Filter<int32_t, 8> filter(3);
	dsp::Filter<int16_t, 3> narrow{static_cast<int16_t>(sink)};
	for (;;)
		sink = run(filter, pull(noise, 5)) + narrow.feed(int16_t(sink));
}

extern "C" void __cxa_pure_virtual() { for (;;) {} }
