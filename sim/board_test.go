package sim_test

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
)

// elfFile reads a program of testdata.
func elfFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// newBoard makes a board that runs spin.elf unless o says otherwise.
func newBoard(t testing.TB, o sim.Options) *sim.Board {
	t.Helper()
	if o.ELF == nil {
		o.ELF = elfFile(t, "spin.elf")
	}
	b, err := sim.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// host talks to a board in raw packets.
type host struct {
	testing.TB
	board *sim.Board
	wire  probe.Transport
}

func newHost(t testing.TB, o sim.Options) *host {
	b := newBoard(t, o)
	return &host{t, b, b.Transport()}
}

// bytes turns hex with spaces into bytes.
func (h *host) bytes(s string) []byte {
	h.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		h.Fatal(err)
	}
	return b
}

func (h *host) send(s string) {
	h.Helper()
	if err := h.wire.WritePacket(context.Background(), h.bytes(s)); err != nil {
		h.Fatal(err)
	}
}

func (h *host) receive() []byte {
	h.Helper()
	p := make([]byte, h.wire.PacketSize())
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	n, err := h.wire.ReadPacket(ctx, p)
	if err != nil {
		h.Fatal(err)
	}
	return p[:n]
}

// do sends a packet and returns the response.
func (h *host) do(s string) []byte {
	h.Helper()
	h.send(s)
	return h.receive()
}

// expect sends a packet and checks the response; more bytes may follow on HID.
func (h *host) expect(s, want string) []byte {
	h.Helper()
	got := h.do(s)
	if w := h.bytes(want); len(got) < len(w) || string(got[:len(w)]) != string(w) {
		h.Fatalf("% x answered % x, want % x", h.bytes(s), got, w)
	}
	return got
}

// connect brings the wire up and leaves TAR at DHCSR, bank 1 selected, as
// cmsis-dap's sampling batch wants it.
func (h *host) connect(clock uint32) {
	h.Helper()
	h.expect("02 01", "02 01")
	var hz [4]byte
	binary.LittleEndian.PutUint32(hz[:], clock)
	h.expect("11 "+hex.EncodeToString(hz[:]), "11 00")
	h.expect("04 00 40 00 40 00", "04 00")
	h.expect("13 00", "13 00")
	h.expect("12 88 FF FF FF FF FF FF FF 9E E7 FF FF FF FF FF FF FF 00", "12 00")
	h.expect("05 00 01 02", "05 01 01 77 24 E1 0B") // DPIDR
	h.expect("05 00 02 00 1E 00 00 00 04 00 00 00 50", "05 02 01")
	for range 10 {
		if r := h.do("05 00 01 06"); r[6]&0xa0 == 0xa0 {
			h.setUp()
			return
		}
	}
	h.Fatal("no power-up acknowledge")
}

// setUp selects bank 0, word and single increment, TAR, the match mask and bank
// 1.
func (h *host) setUp() {
	h.Helper()
	h.expect("05 00 05  08 00 00 00 00  01 12 00 00 23  05 F0 ED 00 E0  20 00 00 02 00  08 10 00 00 00", "05 05 01")
}

// word is a little-endian word of a response.
func word(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }

// sampleBatch is the 63-byte packet: halt, wait for S_HALT, five registers each
// with its DHCSR, and the resume in a DAP_Transfer of its own.
const sampleBatch = `7F 02  05 00 11
	81 03 00 5F A0  13 00 00 02 00
	05 0F 00 00 00 03 0B  05 0E 00 00 00 03 0B  05 0D 00 00 00 03 0B  05 10 00 00 00 03 0B  05 07 00 00 00 03 0B
	05 00 02  00 1E 00 00 00  81 01 00 5F A0`

func TestSampleBatch(t *testing.T) {
	for _, model := range sim.Models() {
		t.Run(model, func(t *testing.T) {
			h := newHost(t, sim.Options{Model: model})
			if !h.board.Model().ExecuteCommands {
				t.Skip("no DAP_ExecuteCommands")
			}
			h.connect(10_000_000)
			h.board.Sleep(context.Background(), 3*time.Millisecond)
			if n := len(h.bytes(sampleBatch)); n != 63 {
				t.Fatalf("request has %d bytes", n)
			}
			before := h.board.HaltedTime()
			r := h.do(sampleBatch)
			want, at := 48, 5
			if h.board.Model().TimestampHz != 0 {
				want, at = 56, 9
			}
			if h.board.Model().HID {
				if len(r) != 64 {
					t.Fatalf("HID report of %d bytes", len(r))
				}
				r = r[:want]
			}
			if len(r) != want {
				t.Fatalf("response has %d bytes, want %d: % x", len(r), want, r)
			}
			if string(r[:5]) != "\x7f\x02\x05\x11\x01" {
				t.Fatalf("response % x", r)
			}
			for i := range 5 {
				if dhcsr := word(r, at+8*i); dhcsr&0x30000 != 0x30000 {
					t.Errorf("register %d: DHCSR 0x%08x", i, dhcsr)
				}
			}
			pc, lr, sp := word(r, at+4), word(r, at+12), word(r, at+20)
			if pc < 0x08000040 || pc >= 0x08000114 || pc&1 != 0 {
				t.Errorf("PC 0x%08x", pc)
			}
			if lr < 0x08000040 || sp <= 0x20004f00 || sp > 0x20005000 {
				t.Errorf("LR 0x%08x, SP 0x%08x", lr, sp)
			}
			if s := h.board.CoreState(); s.Halted || !s.DebugEnabled {
				t.Errorf("core after the batch: %+v", s)
			}
			if h.board.HaltedTime() == before {
				t.Error("the core never stood")
			}
		})
	}
}
