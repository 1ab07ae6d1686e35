package probe_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/probe/probetest"
)

// quick is a time limit that a test can afford to run into.
var quick = probe.Options{Timeout: 30 * time.Millisecond}

func open(t *testing.T, g *target) *probe.Probe {
	t.Helper()
	p, err := probe.Open(context.Background(), g.transport(), quick)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func TestOpen(t *testing.T) {
	g := newTarget()
	p := open(t, g)
	want := probe.Info{Product: "Test", Capabilities: 0x31, PacketSize: 64, PacketCount: 4, TimestampHz: 1_000_000}
	if d := cmp.Diff(want, p.Info()); d != "" {
		t.Error(d)
	}
	if p.DPIDR() != 0x2BA01477 || p.APIndex() != 0 || p.APIDR() != 0x24770011 || !p.HasExecuteCommands() {
		t.Errorf("DPIDR 0x%08x, AP %d IDR 0x%08x, execute %v", p.DPIDR(), p.APIndex(), p.APIDR(), p.HasExecuteCommands())
	}
	if g.ctrl != 0xF0000000 || g.csw != 0x23000052 {
		t.Errorf("CTRL/STAT 0x%08x, CSW 0x%08x", g.ctrl, g.csw)
	}
	if err := p.Close(); err != nil || g.connected != 0 {
		t.Errorf("close: %v, connected %d", err, g.connected)
	}
}

func TestOpenDropsStalePackets(t *testing.T) {
	g := newTarget()
	tr := g.transport()
	for range 5 {
		tr.Inject([]byte{5, 1, 1, 0, 0, 0, 0})
	}
	p, err := probe.Open(context.Background(), tr, quick)
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
}

// chatty sends a packet of its own before each answer.
type chatty struct{ *probetest.Responder }

func (c chatty) WritePacket(ctx context.Context, p []byte) error {
	c.Inject([]byte{0x0A})
	return c.Responder.WritePacket(ctx, p)
}

func TestOpenOutOfStep(t *testing.T) {
	_, err := probe.Open(context.Background(), chatty{newTarget().transport()}, quick)
	if !errors.Is(err, probe.ErrResponse) || !strings.Contains(err.Error(), "in step") {
		t.Errorf("error %v", err)
	}
}

// TestOpenWire: JTAG-to-SWD is tried first, then the dormant sequence.
func TestOpenWire(t *testing.T) {
	for _, c := range []struct {
		name    string
		deaf    int
		dormant bool
		err     error
	}{
		{"wakes at the second sequence", 2, false, nil},
		{"dormant", 1, true, nil},
		{"silent", 1000, false, probe.ErrNoTarget},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newTarget()
			g.deaf, g.dormant = c.deaf, c.dormant
			p, err := probe.Open(context.Background(), g.transport(), quick)
			if !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			if err != nil {
				if g.connected != 0 {
					t.Error("the probe is left connected")
				}
				return
			}
			p.Close()
		})
	}
}

func TestExecuteIsTried(t *testing.T) {
	g := newTarget()
	g.noExecute = true
	if p := open(t, g); p.HasExecuteCommands() {
		t.Error("a probe without DAP_ExecuteCommands passes for one with it, because of its capability bit")
	}
}

func TestWalk(t *testing.T) {
	const ahb, apb = 0x24770011, 0x24770002
	v6 := map[uint32]uint32{ // a ROM table at 0x1000, a nested one at 0x4000, ports at 0x2000 and 0x5000
		0x1FF4: 0x90, 0x1FBC: 0x47700AF7, 0x1000: 0x00000002, 0x1004: 0x00003003,
		0x4FF4: 0x90, 0x4FBC: 0x47700AF7, 0x4000: 0x00001003, 0x4004: 0xFFFFE003,
		0x5FF4: 0x90, 0x5DFC: 0x34770006, // APB
		0x2FF4: 0x90, 0x2DFC: 0x34770008, // AHB5, enhanced HPROT
	}
	for _, c := range []struct {
		name  string
		dpidr uint32
		ports map[uint32]uint32
		index uint32
		err   string
	}{
		{"first", 0x2BA01477, map[uint32]uint32{0: ahb}, 0, ""},
		{"after a gap", 0x2BA01477, map[uint32]uint32{0: apb, 200: ahb}, 200, ""},
		{"the last of all", 0x2BA01477, map[uint32]uint32{255: ahb}, 255, ""},
		{"only APB", 0x2BA01477, map[uint32]uint32{1: apb}, 0, "no access port is an AHB-AP: 0x1 (IDR 0x24770002)"},
		{"none", 0x2BA01477, nil, 0, "has no access port"},
		{"ADIv6", 0x4C013477, v6, 0x2000, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newTarget()
			g.dpidr, g.ports = c.dpidr, c.ports
			p, err := probe.Open(context.Background(), g.transport(), quick)
			if err != nil {
				if c.err == "" || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want %q", err, c.err)
				}
				return
			}
			defer p.Close()
			if c.err != "" || p.APIndex() != c.index {
				t.Fatalf("AP 0x%x, want 0x%x, error %q", p.APIndex(), c.index, c.err)
			}
			if v := p.SelectWord(probe.BankData); c.index == 0x2000 && v != 0x2D10 || c.index < 256 && v != c.index<<24|0x10 {
				t.Errorf("SELECT of the banked data registers is 0x%08x", v)
			}
		})
	}
}

func TestOptionAP(t *testing.T) {
	g := newTarget()
	g.ports = map[uint32]uint32{0: 0x24770011, 3: 0x24770011}
	three := uint32(3)
	o := quick
	o.AP = &three
	p, err := probe.Open(context.Background(), g.transport(), o)
	if err != nil || p.APIndex() != 3 {
		t.Fatal(p, err)
	}
	g.ports[3] = 0x02880000 // a JTAG-AP class
	if _, err = probe.Open(context.Background(), g.transport(), o); err == nil || !strings.Contains(err.Error(), "no MEM-AP") {
		t.Errorf("error %v", err)
	}
}

func TestLockedAP(t *testing.T) {
	g := newTarget()
	g.csw = 0
	_, err := probe.Open(context.Background(), g.transport(), quick)
	if err == nil || !strings.Contains(err.Error(), "debug access is disabled") {
		t.Errorf("error %v", err)
	}
}
