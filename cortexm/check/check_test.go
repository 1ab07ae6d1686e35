package check_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm/check"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
)

func board(t testing.TB, o sim.Options) *sim.Board {
	t.Helper()
	if o.ELF == nil {
		o.ELF = demo.ELF
	}
	if o.CoreHz == 0 {
		o.CoreHz = 4_000_000 // the fewer cycles, the less to simulate
	}
	b, err := sim.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func program(t testing.TB, name string) []byte {
	t.Helper()
	elf, err := os.ReadFile("../../sim/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return elf
}

// examine runs all checks on a board, which must be left as it was.
func examine(t testing.TB, b *sim.Board, tr probe.Transport) (*check.Report, error) {
	t.Helper()
	before := debugState(b)
	r, err := check.Run(t.Context(), tr, check.Options{Clock: b})
	leftAlone(t, b)
	if after := debugState(b); err == nil && after != before {
		t.Errorf("DEMCR and DWT_CTRL were %08x, are %08x", before, after)
	}
	return r, err
}

func leftAlone(t testing.TB, b *sim.Board) {
	t.Helper()
	if s := b.CoreState(); s.Halted || s.DebugEnabled {
		t.Errorf("the core is left %+v", s)
	}
}

// debugState is DEMCR and DWT_CTRL, which can only be read with TRCENA set.
func debugState(b *sim.Board) (state [2]uint32) {
	state[0], _ = b.Core().ReadBus(0xE000EDFC, 4)
	b.Core().WriteBus(0xE000EDFC, 4, state[0]|1<<24)
	state[1], _ = b.Core().ReadBus(0xE0001000, 4)
	b.Core().WriteBus(0xE000EDFC, 4, state[0])
	return state
}

func find(t testing.TB, r *check.Report, name string) check.Finding {
	t.Helper()
	for _, f := range r.Findings {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no finding %q in %+v", name, r.Findings)
	return check.Finding{}
}

// want compares the verdicts that are not ok, and facts by what they contain.
func want(t *testing.T, r *check.Report, verdicts map[string]check.Verdict, facts map[string]string) {
	t.Helper()
	for _, f := range r.Findings {
		v, ok := verdicts[f.Name]
		if !ok {
			v = check.OK
		}
		if f.Verdict != v {
			t.Errorf("%s: %s, want %s: %s", f.Name, f.Verdict, v, strings.Join(f.Facts, "; "))
		}
	}
	for name, part := range facts {
		if f := find(t, r, name); !strings.Contains(strings.Join(f.Facts, "\n"), part) {
			t.Errorf("%s: %q is not in\n%s", name, part, strings.Join(f.Facts, "\n"))
		}
	}
}

// TestModels: the report tells the simulated probes from each other.
func TestModels(t *testing.T) {
	const differs, unknown = check.Differs, check.CannotTell
	for _, c := range []struct {
		model    string
		verdicts map[string]check.Verdict
		facts    map[string]string
	}{
		{"mcu-link", nil, map[string]string{
			"packet sizes": "response of 512 bytes: ok", "packets in flight": "4 packets",
			"timestamps": "says 10000000 Hz", "DAP_TransferAbort": "handled", "guard packet": "63 bytes, answered with 56: 5 registers, the core runs behind it",
		}},
		{"debugprobe", nil, map[string]string{
			"packet sizes": "request of 64 bytes: ok", "packets in flight": "6 packets",
			"timestamps": "says 1000000 Hz", "DAP_TransferAbort": "not known", "guard packet": "with a match that fails (match CSW/BD0: value mismatch after 1 transfer): the core runs behind it",
		}},
		{"daplink-hid", map[string]check.Verdict{"SWCLK": differs, "halt to resume": unknown}, map[string]string{
			"timestamps": "no clock", "DAP_TransferAbort": "handled",
			"guard packet": "63 bytes, answered with 48",
		}},
		{"free-dap", map[string]check.Verdict{"guard packet": differs, "halt to resume": unknown}, map[string]string{
			"capabilities": "0x01 (SWD)", "guard packet": "is not there",
		}},
		{"daplink-hid-2.1.0", map[string]check.Verdict{"SWCLK": differs, "guard packet": differs, "halt to resume": unknown}, map[string]string{
			"guard packet": "misreads the command behind it",
		}},
	} {
		t.Run(c.model, func(t *testing.T) {
			b := board(t, sim.Options{Model: c.model})
			r, err := examine(t, b, b.Transport())
			if err != nil {
				t.Fatal(err)
			}
			want(t, r, c.verdicts, c.facts)
			figures(t, r, b)
			if u := r.Unsafe(); len(u) > 0 {
				t.Errorf("unsafe: %v", u)
			}
			if r.HaltedLongest > check.Longest || r.Halts == 0 {
				t.Errorf("%d halts of at most %v", r.Halts, r.HaltedLongest)
			}
			if stood := b.HaltedTime(); stood > r.HaltedTotal {
				t.Errorf("the core stood %v, the report says %v", stood, r.HaltedTotal)
			}
		})
	}
}

// figures compares what was measured with what the model of the probe has.
func figures(t *testing.T, r *check.Report, b *sim.Board) {
	t.Helper()
	m := b.Model()
	wire := find(t, r, "SWCLK")
	for _, c := range []struct {
		f         check.Finding
		name      string
		want, off float64
	}{
		{wire, "transfer_us", float64(m.TransferTime(1, 4_000_000)) / 1e3, 0.3},
		{wire, "overhead_us", float64(m.TransferOverhead) / 1e3, 0.3},
		{wire, "swclk_hz_of_4000000", float64(m.SWCLK(4_000_000)), 1e5},
		{wire, "swclk_hz_of_20000000", float64(m.SWCLK(20_000_000)), 1e6},
		{find(t, r, "DAP_Delay"), "delay_us", 50_000, 1100},
		{find(t, r, "CYCCNT"), "core_hz", float64(b.CoreHz()), 3e5},
		{find(t, r, "packets in flight"), "packets", float64(m.PacketCount), 0},
	} {
		if d := c.f.Values[c.name] - c.want; d > c.off || d < -c.off {
			t.Errorf("%s: %s is %g, the model has %g", c.f.Name, c.name, c.f.Values[c.name], c.want)
		}
	}
	if m.HID {
		if p := find(t, r, "gap between packets").Values["packet_us"]; p < 900 || p > 1100 {
			t.Errorf("a packet takes %g us in frames of 1 ms", p)
		}
	}
}

// TestSlowCore: S_REGRDY comes late at the speed of the wire.
func TestSlowCore(t *testing.T) {
	b := board(t, sim.Options{Model: "mcu-link", RegReadyCycles: 600})
	r, err := examine(t, b, b.Transport())
	if err != nil {
		t.Fatal(err)
	}
	f := find(t, r, "S_REGRDY")
	if f.Verdict != check.Differs || f.Unsafe || f.Values["late_at_4000000_hz"] < 900 {
		t.Errorf("%+v", f)
	}
}

// TestPrograms: one that sleeps nearly always, and a core without trace.
func TestPrograms(t *testing.T) {
	b := board(t, sim.Options{ELF: program(t, "sleep.elf")})
	r, err := examine(t, b, b.Transport())
	if err != nil {
		t.Fatal(err)
	}
	if f := find(t, r, "PCSR"); f.Values["asleep_reads"] < 100 {
		t.Errorf("%+v", f)
	}
	b = board(t, sim.Options{ELF: program(t, "spin-m0.elf")})
	if r, err = examine(t, b, b.Transport()); err != nil {
		t.Fatal(err)
	}
	want(t, r, map[string]check.Verdict{"CYCCNT": check.CannotTell}, map[string]string{"CYCCNT": "no cycle counter"})
}

// TestChips: banked data registers and the rest on ADIv6, and on a core of two.
func TestChips(t *testing.T) {
	for chip, fact := range map[string]string{"rp2350": "ADIv6", "rp2040": "ADIv5"} {
		b := board(t, sim.Options{Chip: chip, Model: "debugprobe"})
		r, err := check.Run(t.Context(), b.Transport(), check.Options{Clock: b, Connect: probe.Options{Core: 1}})
		leftAlone(t, b)
		if err != nil {
			t.Fatalf("%s: %v", chip, err)
		}
		if f := find(t, r, "banked data registers"); f.Verdict != check.OK || !strings.Contains(f.Facts[0], fact) {
			t.Errorf("%s: %+v", chip, f)
		}
		if f := find(t, r, "guard packet"); f.Verdict != check.OK {
			t.Errorf("%s: %+v", chip, f)
		}
	}
}

// TestUnderReset: a core that is attached under reset runs all the same, and is
// left running.
func TestUnderReset(t *testing.T) {
	b := board(t, sim.Options{})
	r, err := check.Run(t.Context(), b.Transport(), check.Options{Clock: b, Connect: probe.Options{ConnectUnderReset: true}})
	if err != nil {
		t.Fatal(err)
	}
	leftAlone(t, b)
	want(t, r, nil, map[string]string{"guard packet": "5 registers"})
}

// TestPCSR: what it reads asleep, and a core without.
func TestPCSR(t *testing.T) {
	b := board(t, sim.Options{ELF: program(t, "sleep.elf"), PCSRAsleep: 0xFFFFFFFF})
	r, err := examine(t, b, b.Transport())
	if err != nil {
		t.Fatal(err)
	}
	if f := find(t, r, "PCSR"); f.Values["asleep_ones"] < 150 {
		t.Errorf("%+v", f)
	}
	b = board(t, sim.Options{NoPCSR: true})
	if r, err = examine(t, b, b.Transport()); err != nil {
		t.Fatal(err)
	}
	if f := find(t, r, "PCSR"); f.Verdict != check.Differs {
		t.Errorf("%+v", f)
	}
}

// TestUnplugged: the report is kept, and the error says that the probe is gone.
// What a probe that is pulled leaves behind is not ours any more.
func TestUnplugged(t *testing.T) {
	for _, after := range []time.Duration{time.Second, 3 * time.Second, 5 * time.Second} {
		b := board(t, sim.Options{Faults: sim.Script{{Kind: sim.Unplug, After: after}}})
		r, err := check.Run(t.Context(), b.Transport(), check.Options{Clock: b})
		if !errors.Is(err, probe.ErrDisconnected) || r == nil {
			t.Fatalf("after %v: report %v, error %v", after, r, err)
		}
		if last := r.Findings[len(r.Findings)-1]; last.Verdict != check.CannotTell {
			t.Errorf("after %v: %+v", after, last)
		}
	}
}

// TestFaults: what happens once, or passes, ends no check but the one that it
// hit; the core runs afterwards, and nothing is called unsafe.
func TestFaults(t *testing.T) {
	for kind, f := range map[string]sim.Fault{
		"WAIT": {Kind: sim.TransferWAIT}, "FAULT": {Kind: sim.TransferFAULT}, "no acknowledge": {Kind: sim.NoAck}, "parity": {Kind: sim.Parity},
		"short": {Kind: sim.ShortPacket, Bytes: 1}, "late": {Kind: sim.LatePacket, For: 2 * time.Second},
		"reset": {Kind: sim.TargetReset}, "debug domain off": {Kind: sim.DebugOff, For: 300 * time.Millisecond},
	} {
		for _, after := range []time.Duration{4 * time.Second, 4700 * time.Millisecond} {
			if testing.Short() && after != 4*time.Second {
				continue
			}
			f.After = after
			b := board(t, sim.Options{Faults: sim.Script{f}})
			r, err := check.Run(t.Context(), b.Transport(), check.Options{Clock: b})
			leftAlone(t, b)
			if err != nil || len(r.Unsafe()) > 0 {
				t.Errorf("%s after %v: unsafe %v, error %v", kind, after, r.Unsafe(), err)
			}
		}
	}
}

// TestEnded: the end of ctx in front of or within any check leaves the core
// running.
func TestEnded(t *testing.T) {
	var names []string
	b := board(t, sim.Options{})
	if _, err := check.Run(t.Context(), b.Transport(), check.Options{Clock: b, Begin: func(n string) { names = append(names, n) }}); err != nil {
		t.Fatal(err)
	}
	places := []int{0, 1, 7}
	if testing.Short() {
		places = []int{2}
	}
	for i := range names {
		for _, packets := range places {
			b := board(t, sim.Options{})
			ctx, cancel := context.WithCancel(t.Context())
			c := &counter{Transport: b.Transport(), left: -1, then: cancel}
			at := 0
			_, err := check.Run(ctx, c, check.Options{Clock: b, Begin: func(string) {
				if at++; at == i+1 {
					c.left = packets
				}
			}})
			cancel()
			if !errors.Is(err, context.Canceled) {
				t.Errorf("ended in %s: error %v", names[i], err)
			}
			leftAlone(t, b)
		}
	}
}

// counter calls then after so many packets.
type counter struct {
	probe.Transport
	left int
	then func()
}

func (c *counter) WritePacket(ctx context.Context, p []byte) error {
	if c.left == 0 {
		c.then()
	}
	c.left--
	return c.Transport.WritePacket(ctx, p)
}

// spoiler is a probe that does something else than it is told.
type spoiler struct {
	probe.Transport
	request  func([]byte)
	response func([]byte)
}

func (s *spoiler) WritePacket(ctx context.Context, p []byte) error {
	p = append([]byte(nil), p...)
	if s.request != nil {
		s.request(p)
	}
	return s.Transport.WritePacket(ctx, p)
}

func (s *spoiler) ReadPacket(ctx context.Context, p []byte) (int, error) {
	n, err := s.Transport.ReadPacket(ctx, p)
	if err == nil && s.response != nil {
		s.response(p[:n])
	}
	return n, err
}

// TestGuardThatDoesNotResume is what must never be sampled with: the core
// stands behind the packet, and is resumed by hand.
func TestGuardThatDoesNotResume(t *testing.T) {
	b := board(t, sim.Options{})
	r, err := examine(t, b, &spoiler{Transport: b.Transport(), request: func(p []byte) {
		if len(p) == 63 && p[0] == 0x7F {
			p[59] = 0x03 // the guard's DHCSR: halt
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	f := find(t, r, "guard packet")
	if f.Verdict != check.Differs || !f.Unsafe || !strings.Contains(strings.Join(f.Facts, "\n"), "does NOT run") {
		t.Errorf("%+v", f)
	}
	if len(r.Unsafe()) == 0 {
		t.Error("the report calls it safe")
	}
}

// TestGarbageWhileRunning: a part whose flash reads wrong while the core runs.
func TestGarbageWhileRunning(t *testing.T) {
	b := board(t, sim.Options{})
	r, err := examine(t, b, &spoiler{Transport: b.Transport(), response: func(p []byte) {
		if len(p) > 400 && p[0] == 5 && !b.CoreState().Halted {
			p[200] ^= 0x40
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	f := find(t, r, "memory while running")
	if f.Verdict != check.Differs || f.Values["differing_reads"] != 20 {
		t.Errorf("%+v", f)
	}
}
