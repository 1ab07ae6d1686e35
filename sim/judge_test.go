package sim_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/mprof/mprof/sim"
)

// QEMU's mps2-an385 runs the same ELF file: what it sends on each UART, and what
// it makes of the same bytes, is what the board sends.
func TestUARTAgainstQEMU(t *testing.T) {
	const command = "qemu-system-arm"
	if _, err := exec.LookPath(command); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(command + " is not installed: scripts/setup.sh test installs it")
	}
	sent := pattern(256)
	for i, name := range []string{"UART0", "UART1", "UART2"} {
		b := newBoard(t, sim.Options{ELF: elfFile(t, "echo-mps2.elf")})
		u := openUART(t, b, name)
		b.Sleep(context.Background(), 5*time.Millisecond)
		u.Write(sent)
		b.Sleep(context.Background(), 100*time.Millisecond)
		var want []byte
		for _, c := range u.Take() {
			want = append(want, c.Value)
		}
		serial := slices.Repeat([]string{"-serial", "null"}, i)
		got := qemuEcho(t, command, append(serial, "-serial", "stdio"), sent, len(want))
		if len(want) < 25 || !bytes.Equal(got, want) {
			t.Errorf("%s: the board sent %q, QEMU %q", name, want, got)
		}
	}
}

// qemuEcho runs the echo program, sends to the UART that is QEMU's stdio, and
// returns the first n bytes that come back.
func qemuEcho(t *testing.T, command string, serial []string, sent []byte, n int) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, command, append([]string{
		"-M", "mps2-an385", "-kernel", "testdata/echo-mps2.elf", "-display", "none", "-monitor", "none", "-icount", "shift=5"}, serial...)...)
	cmd.Stdin = &patient{Reader: bytes.NewReader(sent), ctx: ctx}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, n)
	n, err = io.ReadFull(out, got)
	cancel()
	_ = cmd.Wait()
	if err != nil {
		t.Logf("QEMU sent %d bytes: %v", n, err)
	}
	return got[:n]
}

// patient reads like its Reader, and instead of an end it waits for ctx: QEMU
// ends with its input.
type patient struct {
	io.Reader
	ctx context.Context
}

func (p *patient) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if err == io.EOF {
		<-p.ctx.Done()
	}
	return n, err
}

// A probe samples while the firmware talks: both see the same clock, and DMA
// goes on while the core stands.
func TestSampleWhileUARTTalks(t *testing.T) {
	b := newBoard(t, sim.Options{ELF: elfFile(t, "echo-f405.elf")})
	h := &host{t, b, b.Transport()}
	u := openUART(t, b, "USART3")
	h.connect(10_000_000)
	sent := pattern(300)
	u.Write(sent)
	halts := 0
	b.OnHalt(func(time.Duration) { halts++ })
	for range 100 {
		h.do(sampleBatch)
		b.Sleep(context.Background(), 700*time.Microsecond)
	}
	b.Sleep(context.Background(), 50*time.Millisecond)
	var got []byte
	for _, c := range u.Take() {
		got = append(got, c.Value)
	}
	if !bytes.Equal(got, turned(sent)) {
		t.Errorf("%d bytes came back, not as they were sent", len(got))
	}
	if halts != 100 || b.HaltedTime() < time.Millisecond {
		t.Errorf("%d halts, %v halted", halts, b.HaltedTime())
	}
}
