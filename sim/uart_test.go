package sim_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/sim"
)

// turned is what the echo programs answer.
func turned(p []byte) []byte {
	out := bytes.Clone(p)
	for i := range out {
		out[i] ^= 0x20
	}
	return out
}

func openUART(t testing.TB, b *sim.Board, name string) *sim.UART {
	t.Helper()
	u, err := b.UART(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { u.Close() })
	return u
}

// pattern is n bytes that are not alike.
func pattern(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(i*7 + i>>8)
	}
	return p
}

// echoes sends and receives a pattern, and holds the time of each byte against
// the rate: one frame after the other both ways.
func echoes(t *testing.T, b *sim.Board, name string, frame time.Duration) {
	t.Helper()
	u := openUART(t, b, name)
	b.Sleep(context.Background(), 20*time.Millisecond)
	u.Take()
	sent := pattern(600)
	start := b.Now()
	if _, err := u.Write(sent); err != nil {
		t.Fatal(err)
	}
	b.Sleep(context.Background(), time.Duration(len(sent)+20)*frame+time.Millisecond)
	got := u.Take()
	if len(got) != len(sent) {
		t.Fatalf("%s: %d of %d bytes came back", name, len(got), len(sent))
	}
	for i, g := range got {
		if g.Value != sent[i]^0x20 {
			t.Fatalf("%s: byte %d is 0x%02x, want 0x%02x", name, i, g.Value, sent[i]^0x20)
		}
		// Received when frame i is through, and sent in the one behind, but for
		// the time that the program takes.
		at := g.At - start - time.Duration(i+2)*frame
		if late := 30 * time.Microsecond; at < -time.Duration(i+1)*time.Nanosecond || at > late {
			t.Fatalf("%s: byte %d came %v after its time", name, i, at)
		}
	}
}

func cyclesAt16MHz(n float64) time.Duration { return time.Duration(n * 62.5) }

func TestEchoMPS2(t *testing.T) {
	b := newBoard(t, sim.Options{ELF: elfFile(t, "echo-mps2.elf")})
	echoes(t, b, "UART0", cyclesAt16MHz(10*138))
	echoes(t, b, "uart1", cyclesAt16MHz(10*34))
	var names []string
	for _, p := range b.Ports() {
		names = append(names, p.Name)
		if p.Name == "UART0" && (p.Baud != 115942 || p.Address != 0x40004000 || p.Sent != 600) {
			t.Errorf("%+v", p)
		}
		if p.Name == "UART4" && p.Baud != 0 {
			t.Errorf("%+v", p)
		}
	}
	if s := strings.Join(names, " "); s != "UART0 UART1 UART2 UART3 UART4" {
		t.Error(s)
	}
}

// The start-up code has waited for HSE, PLL and flash latency; APB1 is a fourth
// of the clock, APB2 half of it.
func TestEchoSTM32(t *testing.T) {
	b := newBoard(t, sim.Options{ELF: elfFile(t, "echo-f405.elf")})
	echoes(t, b, "USART2", cyclesAt16MHz(10*4*34))
	echoes(t, b, "USART1", cyclesAt16MHz(10*2*17))
	echoesBlocks(t, b, "USART3", cyclesAt16MHz(10*4*69))
	echoesBlocks(t, b, "USART6", cyclesAt16MHz(10*2*16))
	if r := b.Remarks(); len(r) != 0 {
		t.Error(r)
	}
	for _, p := range b.Ports() {
		t.Logf("%+v", p)
	}
}

// echoesBlocks is echoes for a program that answers in blocks: at the half and
// the end of 64 bytes, and when the line is idle.
func echoesBlocks(t *testing.T, b *sim.Board, name string, frame time.Duration) {
	t.Helper()
	u := openUART(t, b, name)
	b.Sleep(context.Background(), time.Millisecond)
	u.Take()
	sent := pattern(300)
	start := b.Now()
	if _, err := u.Write(sent); err != nil {
		t.Fatal(err)
	}
	b.Sleep(context.Background(), time.Duration(len(sent)+80)*frame)
	got := u.Take()
	if len(got) != len(sent) {
		t.Fatalf("%s: %d of %d bytes came back", name, len(got), len(sent))
	}
	for i, g := range got {
		if g.Value != sent[i]^0x20 {
			t.Fatalf("%s: byte %d is 0x%02x, want 0x%02x", name, i, g.Value, sent[i]^0x20)
		}
		block := min(i/32*32+32, len(sent)) // bytes until the program looks
		if block == len(sent) {
			block = max(block+1, i/32*32+32) // a frame until the line is idle, and the block before
		}
		at := g.At - start - time.Duration(block+i%32+1)*frame
		if at < -time.Microsecond || at > 60*time.Microsecond {
			t.Fatalf("%s: byte %d came %v after its time", name, i, at)
		}
	}
}

// The host's side in virtual time: Read lets time pass until a byte is there,
// and what the firmware said before the port was open is gone.
func TestUARTRead(t *testing.T) {
	b := newBoard(t, sim.Options{ELF: elfFile(t, "echo-mps2.elf")})
	b.Sleep(context.Background(), time.Millisecond)
	u := openUART(t, b, "UART2")
	u.SetReadTimeout(20 * time.Millisecond)
	var said []byte
	p := make([]byte, 64)
	for {
		n, err := u.Read(p)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
		said = append(said, p[:n]...)
	}
	whole := "echo on UART0 and UART1\r\n"
	if len(said) < 10 || !strings.HasSuffix(whole, string(said)) || string(said) == whole {
		t.Errorf("%q", said)
	}
	if now := b.Now(); now < 24*time.Millisecond || now > 26*time.Millisecond {
		t.Errorf("%v: 25 bytes at 57600 baud and 20 ms", now)
	}
	u.Close()
	if _, err := u.Read(p); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
	if _, err := u.Write(p); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
}

// A host that answers in virtual time.
func TestUARTAnswer(t *testing.T) {
	b := newBoard(t, sim.Options{ELF: elfFile(t, "echo-mps2.elf")})
	u := openUART(t, b, "UART0")
	b.Sleep(context.Background(), time.Millisecond)
	var heard []sim.Byte
	u.Answer(func(c sim.Byte) []byte {
		heard = append(heard, c)
		if len(heard) == 50 {
			return nil
		}
		return []byte{c.Value + 1}
	})
	u.Write([]byte{0})
	b.Sleep(context.Background(), 100*time.Millisecond)
	if len(heard) != 50 {
		t.Fatalf("%d bytes", len(heard))
	}
	frame := cyclesAt16MHz(1380)
	for i := 1; i < len(heard); i++ {
		if d := heard[i].At - heard[i-1].At - 2*frame; d < 0 || d > 5*time.Microsecond {
			t.Errorf("byte %d: %v after its time", i, d)
		}
		if heard[i].Value != (heard[i-1].Value+1)^0x20 {
			t.Errorf("byte %d: 0x%02x after 0x%02x", i, heard[i].Value, heard[i-1].Value)
		}
	}
}

// Two runs with the same calls give the same bytes at the same times.
func TestUARTDeterministic(t *testing.T) {
	run := func() (all []sim.Byte) {
		b := newBoard(t, sim.Options{ELF: elfFile(t, "echo-mps2.elf")})
		u := openUART(t, b, "UART1")
		for i := range 20 {
			u.Write(pattern(i))
			b.Sleep(context.Background(), 777*time.Microsecond)
		}
		return u.Take()
	}
	first, second := run(), run()
	if len(first) < 150 || len(first) != len(second) {
		t.Fatalf("%d and %d bytes", len(first), len(second))
	}
	for i := range first {
		if first[i] != second[i] {
			t.Fatalf("byte %d: %v and %v", i, first[i], second[i])
		}
	}
}

func TestUARTUnknown(t *testing.T) {
	b := newBoard(t, sim.Options{ELF: elfFile(t, "echo-mps2.elf")})
	if _, err := b.UART("USART9"); err == nil || !strings.Contains(err.Error(), "UART0, UART1") {
		t.Error(err)
	}
	b = newBoard(t, sim.Options{ELF: elfFile(t, "echo-mps2.elf"), Board: "none"})
	if _, err := b.UART(""); err == nil || !strings.Contains(err.Error(), "no UART") {
		t.Error(err)
	}
	if _, err := b.PacedUART(""); err == nil {
		t.Error("paced: no error")
	}
	if _, err := sim.New(sim.Options{ELF: elfFile(t, "spin.elf"), Board: "nucleo"}); err == nil || !strings.Contains(err.Error(), "mps2-an385") {
		t.Error(err)
	}
}

// In real time, with a reader on another goroutine, as mprof trace has it.
func TestPacedUART(t *testing.T) {
	b := newBoard(t, sim.Options{ELF: elfFile(t, "echo-mps2.elf"), CoreHz: 1_600_000})
	u, err := b.PacedUART("UART0")
	if err != nil {
		t.Fatal(err)
	}
	b.Sleep(context.Background(), 60*time.Millisecond) // until it has greeted
	u.SetReadTimeout(3 * time.Second)
	sent := pattern(100)
	came := make(chan []byte)
	go func() {
		var all []byte
		p := make([]byte, 16)
		for len(all) < len(sent) {
			n, err := u.Read(p)
			if err != nil || n == 0 {
				break
			}
			all = append(all, p[:n]...)
		}
		came <- all
	}()
	start := time.Now()
	if _, err := u.Write(sent); err != nil {
		t.Fatal(err)
	}
	if got := <-came; !bytes.Equal(got, turned(sent)) {
		t.Errorf("%q", got)
	}
	if d, least := time.Since(start), 101*1380*time.Second/1_600_000; d < least-12*time.Millisecond {
		t.Errorf("%v, want %v", d, least)
	}
	u.SetReadTimeout(-1)
	ended := make(chan error)
	go func() {
		_, err := u.Read(make([]byte, 1))
		ended <- err
	}()
	time.Sleep(2 * time.Millisecond)
	u.Close()
	if err := <-ended; !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Read ended with %v", err)
	}
	cycles := b.Core().Cycles()
	time.Sleep(2 * time.Millisecond)
	if b.Core().Cycles() != cycles {
		t.Error("the board runs on without a host")
	}
}
