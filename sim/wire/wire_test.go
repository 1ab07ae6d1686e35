package wire

import (
	"testing"
	"time"
)

func TestCycles(t *testing.T) {
	for _, c := range []struct {
		n    uint64
		hz   uint32
		want Instant
	}{
		{46, 1_000_000, 46_000_000}, {46, 4_000_000, 11_500_000}, {46, 10_000_000, 4_600_000},
		{1, 12_000_000, 83_333}, {0, 5, 0}, {7, 0, 0}, {1 << 63, 1, 1<<63 - 1},
	} {
		if got := Cycles(c.n, c.hz); got != c.want {
			t.Errorf("Cycles(%d, %d) = %d ps, want %d", c.n, c.hz, got, c.want)
		}
	}
}

// A cycle count turned into time and back is the same count or, where the
// picosecond was cut, one less.
func TestCountInvertsCycles(t *testing.T) {
	for _, hz := range []uint32{32768, 1_000_000, 16_000_000, 168_000_000, 4_294_967_295} {
		for _, n := range []uint64{0, 1, 2, 999, 123_456_789} {
			got := Cycles(n, hz).Count(hz)
			if got != n && got+1 != n {
				t.Errorf("%d cycles of %d Hz came back as %d", n, hz, got)
			}
		}
	}
	if Instant(-1).Count(10) != 0 {
		t.Error("a negative instant has cycles")
	}
}

// The transfers of the table in design (halt write to resume write): 7 for PC,
// 23 for five checked registers, 91 with 64 words of stack.
func TestTransferTimeAgainstTable(t *testing.T) {
	bare := Model{MaxSWCLK: 50_000_000}
	for _, c := range []struct {
		n    int
		mhz  uint32
		want time.Duration
	}{
		{7, 1, 322 * time.Microsecond}, {7, 2, 161 * time.Microsecond}, {7, 4, 80500 * time.Nanosecond}, {7, 10, 32200 * time.Nanosecond},
		{23, 1, 1058 * time.Microsecond}, {23, 2, 529 * time.Microsecond}, {23, 4, 264500 * time.Nanosecond}, {23, 10, 105800 * time.Nanosecond},
		{91, 1, 4186 * time.Microsecond}, {91, 10, 418600 * time.Nanosecond},
	} {
		if got := bare.TransferTime(c.n, c.mhz*1_000_000); got != c.want {
			t.Errorf("%d transfers at %d MHz: %v, want %v", c.n, c.mhz, got, c.want)
		}
	}
	over := Model{MaxSWCLK: 2_000_000, TransferOverhead: time.Microsecond}
	if got := over.TransferTime(10, 10_000_000); got != 240*time.Microsecond {
		t.Errorf("clamped to 2 MHz with 1 us overhead: %v, want 240us", got)
	}
}

func TestModels(t *testing.T) {
	for _, name := range Models() {
		m, err := ByName(name)
		if err != nil || m.Name != name || m.PacketSize < 64 || m.PacketCount < 1 || m.MaxSWCLK == 0 || m.PacketTime == 0 {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
		if m.HID != (m.PollInterval != 0) {
			t.Errorf("%s: HID %v with poll interval %v", name, m.HID, m.PollInterval)
		}
	}
	if m, err := ByName(""); err != nil || m.Name != DefaultModel || Models()[0] != DefaultModel {
		t.Errorf("default: %v, %v", m.Name, err)
	}
	if _, err := ByName("st-link"); err == nil {
		t.Error("an unknown model was found")
	}
}

// bulk is a model with round numbers: 10 us on the bus, 2 buffers.
var bulk = Model{PacketTime: 10 * time.Microsecond, PacketCount: 2, MaxSWCLK: 1_000_000}

const us = Instant(1_000_000)

// Two packets submitted at 0: the second arrives while the first executes and
// starts the moment the first is done.
func TestQueuedPacketStartsAtOnce(t *testing.T) {
	l := NewTimeline(bulk, 0)
	if at := l.Begin(0); at != 10*us {
		t.Fatalf("first starts at %d ps, want 10 us", at)
	}
	if at := l.End(110 * us); at != 120*us {
		t.Fatalf("first response at %d ps, want 120 us", at)
	}
	if at := l.Begin(0); at != 110*us {
		t.Fatalf("second starts at %d ps, want 110 us", at)
	}
	if at := l.End(115 * us); at != 130*us {
		t.Fatalf("second response at %d ps, want 130 us: the IN direction is taken until 120", at)
	}
}

// With 2 buffers the third packet is taken when the first is done, and arrives
// 10 us later.
func TestThirdPacketWaitsForABuffer(t *testing.T) {
	l := NewTimeline(bulk, 0)
	l.Begin(0)
	l.End(110 * us)
	l.Begin(0)
	l.End(111 * us)
	if at := l.Begin(0); at != 120*us {
		t.Fatalf("third starts at %d ps, want 120 us", at)
	}
}

// hid has frames of 1 ms.
var hid = Model{HID: true, PacketTime: 50 * time.Microsecond, PollInterval: time.Millisecond, PacketCount: 4, MaxSWCLK: 2_000_000}

// One report per frame and direction: two reports submitted together start
// 1 ms apart, and a response leaves in the frame after it is ready.
func TestHIDSlots(t *testing.T) {
	l := NewTimeline(hid, 0)
	if at := l.Begin(300 * us); at != 1050*us {
		t.Fatalf("first starts at %d ps, want 1050 us", at)
	}
	if at := l.End(1100 * us); at != 2050*us {
		t.Fatalf("first response at %d ps, want 2050 us", at)
	}
	if at := l.Begin(300 * us); at != 2050*us {
		t.Fatalf("second starts at %d ps, want 2050 us", at)
	}
	if at := l.End(2060 * us); at != 3050*us {
		t.Fatalf("second response at %d ps, want 3050 us", at)
	}
}

// BatchTime is the sum where packets follow without a gap, and has the frames
// of HID in it.
func TestBatchTime(t *testing.T) {
	load := []Load{{1, 20}, {1, 20}, {1, 20}}
	m := Model{PacketTime: 50 * time.Microsecond, PacketCount: 6, MaxSWCLK: 1_000_000, CommandOverhead: time.Microsecond}
	if got, want := m.BatchTime(load, 1_000_000), 3*(20*46+1)*time.Microsecond; got != want {
		t.Errorf("back to back: %v, want %v", got, want)
	}
	m.PacketCount = 1
	gap := 50 * time.Microsecond // the OUT of the next can only start when the buffer is free
	if got, want := m.BatchTime(load, 1_000_000), 3*(20*46+1)*time.Microsecond+2*gap; got != want {
		t.Errorf("one buffer: %v, want %v", got, want)
	}
	h := hid
	if got, want := h.BatchTime([]Load{{0, 10}, {0, 10}}, 2_000_000), time.Millisecond+230*time.Microsecond; got != want {
		t.Errorf("HID: %v, want %v", got, want)
	}
}

func TestRoundTrip(t *testing.T) {
	if got := bulk.RoundTrip(30 * time.Microsecond); got != 50*time.Microsecond {
		t.Errorf("bulk: %v", got)
	}
	if got := hid.RoundTrip(30 * time.Microsecond); got != 1550*time.Microsecond {
		t.Errorf("HID: %v, want half a frame out, one in, and the packet", got)
	}
}
