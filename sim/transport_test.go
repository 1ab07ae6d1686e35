package sim_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
)

// Responses that one transport left unread are the first that the next reads.
func TestStaleResponses(t *testing.T) {
	h := newHost(t, sim.Options{})
	h.send("00 FE")
	h.send("00 FF")
	h.wire.Close()
	if err := h.wire.WritePacket(context.Background(), []byte{0, 1}); err == nil {
		t.Error("a closed transport takes packets")
	}
	h.wire = h.board.Transport()
	h.send("00 04")
	for _, want := range []byte{1, 2, 6} {
		if r := h.receive(); r[1] != want {
			t.Errorf("response % x, want length %d", r, want)
		}
	}
}

// Closing in the middle leaves the core as the packets under way leave it.
func TestCloseInTheMiddle(t *testing.T) {
	h := newHost(t, sim.Options{})
	h.connect(10_000_000)
	h.send("05 00 01 01 03 00 5F A0")
	h.wire.Close()
	if s := h.board.CoreState(); !s.Halted || !s.DebugEnabled {
		t.Errorf("core %+v", s)
	}
}

// With nothing on its way, a wait with a deadline is over after 20 ms of virtual
// time, whatever the wall clock says: a run must not depend on it.
func TestReadOfNothing(t *testing.T) {
	h := newHost(t, sim.Options{ELF: elfFile(t, "sleep.elf")})
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Second)
	defer cancel()
	if _, err := h.wire.ReadPacket(ctx, make([]byte, 512)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if d := h.board.Now(); d != 20*time.Millisecond {
		t.Errorf("virtual time %v", d)
	}
}

// A machine that gets to a command after its deadline sends it all the same, and the answer comes: a run
// must not depend on the wall clock.
func TestExchangeBehindTheDeadline(t *testing.T) {
	h := newHost(t, sim.Options{})
	ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	if err := h.wire.WritePacket(ctx, []byte{0x00, 0xFE}); err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 512)
	if n, err := h.wire.ReadPacket(ctx, p); err != nil || n != 3 || p[0] != 0 {
		t.Errorf("% x, %v", p[:n], err)
	}
}

// Without a deadline a reader waits for a writer on another goroutine, or for
// the end of its context.
func TestReadWaitsForWrite(t *testing.T) {
	h := newHost(t, sim.Options{})
	got := make(chan []byte)
	go func() {
		p := make([]byte, 512)
		n, _ := h.wire.ReadPacket(context.Background(), p)
		got <- p[:n]
	}()
	h.send("00 FE")
	if r := <-got; len(r) != 3 {
		t.Errorf("response % x", r)
	}
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error)
	go func() {
		_, err := h.wire.ReadPacket(ctx, make([]byte, 512))
		failed <- err
	}()
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestPacketTooLong(t *testing.T) {
	h := newHost(t, sim.Options{Model: "debugprobe"})
	for _, n := range []int{0, 65} {
		if err := h.wire.WritePacket(context.Background(), make([]byte, n)); err == nil {
			t.Errorf("a packet of %d bytes was taken", n)
		}
	}
}

// The driver attaches on every model.
func TestDriverAttaches(t *testing.T) {
	for _, model := range sim.Models() {
		b := newBoard(t, sim.Options{Model: model})
		p, err := probe.Open(context.Background(), b.Transport(), probe.Options{SWCLKHz: 4_000_000})
		if err != nil {
			t.Errorf("%s: %v", model, err)
			continue
		}
		buf := make([]byte, 64)
		if err := p.ReadMemory(context.Background(), 0x08000000, buf); err != nil || buf[3] != 0x20 {
			t.Errorf("%s: % x, %v", model, buf[:8], err)
		}
	}
}

// nRESET low stops the target; high, it starts anew.
func TestNRESET(t *testing.T) {
	h := newHost(t, sim.Options{})
	h.connect(1_000_000)
	h.expect("05 00 01 01 01 00 5F A0", "05 01 01")
	h.do(readDHCSR)
	h.expect("10 00 80 00 00 00 00", "10 27")
	n := h.board.Core().Cycles()
	h.board.Sleep(context.Background(), 5*time.Millisecond)
	if d := h.board.Core().Cycles() - n; d != 0 {
		t.Errorf("%d cycles in reset", d)
	}
	h.expect("10 80 80 00 00 00 00", "10 A7")
	if v := word(h.do(readDHCSR), 3); v&(1<<25) == 0 {
		t.Errorf("DHCSR 0x%08x, want S_RESET_ST", v)
	}
	h.board.Sleep(context.Background(), time.Millisecond)
	if h.board.Core().Cycles() == n {
		t.Error("the core does not run")
	}
}

// DAP_TransferAbort ends the wait for a core that does not halt.
func TestTransferAbortEndsMatch(t *testing.T) {
	h := newHost(t, sim.Options{})
	h.connect(1_000_000)
	h.expect("04 00 40 00 FF FF", "04 00") // 65535 match retries: 3 s at 1 MHz
	before := h.board.Now()
	h.send("05 00 01 13 00 00 02 00")
	h.send("07")
	if r := h.receive(); r[0] != 5 || r[2] != 0x11 {
		t.Errorf("response % x", r)
	}
	if d := h.board.Now() - before; d > 10*time.Millisecond {
		t.Errorf("it took %v", d)
	}
}
