package probe_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
)

// Responses of a stream come in the order of its requests, no more of them are
// under way than the probe buffers, and what is left when it is given up is taken
// off the connection.
func TestStream(t *testing.T) {
	p, err := probe.Open(ctx, board(t, "debugprobe").Transport(), probe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.NewStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	const infoSerial, infoProduct = 0x03, 0x02
	sent := 0
	for ; s.Room() > 0; sent++ {
		id := byte(infoSerial)
		if sent%2 == 1 {
			id = infoProduct
		}
		if err := s.Send(ctx, probe.AppendInfo(nil, id)); err != nil {
			t.Fatal(err)
		}
	}
	if sent != p.Info().PacketCount {
		t.Errorf("room for %d packets, the probe buffers %d", sent, p.Info().PacketCount)
	}
	for i := range 2 {
		r, err := s.Receive(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		v, err := probe.ParseInfo(r)
		if want := []string{p.Info().Serial, p.Info().Product}[i]; err != nil || strings.TrimRight(string(v), "\x00") != want {
			t.Errorf("response %d: %q, %v, want %q", i, v, err, want)
		}
	}
	if s.Room() != 2 {
		t.Errorf("room for %d packets after two responses", s.Room())
	}
	if cpuid, err := p.ReadWord(ctx, 0xE000ED00); err != nil || cpuid>>24 != 0x41 {
		t.Errorf("after it was given up: CPUID 0x%08x, %v", cpuid, err)
	}
	if err := s.Send(ctx, make([]byte, 65)); err == nil {
		t.Error("a request of 65 bytes was sent")
	}
}

// A stream whose probe does not answer says so.
func TestStreamTimeout(t *testing.T) {
	b := board(t, "mcu-link", sim.Fault{Kind: sim.LostResponse, After: 200 * time.Millisecond})
	p, err := probe.Open(ctx, b.Transport(), probe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_ = b.Sleep(ctx, 200*time.Millisecond)
	s, err := p.NewStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Send(ctx, probe.AppendInfo(nil, 0xFE)); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Receive(ctx, nil); err == nil {
		t.Errorf("% x came of nothing", r)
	}
	if err := p.Recover(ctx); err != nil {
		t.Error(err)
	}
}
