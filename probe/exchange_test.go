package probe_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/probe/probetest"
)

// depth counts how many requests are under way.
type depth struct {
	*probetest.Responder
	now, most int
}

func (d *depth) WritePacket(ctx context.Context, p []byte) error {
	d.now++
	d.most = max(d.most, d.now)
	return d.Responder.WritePacket(ctx, p)
}

func (d *depth) ReadPacket(ctx context.Context, p []byte) (int, error) {
	n, err := d.Responder.ReadPacket(ctx, p)
	if err == nil {
		d.now--
	}
	return n, err
}

// TestPipelining: as many packets under way as the probe buffers, and no more.
func TestPipelining(t *testing.T) {
	for _, count := range []int{1, 4, 8} {
		g := newTarget()
		g.packetCount = count
		d := &depth{Responder: g.transport()}
		p, err := probe.Open(ctx, d, quick)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.ReadMemory(ctx, 0x20000000, make([]byte, 4096)); err != nil {
			t.Fatal(err)
		}
		if d.most != count {
			t.Errorf("%d packets under way, the probe buffers %d", d.most, count)
		}
		p.Close()
	}
}

// TestExchange: responses come in order, in the buffers that were given.
func TestExchange(t *testing.T) {
	p := open(t, newTarget())
	requests := [][]byte{probe.AppendInfo(nil, 0xFE), probe.AppendInfo(nil, 0xFF), probe.AppendTransfer(nil, []probe.Req{{Op: probe.ReadDPIDR}})}
	responses, err := p.Exchange(ctx, requests, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"\x00\x01\x04", "\x00\x02\x40\x00", "\x05\x01\x01\x77\x14\xa0\x2b"}
	for i, w := range want {
		if string(responses[i]) != w {
			t.Errorf("response %d: % x, want % x", i, responses[i], w)
		}
	}
	first := &responses[0][0]
	if responses, err = p.Exchange(ctx, requests, responses); err != nil || &responses[0][0] != first {
		t.Errorf("the buffers are not used again (%v)", err)
	}
	if n := testing.AllocsPerRun(100, func() { responses, _ = p.Exchange(ctx, requests, responses) }); n > 40 {
		t.Errorf("%v allocations for three packets", n)
	}
	if _, err = p.Exchange(ctx, [][]byte{make([]byte, 65)}, nil); err == nil || !strings.Contains(err.Error(), "at most 64") {
		t.Errorf("a request longer than a packet: %v", err)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err = p.Exchange(gone, requests, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if responses, err = p.Exchange(ctx, requests, nil); err != nil || string(responses[2]) != want[2] {
		t.Errorf("after a cancelled exchange: %v", err)
	}
}

// TestGuard: the sampling transaction's shape: a first DAP_Transfer that is
// refused, and the guard that runs all the same.
func TestGuard(t *testing.T) {
	g := newTarget()
	g.absent = func(addr uint32) bool { return addr >= 0x20001000 && addr < 0xE0000000 }
	p := open(t, g)
	if err := p.SelectBank(ctx, probe.BankTransfer, 0x20000FFC); err != nil {
		t.Fatal(err)
	}
	first := []probe.Req{{Op: probe.ReadDRW}, {Op: probe.WriteTAR, Data: 0x20001000}, {Op: probe.ReadDRW}, {Op: probe.ReadDRW}}
	guard := []probe.Req{{Op: probe.WriteABORT, Data: probe.AbortSticky}, {Op: probe.WriteTAR, Data: 0xE000EDF0}, {Op: probe.WriteDRW, Data: 0xA05F0001}}
	request := probe.AppendTransfer(probe.AppendTransfer(probe.AppendExecute(nil, 2), first), guard)
	responses, err := p.Exchange(ctx, [][]byte{request}, nil)
	p.Invalidate()
	if err != nil {
		t.Fatal(err)
	}
	inner, err := probe.ParseExecute(responses[0], 2)
	if err != nil {
		t.Fatal(err)
	}
	var a probe.Answer
	inner, err = probe.ParseTransfer(inner, first, &a)
	var refused *probe.TransferError
	if !errors.As(err, &refused) || refused.Ack != probe.FAULT || len(a.Data) != 1 {
		t.Fatalf("%v, %d words", err, len(a.Data))
	}
	if _, err = probe.ParseTransfer(inner, guard, &a); err != nil {
		t.Fatal(err)
	}
	if g.mem[0xE000EDF0] != 0xA05F0001 {
		t.Error("the guard did not run")
	}
}
