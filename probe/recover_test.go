package probe_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/probe/probetest"
)

// TestRecover: every rung of the ladder, and that it stops at the mildest that
// helps. The log is of command bytes: 05 DAP_Transfer, 12 DAP_SWJ_Sequence, 02
// and 03 DAP_Connect and DAP_Disconnect.
func TestRecover(t *testing.T) {
	for _, c := range []struct {
		name   string
		broken func(*target)
		needs  string // command that must be in the log, "" for none of the others
		not    string
		err    error
	}{
		{"sticky error", func(g *target) { g.sticky = true }, "", "\x12\x02\x03", nil},
		{"line out of step", func(g *target) { g.needsIDR = true }, "\x12", "\x02\x03", nil},
		{"deaf to line reset", func(g *target) { g.deaf = 1 }, "\x12", "\x02\x03", nil},
		{"dormant", func(g *target) { g.deaf, g.dormant = 1, true }, "\x12", "\x02\x03", nil},
		{"very deaf", func(g *target) { g.deaf = 8 }, "\x02\x03", "", nil},
		{"power lost", func(g *target) { g.ctrl = 0 }, "\x12", "\x02\x03", nil},
		{"gone", func(g *target) { g.deaf = 1000 }, "\x02\x03", "", probe.ErrNoTarget},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newTarget()
			p := open(t, g)
			g.log = nil
			c.broken(g)
			if err := p.Recover(ctx); !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			log := string(g.log)
			for _, b := range c.needs {
				if !strings.ContainsRune(log, b) {
					t.Errorf("command 0x%02x was not needed", b)
				}
			}
			if strings.ContainsAny(log, c.not) {
				t.Errorf("went further than needed: % x", log)
			}
			if c.err != nil {
				return
			}
			if err := p.WriteWord(ctx, 0x20000000, 42); err != nil || g.mem[0x20000000] != 42 {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

func TestReset(t *testing.T) {
	g := newTarget()
	p := open(t, g)
	g.ctrl, g.csw, g.sel = 0, 0x23000040, 0x01000000 // what a reset leaves behind
	g.log = nil
	if err := p.Reset(ctx); err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(g.log), "\x10") != 2 {
		t.Errorf("nRESET is not pulsed: % x", g.log)
	}
	if _, err := p.ReadWord(ctx, 0x20000000); err != nil {
		t.Error(err)
	}
}

// TestLostResponse: the read fails naming the command, and the one after it
// does not get an older answer.
func TestLostResponse(t *testing.T) {
	for lost := 1; lost <= 5; lost++ {
		g := newTarget()
		p := open(t, g)
		want := fill(g, 0x20000000, 300)
		start := g.requests
		g.dropReply = func(n int, request []byte) bool { return n == start+lost }
		err := p.ReadMemory(ctx, 0x20000000, make([]byte, 300))
		if !errors.Is(err, probe.ErrTimeout) || !strings.Contains(err.Error(), "DAP_Transfer") {
			t.Fatalf("response %d lost: %v", lost, err)
		}
		got := make([]byte, 300)
		if err := p.ReadMemory(ctx, 0x20000000, got); err != nil || string(got) != string(want) {
			t.Errorf("response %d lost, then: %v", lost, err)
		}
	}
}

// late is a transport whose responses can be held back.
type late struct {
	*probetest.Responder
	hold bool
}

func (l *late) ReadPacket(ctx context.Context, p []byte) (int, error) {
	if l.hold {
		<-ctx.Done()
		return 0, ctx.Err()
	}
	return l.Responder.ReadPacket(ctx, p)
}

// TestLateResponse: responses that come after all, when nobody waits any more,
// are not taken for those of the next commands; neither after our own time
// limit nor after the end of the caller's context.
func TestLateResponse(t *testing.T) {
	g := newTarget()
	l := &late{Responder: g.transport()}
	p, err := probe.Open(ctx, l, quick)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	want := fill(g, 0x20000000, 300)
	for i := range 3 {
		l.hold = true
		if err := p.ReadMemory(ctx, 0x30000000, make([]byte, 300)); !errors.Is(err, probe.ErrTimeout) {
			t.Fatal(err)
		}
		short, cancel := context.WithTimeout(ctx, time.Millisecond)
		if err := p.ReadMemory(short, 0x30000000, make([]byte, 300)); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		cancel()
		l.hold = false
		got := make([]byte, 300)
		if err := p.ReadMemory(ctx, 0x20000000, got); err != nil || string(got) != string(want) {
			t.Fatalf("round %d: %v", i, err)
		}
	}
}

func TestUnplug(t *testing.T) {
	g := newTarget()
	tr := g.transport()
	p, err := probe.Open(ctx, tr, quick)
	if err != nil {
		t.Fatal(err)
	}
	tr.Close()
	if _, err := p.ReadWord(ctx, 0x20000000); !errors.Is(err, probe.ErrDisconnected) {
		t.Errorf("read: %v", err)
	}
	if err := p.Recover(ctx); !errors.Is(err, probe.ErrDisconnected) {
		t.Errorf("recover: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}
