package probe_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/mprof/mprof/probe"
)

var ctx = context.Background()

// fill puts bytes that tell their address into the memory and returns them.
func fill(g *target, addr uint32, n int) []byte {
	want := make([]byte, 0, n+8)
	for a := addr &^ 3; a < addr+uint32(n)+4; a += 4 {
		v := a*2654435761 ^ a>>7
		g.mem[a] = v
		want = binary.LittleEndian.AppendUint32(want, v)
	}
	return want[addr&3:][:n]
}

func TestReadMemory(t *testing.T) {
	for _, size := range []int{64, 512, 1024} {
		for _, n := range []int{1, 2, 3, 4, 5, 60, 64, 127, 1024, 1030, 4096, 40_000} {
			for _, addr := range []uint32{0x20000000, 0x20000001, 0x200003FC, 0x200003FE, 0x20000402} {
				t.Run(fmt.Sprintf("%d/%x+%d", size, addr, n), func(t *testing.T) {
					g := newTarget()
					g.packetSize = size
					want := fill(g, addr, n)
					p := open(t, g)
					got := make([]byte, n)
					if err := p.ReadMemory(ctx, addr, got); err != nil {
						t.Fatal(err)
					}
					if !bytes.Equal(got, want) {
						t.Error("other bytes than in memory")
					}
				})
			}
		}
	}
}

func TestWriteMemory(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, n := range []int{1, 2, 3, 4, 7, 64, 300, 3000, 20_000} {
		for _, addr := range []uint32{0x20000000, 0x20000001, 0x20000002, 0x200003FB} {
			g := newTarget()
			before := fill(g, addr-8, n+16)
			p := open(t, g)
			src := make([]byte, n)
			r.Read(src)
			if err := p.WriteMemory(ctx, addr, src); err != nil {
				t.Fatal(err)
			}
			got := make([]byte, n+16)
			if err := p.ReadMemory(ctx, addr-8, got); err != nil {
				t.Fatal(err)
			}
			copy(before[8:], src)
			if !bytes.Equal(got, before) {
				t.Errorf("0x%08x+%d: memory differs", addr, n)
			}
		}
	}
}

func TestWords(t *testing.T) {
	g := newTarget()
	p := open(t, g)
	if err := p.WriteWord(ctx, 0x20000010, 0xDEADBEEF); err != nil {
		t.Fatal(err)
	}
	if v, err := p.ReadWord(ctx, 0x20000010); err != nil || v != 0xDEADBEEF {
		t.Errorf("0x%08x, %v", v, err)
	}
	if _, err := p.ReadWord(ctx, 0x20000011); err == nil {
		t.Error("an unaligned word is read")
	}
	if err := p.ReadMemory(ctx, 0xFFFFFFFC, make([]byte, 8)); err == nil || !strings.Contains(err.Error(), "past the end") {
		t.Errorf("error %v", err)
	}
	if err := p.ReadMemory(ctx, 0xFFFFFFFC, make([]byte, 4)); err != nil {
		t.Error(err)
	}
}

// TestReadCost: a read that fits takes one packet, and a long one no more than
// the words need (CMSIS-DAP, "DAP_Transfer": 4 bytes a word, 3 of header).
func TestReadCost(t *testing.T) {
	g := newTarget()
	p := open(t, g)
	for _, c := range []struct {
		n, packets int
	}{{4, 1}, {60, 1}, {64, 2}, {15 * 4 * 8, 8}, {1024, 18}} {
		before := g.requests
		if err := p.ReadMemory(ctx, 0x20000000, make([]byte, c.n)); err != nil {
			t.Fatal(err)
		}
		if got := g.requests - before; got != c.packets {
			t.Errorf("%d bytes: %d packets, want %d", c.n, got, c.packets)
		}
	}
}

func TestReadFault(t *testing.T) {
	g := newTarget()
	const end = 0x20000100
	g.absent = func(addr uint32) bool { return addr >= end && addr < 0xE0000000 }
	want := fill(g, end-48, 48)
	p := open(t, g)
	got := make([]byte, 64)
	err := p.ReadMemory(ctx, end-48, got)
	var refused *probe.TransferError
	if !errors.As(err, &refused) || refused.Ack != probe.FAULT {
		t.Fatal(err)
	}
	if !strings.HasPrefix(err.Error(), "probe: read 0x200000d0+64: after 11 words: read DRW") {
		t.Errorf("error %q", err) // the twelfth was posted when the bus failed
	}
	if !bytes.Equal(got[:44], want[:44]) {
		t.Error("what came before the fault is not there")
	}
	if err := p.ReadMemory(ctx, end-48, got[:48]); err != nil {
		t.Errorf("the next read: %v", err)
	}
	if err := p.WriteWord(ctx, end, 1); !errors.As(err, &refused) {
		t.Errorf("write: %v", err)
	}
	if err := p.WriteWord(ctx, end-4, 1); err != nil {
		t.Errorf("the next write: %v", err)
	}
}

// TestFailuresNeverReachTheWrongPlace: whatever transfer of a long access fails
// and how, nothing is written outside the range, no banked data register is
// touched, and the next access works.
func TestFailuresNeverReachTheWrongPlace(t *testing.T) {
	for _, ack := range []probe.Ack{probe.WAIT, probe.FAULT, probe.NoAck, probe.Protocol} {
		g := newTarget()
		p := open(t, g)
		for at := 1; at < 160; at++ {
			clear(g.mem)
			if err := p.SelectBank(ctx, probe.BankData, 0xE000EDF0); err != nil {
				t.Fatal(err)
			}
			start := g.transfers
			g.fail = func(n int, op byte) probe.Ack {
				if n == start+at {
					return ack
				}
				return 0
			}
			const from, n = 0x20000390, 256
			src := bytes.Repeat([]byte{0xAB}, n)
			err := p.WriteMemory(ctx, from, src)
			if err == nil {
				err = p.ReadMemory(ctx, from, make([]byte, n))
			}
			g.fail = nil
			if err == nil && g.transfers-start > at {
				t.Fatalf("%s at transfer %d is not noticed", ack, at)
			}
			for a := range g.mem {
				if a < from || a >= from+n {
					t.Fatalf("%s at transfer %d: 0x%08x is written", ack, at, a)
				}
			}
			if g.bd != 0 {
				t.Fatalf("%s at transfer %d: a banked data register is used", ack, at)
			}
			if err != nil && ack != probe.WAIT && ack != probe.FAULT {
				if err := p.Recover(ctx); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.WriteMemory(ctx, from, src); err != nil {
				t.Fatalf("%s at transfer %d: the next access: %v", ack, at, err)
			}
			g.bd = 0
		}
	}
}

func BenchmarkReadMemory(b *testing.B) {
	g := newTarget()
	g.packetSize = 512
	p, err := probe.Open(ctx, g.transport(), probe.Options{})
	if err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 4096)
	b.SetBytes(int64(len(buf)))
	for b.Loop() {
		if err := p.ReadMemory(ctx, 0x20000000, buf); err != nil {
			b.Fatal(err)
		}
	}
}
