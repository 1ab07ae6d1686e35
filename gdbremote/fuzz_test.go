package gdbremote

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/mprof/mprof/snapshot"
)

// What we frame decodes to itself, whatever is in it, and any stream of bytes decodes
// to bounded packets, however it is cut.
func FuzzPacket(f *testing.F) {
	for _, seed := range []string{"", "OK", "$#}*", "x20000000,40", "+-%$T05thread:01;#05", "$0* #7a", "$a*~#00", "%Stop:T05#1c", "$}", "$*", "$x*!#cc"} {
		f.Add([]byte(seed), 3)
	}
	f.Fuzz(func(t *testing.T, p []byte, cut int) {
		var d decoder
		var got []event
		take := func(e event) { got = append(got, e) }
		d.feed(appendPacket(nil, p), take)
		if len(got) != 1 || got[0].kind != gotPacket || !bytes.Equal(got[0].body, p) {
			t.Fatalf("%q: %+v", p, got)
		}
		whole := decodeAll(p, len(p)+1)
		parts := decodeAll(p, max(1, cut&0xff))
		if len(whole) != len(parts) {
			t.Fatalf("%d events, in parts %d", len(whole), len(parts))
		}
		for i := range whole {
			if whole[i].kind != parts[i].kind || !bytes.Equal(whole[i].body, parts[i].body) || len(whole[i].body) > mostPacket {
				t.Fatalf("event %d: %+v, in parts %+v", i, whole[i], parts[i])
			}
		}
	})
}

func decodeAll(p []byte, n int) (all []event) {
	var d decoder
	for len(p) > 0 {
		k := min(n, len(p))
		d.feed(p[:k], func(e event) { all = append(all, e) })
		p = p[k:]
	}
	return all
}

// A stop reply is one thing or another; its parts are bounded.
func FuzzStop(f *testing.F) {
	for _, seed := range []string{"S05", "T02thread:01;", "T05swbreak:;", "T05watch:20000010;thread:p1.2;", "W00", "W00;process:1", "X0b", "N", "T0", "T05thread", "OK", "E01",
		"T0507:d8030020;0f:34120000;core:0;"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		s, ok, err := parseStop(p)
		if !ok && (err != nil || s != (Stop{})) || len(s.Thread) > 64 || len(s.Reason) > 130 {
			t.Fatalf("%q: %+v %v %v", p, s, ok, err)
		}
		if ok && isRefusal(p) {
			t.Fatalf("%q is a stop and a refusal", p)
		}
	})
}

// A description is refused or makes a layout whose places are in order.
func FuzzDescription(f *testing.F) {
	f.Add([]byte(`<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target><architecture>arm</architecture><xi:include href="core.xml"/></target>`),
		[]byte(`<feature name="org.gnu.gdb.arm.m-profile"><reg name="r0" bitsize="32"/><reg name="pc" bitsize="32" regnum="15"/><reg name="xpsr" bitsize="32" regnum="25"/><reg name="control" bitsize="3"/></feature>`), false)
	f.Add([]byte(`<target><architecture>riscv:rv32</architecture><feature name="org.gnu.gdb.riscv.cpu"><reg name="zero" bitsize="32"/><reg name="pc" bitsize="32"/><reg name="mepc" bitsize="32" regnum="898"/></feature></target>`), []byte(nil), true)
	f.Add([]byte(`<target><xi:include href="x"/></target>`), []byte(`<xi:include href="x"/>`), true)
	f.Add([]byte(`<reg name="pc" bitsize="-1"/>`), []byte(`<reg regnum="99999999999"/>`), true)
	f.Fuzz(func(t *testing.T, target, other []byte, hart bool) {
		arch := snapshot.CortexM
		if hart {
			arch = snapshot.RV32
		}
		d, err := readDescription(func(name string) ([]byte, error) {
			if name == "target.xml" {
				return target, nil
			}
			return other, nil
		})
		if err != nil {
			return
		}
		l, err := layoutOf(d, arch)
		var wrong *ArchError
		if err != nil && !errors.As(err, &wrong) {
			t.Fatal(err)
		}
		for r, p := range l.at {
			if p.size < 0 || p.offset < 0 || p.num < 0 || p.size > 8 || (p.size > 0) != l.have.Has(snapshot.Reg(r)) {
				t.Fatalf("%v: %+v", snapshot.Reg(r), p)
			}
		}
	})
}

// recorded is a server that says what it says, whatever it is asked.
type recorded struct{ io.Reader }

func (recorded) Write(p []byte) (int, error) { return len(p), nil }
func (recorded) Close() error                { return nil }

// Whatever a server says, every operation ends, with an error or without.
func FuzzServer(f *testing.F) {
	script := func(bodies ...string) []byte {
		var b []byte
		for _, s := range bodies {
			b = appendPacket(append(b, '+'), []byte(s))
		}
		return b
	}
	f.Add(script("PacketSize=1000;QStartNoAckMode+", "OK", "", "", "T05", "", "0000", "T02"), false)
	f.Add(script("PacketSize=400;qXfer:features:read+;QNonStop+", "", "O41", "OK", "OK", "T05thread:1;", `l<target><architecture>riscv:rv32</architecture><reg name="pc" bitsize="32"/></target>`,
		"vCont;c;t", "OK", "00000080", "00000080", "OK", "OK"), true)
	f.Add([]byte("$#00$#00$#00$#00$S05#b8$#00$E01#a6$E01#a6%Stop:T05#00"), false)
	f.Fuzz(func(t *testing.T, said []byte, hart bool) {
		o := Options{Timeout: time.Minute}
		if hart {
			o.Arch = snapshot.RV32
		}
		ctx := t.Context()
		c, err := Connect(ctx, recorded{bytes.NewReader(said)}, o)
		if err != nil {
			return
		}
		defer c.Close()
		regs, memory, _ := c.Registers(ctx, []snapshot.Reg{snapshot.MSP, snapshot.CONTROL, snapshot.MEPC}, []Window{{0x20000000, 5000}})
		if _, ok := regs.Value(snapshot.PC); ok && !c.Has(snapshot.PC) {
			t.Fatal("a PC out of nothing")
		}
		if len(memory) == 1 && len(memory[0]) > 5000 {
			t.Fatalf("%d bytes", len(memory[0]))
		}
		_ = c.Resume(ctx)
		_, _ = c.Halt(ctx)
		_ = c.ReadMemory(ctx, 0x20000000, make([]byte, 100))
		_ = c.Detach(ctx) // all of them end: that is what is tested
	})
}
