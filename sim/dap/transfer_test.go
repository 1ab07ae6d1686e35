package dap

import "testing"

// A write costs a confirming RDBUFF at the end, consecutive AP reads one more
// read than there are data, a DP read nothing.
func TestTransferOnTheWire(t *testing.T) {
	for _, c := range []struct{ name, request, response, wire string }{
		{"none", "05 00 00", "05 00 00", ""},
		{"DP read", "05 00 01 02", "05 01 01 11 00 00 00", "r2"},
		{"DP write", "05 00 01 08 10 00 00 00", "05 01 01", "w8=10 re"},
		{"AP read", "05 00 01 0f", "05 01 01 12 00 00 00", "rf re"},
		{"three AP reads", "05 00 03 0f 0f 03", "05 03 01 12 00 00 00 13 00 00 00 14 00 00 00", "rf rf r3 re"},
		{"AP read, DP read", "05 00 02 0f 06", "05 02 01 12 00 00 00 13 00 00 00", "rf re r6"},
		{"AP read, write", "05 00 02 0f 05 00 00 00 20", "05 02 01 12 00 00 00", "rf re w5=20000000 re"},
		{"write, AP read", "05 00 02 05 00 00 00 20 0f", "05 02 01 13 00 00 00", "w5=20000000 rf re"},
		{"mask only", "05 00 01 20 00 00 02 00", "05 01 01", ""},
		{"AP read, mask", "05 00 02 0f 20 00 00 02 00", "05 02 01 12 00 00 00", "rf re"},
		{"register by DCRSR", "05 00 03 05 0f 00 00 00 03 0b", "05 03 01 13 00 00 00 14 00 00 00", "w5=f r3 rb re"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, full)
			b.expect(c.request, c.response)
			b.wire(c.wire)
		})
	}
}

// Match: (data & mask) == value, the value unmasked. An AP match posts one read
// and then compares; a pass takes two transfers at least and returns no data.
func TestMatch(t *testing.T) {
	const mask = "20 00 00 02 00 " // mask 0x00020000
	ok := func(v uint32) reply { return reply{ackOK, v} }
	for _, c := range []struct {
		name, request, response, wire string
		replies                       []reply
	}{
		{"at once", "05 00 02 " + mask + "13 00 00 02 00", "05 02 01", "r3 r3", []reply{ok(0), ok(0x30003)}},
		{"third look", "05 00 02 " + mask + "13 00 00 02 00", "05 02 01", "r3 r3 r3 r3", []reply{ok(0), ok(1), ok(1), ok(0x20000)}},
		{"never", "05 00 02 " + mask + "13 00 00 02 00", "05 01 11", "r3 r3 r3 r3", []reply{ok(0), ok(1), ok(1), ok(1)}},
		{"never, the posted one would", "05 00 02 " + mask + "13 00 00 02 00", "05 01 11", "r3 r3 r3 r3", []reply{ok(0x20000), ok(1), ok(1), ok(1)}},
		{"value with bits outside the mask", "05 00 02 " + mask + "13 01 00 02 00", "05 01 11", "r3 r3 r3 r3", []reply{ok(0), ok(0x20001), ok(0x20001), ok(0x20001)}},
		{"DP", "05 00 02 " + mask + "16 00 00 02 00", "05 02 01", "r6", []reply{ok(0x20000)}},
		{"after an AP read", "05 00 03 " + mask + "0f 13 00 00 02 00", "05 03 01 22 00 00 00", "rf re r3 r3", []reply{ok(0), ok(0x22), ok(0), ok(0x20000)}},
		{"mismatch cancels", "05 00 03 " + mask + "13 00 00 02 00 01 01 00 5f a0", "05 01 11", "r3 r3 r3 r3", []reply{ok(0), ok(0), ok(0), ok(0)}},
		{"FAULT when posting", "05 00 02 " + mask + "13 00 00 02 00", "05 01 04", "r3", []reply{{4, 0}}},
		{"FAULT when comparing, data of the mask in hand", "05 00 02 " + mask + "13 00 00 02 00", "05 01 04", "r3 r3", []reply{ok(0), {4, 0}}},
		{"FAULT when comparing, other data in hand", "05 00 03 " + mask + "05 00 00 00 00 13 00 00 02 00", "05 02 14", "w5=0 r3 r3", []reply{ok(0), ok(0), {4, 0}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, full)
			b.expect("04 00 00 00 02 00", "04 00") // 2 match retries
			b.answers(c.replies...)
			b.expect(c.request, c.response)
			b.wire(c.wire)
		})
	}
}

// The mask stays in the probe.
func TestMatchMaskPersists(t *testing.T) {
	b := newBench(t, full)
	b.expect("05 00 01 20 ff 00 00 00", "05 01 01")
	b.answers(reply{ackOK, 0}, reply{ackOK, 0xabcd42})
	b.expect("05 00 01 13 42 00 00 00", "05 01 01")
}

// On an error the rest is parsed and not executed. The count has a posted read
// whose data never came.
func TestErrors(t *testing.T) {
	ok, fault, wait, none, parity := reply{ackOK, 0x77}, reply{4, 0}, reply{ackWAIT, 0}, reply{7, 0}, reply{ackError, 0x55}
	for _, c := range []struct {
		name, request, response, wire string
		replies                       []reply
	}{
		{"FAULT first", "05 00 02 0f 0f", "05 00 04", "rf", []reply{fault}},
		{"FAULT on the first data", "05 00 05 0f 0f 0f 0f 0f", "05 01 04", "rf rf", []reply{ok, fault}},
		{"FAULT on the last data", "05 00 05 0f 0f 0f 0f 0f", "05 05 04 77 00 00 00 77 00 00 00 77 00 00 00 77 00 00 00", "rf rf rf rf rf re", []reply{ok, ok, ok, ok, ok, fault}},
		{"FAULT on the check of a write", "05 00 01 0d 01 00 00 00", "05 01 04", "wd=1 re", []reply{ok, fault}},
		{"FAULT on a write", "05 00 02 0d 01 00 00 00 0f", "05 00 04", "wd=1", []reply{fault}},
		{"WAIT runs out", "05 00 02 0f 0f", "05 00 02", "rf rf rf", []reply{wait, wait, wait}},
		{"WAIT, then OK", "05 00 01 02", "05 01 01 77 00 00 00", "r2 r2 r2", []reply{wait, wait, ok}},
		{"no acknowledge", "05 00 02 02 02", "05 00 07", "r2", []reply{none}},
		{"parity", "05 00 02 02 02", "05 01 08 77 00 00 00", "r2 r2", []reply{ok, parity}},
		{"flush before a write fails", "05 00 02 0f 0d 01 00 00 00", "05 01 04", "rf re", []reply{ok, fault}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, full)
			b.expect("04 00 02 00 00 00", "04 00")
			b.answers(c.replies...)
			b.expect(c.request, c.response)
			b.wire(c.wire)
		})
	}
}

// A bus fault on the first DRW of one read: count 1, FAULT, no data.
func TestPostedReadCountsWithoutData(t *testing.T) {
	b := newBench(t, full)
	b.answers(reply{ackOK, 0}, reply{4, 0})
	b.expect("05 00 01 0f", "05 01 04")
}

// Timestamps come before the data of a DP read, at the posting of an AP read,
// and alone after a write. Transfers take 10 us each.
func TestTimestamps(t *testing.T) {
	for _, c := range []struct{ name, request, response string }{
		{"write", "05 00 01 81 03 00 5f a0", "05 01 01 0a 00 00 00"},
		{"DP read", "05 00 01 82", "05 01 01 0a 00 00 00 11 00 00 00"},
		{"AP read", "05 00 01 8f", "05 01 01 0a 00 00 00 12 00 00 00"},
		{"second AP read", "05 00 02 0f 8f", "05 02 01 12 00 00 00 14 00 00 00 13 00 00 00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			newBench(t, full).expect(c.request, c.response)
		})
	}
	m := full
	m.TimestampHz = 0
	newBench(t, m).expect("05 00 01 82", "05 01 01 11 00 00 00")
}

func TestTransferBlock(t *testing.T) {
	ok := reply{ackOK, 0x77}
	for _, c := range []struct {
		name, request, response, wire string
		replies                       []reply
	}{
		{"AP read", "06 00 03 00 0f", "06 03 00 01 12 00 00 00 13 00 00 00 14 00 00 00", "rf rf rf re", nil},
		{"DP read", "06 00 02 00 02", "06 02 00 01 11 00 00 00 12 00 00 00", "r2 r2", nil},
		{"AP write", "06 00 02 00 0d 01 00 00 00 02 00 00 00", "06 02 00 01", "wd=1 wd=2 re", nil},
		{"nothing", "06 00 00 00 0f", "06 00 00 00", "", nil},
		{"FAULT after 1", "06 00 03 00 0f", "06 01 00 04 77 00 00 00", "rf rf rf", []reply{ok, ok, {4, 0}}},
		{"FAULT when posting", "06 00 03 00 0f", "06 00 00 04", "rf", []reply{{4, 0}}},
		{"FAULT on the check", "06 00 01 00 0d 01 00 00 00", "06 01 00 04", "wd=1 re", []reply{ok, {4, 0}}},
		{"then another command", "7f 02 06 00 01 00 0d 01 00 00 00 0a", "7f 02 06 01 00 01 0a 00 00", "wd=1 re", nil},
		{"failed, then another command", "7f 02 06 00 02 00 0d 01 00 00 00 02 00 00 00 0a", "7f 02 06 00 00 04 0a 00 00", "wd=1", []reply{{4, 0}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, full)
			b.answers(c.replies...)
			b.expect(c.request, c.response)
			b.wire(c.wire)
		})
	}
}

// The guard of the sampling batch runs whatever became of the transfers before
// it: mismatch, FAULT, WAIT, no acknowledge.
func TestGuardAlwaysRuns(t *testing.T) {
	const packet = "7f 02 05 00 03 01 03 00 5f a0 13 00 00 02 00 0b 05 00 02 00 1e 00 00 00 01 01 00 5f a0"
	for name, replies := range map[string][]reply{
		"mismatch": {{ackOK, 0}, {ackOK, 0}, {ackOK, 0}},
		"FAULT":    {{4, 0}},
		"WAIT":     {{ackWAIT, 0}},
		"no ack":   {{7, 0}},
	} {
		b := newBench(t, full)
		b.expect("04 00 00 00 00 00", "04 00")
		b.expect("05 00 01 20 ff ff ff ff", "05 01 01")
		b.lines.log = nil
		b.answers(replies...)
		b.Execute(unhex(packet))
		n := len(b.lines.log)
		if n < 3 || b.lines.log[n-3] != "w0=1e" || b.lines.log[n-2] != "w1=a05f0001" || b.lines.log[n-1] != "re" {
			t.Errorf("%s: %v", name, b.lines.log)
		}
	}
}

// Firmware up to V2.1.0 loses the guard: after an error it skips one request
// more than there are, which here are the first five bytes of the guard, and
// takes the zeros that follow for DAP_Info.
func TestCancelOverrunLosesTheGuard(t *testing.T) {
	m := full
	m.CancelOverrun = true
	b := newBench(t, m)
	b.answers(reply{4, 0})
	b.expect("7f 02 05 00 02 01 03 00 5f a0 0b 05 00 02 00 1e 00 00 00 01 01 00 5f a0", "7f 02 05 00 04 00 00")
	b.wire("w1=a05f0003")
	b.expect("7f 02 05 00 02 01 03 00 5f a0 0b 05 00 01 00 1e 00 00 00", "7f 02 05 02 01 14 00 00 00 05 01 01")
}

// DAP_TransferAbort ends retries and the command; what was done stays done.
func TestAbort(t *testing.T) {
	b := newBench(t, full)
	b.lines.abortAt = 3
	b.answers(reply{ackWAIT, 0}, reply{ackWAIT, 0}, reply{ackWAIT, 0}, reply{ackWAIT, 0})
	b.expect("05 00 02 02 02", "05 00 02")
	b.wire("r2 r2 r2")
	b = newBench(t, full)
	b.lines.abortAt = 1
	b.expect("7f 02 05 00 02 06 08 00 00 00 00 0a", "7f 02 05 01 01 11 00 00 00 0a 00 00")
	b.wire("r6")
}
