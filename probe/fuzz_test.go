package probe

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// FuzzParseExecute takes responses off DAP_ExecuteCommands as samples do: what
// is left is the end of what was there, whatever came.
func FuzzParseExecute(f *testing.F) {
	f.Add(unhex(f, "7f 03 05 01 01 01000000 06 01 00 01 02000000 09 00"), uint8(3), []byte{0x0F})
	f.Add(unhex(f, "7f 02 05 00 14 05 00 01"), uint8(2), []byte{})
	f.Fuzz(func(t *testing.T, p []byte, n uint8, ops []byte) {
		rest, err := ParseExecute(p, int(n))
		var a Answer
		for i := 0; err == nil && i < int(n); i++ {
			before := rest
			switch i % 3 {
			case 0:
				rest, err = ParseTransfer(rest, reqsOf(ops), &a)
			case 1:
				rest, err = ParseTransferBlock(rest, ReadDRW, len(ops), &a)
			case 2:
				rest, err = ParseDelay(rest)
			}
			if !bytes.HasSuffix(before, rest) {
				t.Fatalf("% x is not the end of % x", rest, before)
			}
			var refused *TransferError
			if errors.As(err, &refused) && rest != nil {
				err = nil
			}
		}
	})
}

// chatter answers every command with what the script has next, behind the
// command's identifier where the script's first byte is even.
type chatter struct {
	script  []byte
	pending [][]byte
	writes  int
}

func (c *chatter) take(n int) []byte {
	n = min(n, len(c.script))
	v := c.script[:n]
	c.script = c.script[n:]
	return v
}

func (c *chatter) WritePacket(_ context.Context, p []byte) error {
	c.writes++
	head := c.take(2)
	if len(head) < 2 {
		return ErrDisconnected
	}
	r := make([]byte, 0, 64)
	if head[0]&1 == 0 {
		r = append(r, p[0])
	}
	r = append(r, c.take(int(head[1]&0x3F))...)
	if head[0]&0x1E != 0x1E { // else: no answer
		c.pending = append(c.pending, r)
	}
	return nil
}

func (c *chatter) ReadPacket(_ context.Context, p []byte) (int, error) {
	if len(c.pending) == 0 {
		return 0, context.DeadlineExceeded
	}
	n := copy(p, c.pending[0])
	c.pending = c.pending[1:]
	return n, nil
}

func (c *chatter) PacketSize() int { return 64 }
func (c *chatter) Close() error    { return nil }

// politeScript are the answers of a probe without DAP_ExecuteCommands up to the
// identification of its access port, and no more: from there on it is the
// fuzzer's.
func politeScript(t testing.TB) (script []byte) {
	for _, answer := range []string{
		"01 02", "02 4000", "00", "00", // in step
		"02 4000", "01 02", "01 01", "00", "00", "00", "00", "00", "00", "00", "00", "00", // DAP_Info
		"00",                   // DAP_ExecuteCommands: not what it should be
		"01", "00", "00", "00", // connect, clock, retries, turnaround
		"00", "01 01 7714A02B", // JTAG-to-SWD, DPIDR
		"01 01", "02 01", "01 01 000000F0", // ABORT, power, CTRL/STAT
		"02 01 11007724", // IDR of port 0
	} {
		b := unhex(t, answer)
		script = append(append(script, 0, byte(len(b))), b...)
	}
	return script
}

// FuzzOpen: a probe that says anything opens or does not, and then reads and
// writes memory or does not, and it comes to an end.
func FuzzOpen(f *testing.F) {
	f.Add([]byte{})
	f.Add(unhex(f, "0002 0102 0003 02 4000 0001 00 0001 00"))
	f.Add(bytes.Repeat([]byte{0, 3, 1, 1, 0}, 200))
	f.Add(politeScript(f))
	f.Fuzz(func(t *testing.T, script []byte) {
		c := &chatter{script: script}
		p, err := Open(context.Background(), c, Options{Timeout: time.Hour})
		if err != nil {
			return
		}
		got := make([]byte, 100)
		_ = p.ReadMemory(context.Background(), 0x20000001, got)
		_ = p.WriteMemory(context.Background(), 0x20000001, got)
		_ = p.Recover(context.Background())
		_ = p.Close()
		if c.writes > len(script)+100 {
			t.Fatalf("%d requests for a script of %d bytes", c.writes, len(script))
		}
	})
}

// TestPoliteScript: the seed leads the fuzzer behind the connection.
func TestPoliteScript(t *testing.T) {
	c := &chatter{script: politeScript(t)}
	_, err := Open(context.Background(), c, Options{Timeout: time.Hour})
	if !errors.Is(err, ErrDisconnected) || len(c.script) > 0 || !strings.Contains(err.Error(), "DAP_Transfer") {
		t.Errorf("%d bytes left, error %v", len(c.script), err)
	}
}
