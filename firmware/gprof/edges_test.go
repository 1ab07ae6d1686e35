package gprof_test

import "testing"

// one is the only dump of a run.
func one(t *testing.T, operations ...operation) held {
	t.Helper()
	all := run(t, "exclusive", append(operations, do(dump))...)
	return all[len(all)-1]
}

// Before the first profile_on there is nothing, whatever is called.
func TestBeforeProfileOn(t *testing.T) {
	h := one(t, do(call, 1, 2), do(hit, 3, 1), do(reset), do(off), do(request))
	if h.Version != 0 || h.State != 0 || h.Ticks != 0 || h.Problem != 0 {
		t.Errorf("%+v", h)
	}
}

// Where nothing can be started profile_on gives 0, and says how much memory it would take.
func TestNotStarted(t *testing.T) {
	for _, c := range []struct {
		name string
		ops  []operation
	}{
		{"no memory", []operation{do(on, 0x1000, 0x9000, 16, 997)}},
		{"no room for the counters", []operation{do(memory, 4092), do(on, 0x1000, 0x9000, 16, 997)}},
		{"an empty range", []operation{do(memory, 10000), do(on, 0x1000, 0x1000, 16, 997)}},
		{"a range that ends before it begins", []operation{do(memory, 10000), do(on, 0x2000, 0x1000, 16, 997)}},
		{"the end of the address space", []operation{do(memory, 10000), do(on, 0xffffff00, 0xffffffff, 16, 997)}},
		{"counters that take 4 GiB less 4 bytes", []operation{do(memory, 10000), do(on, 0, 0xfffffffc, 2, 997)}},
		{"counters of which the size would be 0", []operation{do(memory, 10000), do(on, 0, 0xfffffffe, 2, 997)}},
		{"half of all addresses", []operation{do(memory, 10000), do(on, 0x80000000, 0xfffffffe, 2, 997)}},
		{"no interval", []operation{do(memory, 10000), do(on, 0x1000, 0x9000, 16, 0)}},
		{"a timer that cannot", []operation{do(memory, 10000), do(on, 0x1000, 0x9000, 16, 13)}},
		{"a second one without room", []operation{do(memory, 10000), do(on, 0x1000, 0x2000, 16, 997), do(on, 0, 0x80000, 4, 997)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := one(t, append(c.ops, do(call, 0x1001, 0x1101), do(hit, 0x1000, 5))...)
			if h.Result != 0 || h.State != 0 || h.Ticks != 0 || h.ArcsUsed != 0 || h.Stopped == 0 || h.Version == 0 {
				t.Errorf("%+v", h.block)
			}
		})
	}
	// 2048 counters, 129 slots, arcs in 5 % of 32 KiB
	if h := one(t, do(on, 0x1000, 0x9000, 16, 997)); h.Wanted != 4096+260+102*16 || h.Buckets != 0 {
		t.Errorf("%+v", h.block)
	}
}

// Exactly as much as was wanted gives what was wanted, and four bytes less one arc less.
func TestWantedMemory(t *testing.T) {
	const low, high = 0x8000000, 0x8080000
	wanted := one(t, do(on, low, high, 4, 997)).Wanted
	full := one(t, do(memory, wanted), do(on, low, high, 4, 997))
	less := one(t, do(memory, wanted-4), do(on, low, high, 4, 997))
	if full.Buckets != 0x20000 || full.Slots != 0x800 || full.ArcsSize < 0x80000/20/16-1 || less.ArcsSize != full.ArcsSize-1 {
		t.Errorf("%+v\n%+v", full.block, less.block)
	}
}

// Memory that is not aligned to 4 is used from the next word on; of memory that has no word nothing is.
func TestOddMemory(t *testing.T) {
	for off := range uint32(4) {
		h := one(t, do(memory, 10000, off), do(on, 0x1000, 0x2000, 16, 997), do(call, 0x1001, 0x1101), do(hit, 0x1ff0, 3))
		if want := h.Given + (off+3)/4*4; h.Counters != want || h.Result != 997 || h.counters[255] != 3 || len(h.arcs) != 1 {
			t.Errorf("%d bytes behind a word: counters at %#x, want %#x; %+v", off, h.Counters, want, h.block)
		}
		if h := one(t, do(memory, 4, off), do(on, 0x1000, 0x1002, 2, 997), do(hit, 0x1000, 1)); (h.Result != 0) != (off == 0) {
			t.Errorf("4 bytes less %d: %+v", off, h.block)
		}
	}
}

// Counters have no arcs beside them where there is just room for them: calls are lost, and counted.
func TestCountersOnly(t *testing.T) {
	h := one(t, do(memory, 4096), do(on, 0x1000, 0x9000, 16, 997), do(call, 0x1001, 0x1101), do(hit, 0x1234, 3))
	if h.Result != 997 || h.ArcsSize != 0 || h.ArcsLost != 1 || h.counters[0x23] != 3 || h.Problem != 'c' {
		t.Errorf("%+v", h.block)
	}
}

// The range is widened to whole buckets.
func TestRange(t *testing.T) {
	for _, c := range []struct{ start, end, size, low, high, buckets uint32 }{
		{0x1003, 0x1021, 16, 0x1000, 0x1030, 3},
		{0x1000, 0x1020, 16, 0x1000, 0x1020, 2},
		{0x1000, 0x1001, 0, 0x1000, 0x1002, 1},
		{0x10, 0x40, 0x80000000, 0, 0x80000000, 1},
	} {
		h := one(t, do(memory, 100000), do(on, c.start, c.end, c.size, 997), do(hit, c.end-1, 2))
		if h.Low != c.low || h.High != c.high || h.Buckets != c.buckets || h.counters[c.buckets-1] != 2 {
			t.Errorf("%+v: %+v", c, h.block)
		}
	}
}

// A range of half of all addresses has counters; its hash table alone would take 16 MB.
func TestHuge(t *testing.T) {
	h := one(t, do(memory, 100000), do(on, 0x10, 0x80000010, 0x40000000, 997), do(hit, 0x80000000, 2), do(call, 0x1001, 0x1101))
	if h.Buckets != 3 || h.counters[2] != 2 || h.ArcsSize != 0 || h.ArcsLost != 1 || h.Wanted < 16<<20 {
		t.Errorf("%+v", h.block)
	}
}

// An arc's count sticks at its end.
func TestArcSaturates(t *testing.T) {
	h := one(t, do(memory, 10000), do(on, 0x1000, 0x2000, 16, 997), do(call, 0x1001, 0x1101), do(poke, 0, 0xfffffffd),
		do(call, 0x1001, 0x1101), do(call, 0x1001, 0x1101), do(call, 0x1001, 0x1101), do(call, 0x1001, 0x1101))
	if len(h.arcs) != 1 || h.arcs[0].Count != 0xffffffff {
		t.Errorf("%+v", h.arcs)
	}
}

// profile_on anew forgets the old counts, also in memory that has other contents.
func TestOnAgain(t *testing.T) {
	ops := []operation{do(memory, 10000), do(on, 0x1000, 0x2000, 16, 997)}
	for i := range uint32(30) {
		ops = append(ops, do(call, 0x1001+i*8, 0x1101), do(hit, 0x1000+i*16, 1))
	}
	h := one(t, append(ops, do(memory, 8000), do(on, 0x3000, 0x5000, 8, 1999), do(call, 0x3001, 0x3101))...)
	if h.Result != 1999 || h.Low != 0x3000 || h.Buckets != 1024 || h.Ticks != 0 || len(h.calls(t)) != 1 || h.Started != 2 {
		t.Errorf("%+v", h.block)
	}
	if h := one(t, append(ops, do(off))...); h.State != 0 || h.ArcsUsed != 0 || h.Ticks != 0 {
		t.Errorf("off: %+v", h.block)
	}
}
