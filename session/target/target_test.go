package target_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/sim"
)

// serveProbe is a probe on the network with t behind it (OpenOCD's cmsis-dap backend tcp: a
// header of DAP\0, length, kind 1 of a request and 2 of an answer, 0).
func serveProbe(t *testing.T, behind probe.Transport) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			for answer(c, behind) {
			}
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}

func answer(c net.Conn, behind probe.Transport) bool {
	buf := make([]byte, 2048)
	if _, err := io.ReadFull(c, buf[:8]); err != nil {
		return false
	}
	n := int(binary.LittleEndian.Uint16(buf[4:]))
	if _, err := io.ReadFull(c, buf[8:8+n]); err != nil {
		return false
	}
	ctx := context.Background()
	if err := behind.WritePacket(ctx, buf[8:8+n]); err != nil {
		return false
	}
	n, err := behind.ReadPacket(ctx, buf[8:])
	if err != nil {
		return false
	}
	binary.LittleEndian.PutUint16(buf[4:], uint16(n))
	buf[6] = 2
	_, err = c.Write(buf[:8+n])
	return err == nil
}

// TestOpenTCPProbe: a probe on the network goes by the host's clock, and its core is read as
// that of any other.
func TestOpenTCPProbe(t *testing.T) {
	board := openSim(t, "sim")
	opened, err := target.Open(t.Context(), "tcp:"+serveProbe(t, board.Transport), "")
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if opened.ClockLabel != target.HostTime || opened.Board != nil || opened.USB != nil || opened.Clock == nil {
		t.Errorf("%+v", opened)
	}
	o := target.Options{}
	p, core, err := o.Attach(t.Context(), opened, false)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	of := built(t)
	if err := target.Verify(t.Context(), p, of); err != nil {
		t.Error(err)
	}
	sp, _ := of.App().InitialSP()
	words := make([]byte, 8)
	if err := p.ReadMemory(t.Context(), 0x08000000, words); err != nil || binary.LittleEndian.Uint32(words) != sp {
		t.Errorf("% x, %v", words, err)
	}
	if err := p.ReadMemory(t.Context(), 0xF0000000, words); err == nil {
		t.Errorf("memory that is not there holds % x", words)
	}
	if err := core.Detach(t.Context()); err != nil || board.Board.CoreState().Halted {
		t.Errorf("left as %+v: %v", board.Board.CoreState(), err)
	}
}

// TestNoProbe: nobody at the address, and none on USB of that name.
func TestNoProbe(t *testing.T) {
	at := nobody(t)
	if opened, err := target.Open(t.Context(), "tcp:"+at, ""); opened != nil || !says(err, at) || isUsage(err) {
		t.Errorf("%v", err)
	}
	for _, selector := range []string{"tcp:", "tcp:localhost:port"} {
		if opened, err := target.Open(t.Context(), selector, ""); opened != nil || err == nil {
			t.Errorf("%s: %v", selector, err)
		}
	}
	if opened, err := target.Open(t.Context(), "no probe has this serial number", ""); opened != nil || err == nil || isUsage(err) {
		t.Errorf("%v", err)
	}
}

// TestName: what is known of a probe, and no empty words for the rest.
func TestName(t *testing.T) {
	for want, info := range map[string]probe.Info{
		"":                                      {},
		"Debug Probe":                           {Product: "Debug Probe"},
		"Debug Probe, serial E66, firmware 2.0": {Product: "Debug Probe", Serial: "E66", Firmware: "2.0"},
	} {
		if got := new(target.Target).Name(info); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for want, o := range map[string]target.Options{
		"Cortex-M4":                        {},
		"Cortex-M4, core 1":                {Core: target.CoreChoice{Text: "core1", Number: 1}},
		"Cortex-M4, core 1, access port 2": {Core: target.CoreChoice{Text: "1", Number: 1}, AP: target.AccessPort{Text: "2"}},
	} {
		if got := o.CoreName("Cortex-M4"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestSWCLK: what was asked for, what the probe can, and no more than 10 MHz by itself.
func TestSWCLK(t *testing.T) {
	for _, c := range []struct {
		target *target.Target
		asked  uint32
		want   uint32
	}{{new(target.Target), 0, 4_000_000}, {new(target.Target), 12_345, 12_345}, {openSim(t, "sim"), 50_000_000, 50_000_000}} {
		o := target.Options{SpeedHz: c.asked}
		if got := o.SWCLK(c.target); got != c.want {
			t.Errorf("asked for %d: %d Hz, want %d", c.asked, got, c.want)
		}
	}
	for _, model := range sim.Models() {
		board := openSim(t, "sim:"+model)
		if got, most := new(target.Options).SWCLK(board), board.Board.Model().MaxSWCLK; got != min(most, 10_000_000) {
			t.Errorf("%s: %d Hz of a probe that reaches %d", model, got, most)
		}
	}
}

// TestResetTarget: what is said of a run that begins at a reset, and nothing of others.
func TestResetTarget(t *testing.T) {
	for _, c := range []struct {
		selector string
		o        target.Options
		want     []string
	}{
		{"sim", target.Options{}, nil},
		{"sim", target.Options{Reset: true}, []string{"the run begins at a reset by"}},
		{"sim", target.Options{UnderReset: true}, []string{"the run begins at a reset by nRESET"}},
		{"sim,no-nreset", target.Options{UnderReset: true}, []string{"the run begins at a reset by", "nRESET did nothing"}},
	} {
		board := openSim(t, c.selector)
		p, core, err := c.o.Attach(t.Context(), board, false)
		if err != nil {
			t.Fatalf("%s, %+v: %v", c.selector, c.o, err)
		}
		remarks, err := c.o.ResetTarget(t.Context(), board, core)
		if err != nil || len(remarks) != len(c.want) {
			t.Errorf("%s, %+v: %q, %v", c.selector, c.o, remarks, err)
		}
		for i, want := range c.want {
			if i < len(remarks) && !strings.HasPrefix(remarks[i], want) {
				t.Errorf("%s, %+v: %q, want %q", c.selector, c.o, remarks[i], want)
			}
		}
		if stands := board.Board.CoreState().Halted; stands != (len(c.want) > 0) {
			t.Errorf("%s, %+v: halted %v before the run", c.selector, c.o, stands)
		}
		if err := errors.Join(core.Run(t.Context()), core.Detach(t.Context()), p.Close()); err != nil || board.Board.CoreState().Halted {
			t.Errorf("%s, %+v: left as %+v: %v", c.selector, c.o, board.Board.CoreState(), err)
		}
	}
}

// TestAttachFails: a core that is not there is an error, with the probe to be closed.
func TestAttachFails(t *testing.T) {
	o := target.Options{Core: target.CoreChoice{Text: "5", Number: 5}}
	p, core, err := o.Attach(t.Context(), openSim(t, "sim,chip=rp2040"), false)
	if core != nil || !says(err, "core 5") {
		t.Errorf("attached to %v: %v", core, err)
	}
	if p != nil {
		_ = p.Close()
	}
}

// TestReadELF: the bytes of a file, or of the built-in firmware.
func TestReadELF(t *testing.T) {
	own, err := target.ReadELF("")
	if err != nil || !bytes.HasPrefix(own, []byte("\x7fELF")) {
		t.Errorf("%d bytes, %v", len(own), err)
	}
	if got, err := target.ReadELF(write(t, "a", []byte("words"))); err != nil || string(got) != "words" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := target.ReadELF("/nowhere/app.elf"); !says(err, "read /nowhere/app.elf", "no such file") {
		t.Errorf("%v", err)
	}
}
