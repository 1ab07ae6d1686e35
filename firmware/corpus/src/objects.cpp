// C++: virtual calls, templates, lambdas, destructors, the standard containers,
// and exceptions that pass through frames with and without clean-ups.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "corpus.h"

namespace {

struct Shape {
	virtual ~Shape() { sink = sink + 1; }
	virtual int area() const = 0;
	virtual int scaled(int n) const { return area() * n; }
};
struct Square : Shape {
	int side;
	explicit Square(int s) : side(s) {}
	int area() const override { return side * side; }
};
struct Named {
	virtual ~Named() {}
	virtual int id() const = 0;
};
// The second base makes the compiler emit thunks.
struct Rectangle : Shape, Named {
	int a, b;
	Rectangle(int a, int b) : a(a), b(b) {}
	int area() const override { return a * b; }
	int scaled(int n) const override { return Shape::scaled(n) + id(); }
	int id() const override { return a ^ b; }
};

template <typename T, int N> struct Ring {
	T item[N];
	unsigned at = 0;
	NOINLINE void put(const T &v) { item[at++ % N] = v; }
	NOINLINE T sum() const {
		T s{};
		for (const T &v : item)
			s = s + v;
		return s;
	}
};

struct Guard {
	int n;
	explicit Guard(int n) : n(n) { sink = sink + 1; }
	NOINLINE ~Guard() { sink = sink + unsigned(n); }
};

struct Problem : std::runtime_error {
	int code;
	explicit Problem(int c) : std::runtime_error("problem"), code(c) {}
};

NOINLINE int thrower(int n) {
	Guard g(n);
	if (n % 3 == 0)
		throw Problem(n);
	if (n % 3 == 1)
		throw n;
	return n;
}
NOINLINE int passes(int n) { return thrower(n) + 1; }
NOINLINE int guarded(int n, int depth) {
	Guard g(depth);
	if (depth > 0)
		return guarded(n, depth - 1) + 1;
	return passes(n);
}
NOINLINE int rethrows(int n) {
	try {
		return guarded(n, n % 4);
	} catch (const Problem &p) {
		if (p.code % 2)
			throw;
		return p.code;
	}
}
NOINLINE int catches(int n) {
	try {
		return rethrows(n);
	} catch (int i) {
		return i * 2;
	} catch (const std::exception &e) {
		return e.what()[0];
	}
}

NOINLINE int nothing(int n) noexcept { return n + 1; }

NOINLINE int apply(const std::function<int(int)> &f, int n) { return f(n) + nothing(n); }

NOINLINE int containers(int n) {
	std::vector<int> v;
	for (int i = 0; i < 24; i++)
		v.push_back(int(corpus_random() % 1000u));
	std::sort(v.begin(), v.end(), [n](int a, int b) { return (a ^ n) < (b ^ n); });
	std::map<int, std::string> m;
	for (int i = 0; i < 8; i++)
		m[v[unsigned(i) * 3]] = std::string("key") + char('a' + i);
	int s = 0;
	for (auto &[k, text] : m)
		s += k + int(text.size()) + text[3];
	try {
		s += v.at(unsigned(20 + n % 5));
	} catch (const std::out_of_range &) {
		s++;
	}
	return s;
}

NOINLINE int shapes(int n) {
	std::unique_ptr<Shape> all[] = {std::make_unique<Square>(n), std::make_unique<Rectangle>(n, 3), std::make_unique<Square>(2)};
	int s = 0;
	for (auto &p : all)
		s += p->scaled(n);
	Rectangle r(n, 5);
	const Named *named = &r;
	return s + named->id();
}

Ring<int, 5> ints;
Ring<long long, 3> wides;
Guard global(3);

} // namespace

extern "C" int main(void) {
	int offset = 4;
	for (int n = 1; n < 14; n++) {
		sink = sink + unsigned(shapes(n) + containers(n));
		sink = sink + unsigned(apply([offset](int k) { return k * offset; }, n));
		ints.put(n);
		wides.put(n * 1000000007ll);
		sink = sink + unsigned(ints.sum()) + unsigned(wides.sum());
	}
	for (int n = 0; n < 7; n++)
		sink = sink + unsigned(catches(n));
	corpus_done();
}
