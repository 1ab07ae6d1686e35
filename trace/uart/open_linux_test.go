package uart

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// openPTY is a pseudo-terminal: what an emulator holds, and a name for Open.
func openPTY(t *testing.T) (*os.File, string) {
	t.Helper()
	far, tty, err := pty.Open()
	if err != nil {
		t.Fatalf("no pseudo-terminal: %v", err)
	}
	t.Cleanup(func() { far.Close(); tty.Close() })
	return far, tty.Name()
}

// TestOpenRaw: all 256 bytes pass both ways unchanged, at any baud rate.
func TestOpenRaw(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for _, baud := range []int{9600, 115200, 921600, 1_234_567, 4_000_000} {
		far, name := openPTY(t)
		p, err := Open(name, baud)
		if err != nil {
			t.Fatal(err)
		}
		settings, err := p.stream.settings(unix.TCGETS)
		if err != nil || p.stream.speed() != baud || settings.Cflag&(unix.CSIZE|unix.PARENB|unix.CSTOPB|unix.CRTSCTS) != unix.CS8 {
			t.Errorf("%d baud: %v, speed %d, flags %#x", baud, err, p.stream.speed(), settings.Cflag)
		}
		go func() { _, _ = far.Write(all) }()
		got := make([]byte, 256)
		if _, err := io.ReadFull(p, got); err != nil || !bytes.Equal(got, all) {
			t.Errorf("read %v % x", err, got)
		}
		if n, err := p.Write(all); n != 256 || err != nil {
			t.Errorf("wrote %d %v", n, err)
		}
		if _, err := io.ReadFull(far, got); err != nil || !bytes.Equal(got, all) {
			t.Errorf("the other end read %v % x", err, got)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOpenOnce: a port, and be it a pseudo-terminal, is opened once, by root as well;
// when it is closed, again.
func TestOpenOnce(t *testing.T) {
	_, name := openPTY(t)
	p, err := Open(name, 115200)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := Open(name, 115200); !errors.Is(err, ErrBusy) {
		t.Errorf("a second time: %v", err)
		second.Close()
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if p, err = Open(name, 115200); err != nil {
		t.Fatal(err)
	}
	p.Close()
}

// TestOpenDropsWhatWasThere: bytes that came before are not those of now.
func TestOpenDropsWhatWasThere(t *testing.T) {
	far, name := openPTY(t)
	raw, err := Open(name, 115200) // else the line discipline holds them back
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Close(); err != nil { // the settings stay
		t.Fatal(err)
	}
	if _, err := far.Write([]byte("old")); err != nil {
		t.Fatal(err)
	}
	p, err := Open(name, 115200)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := far.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 16)
	if n, err := p.Read(b); string(b[:n]) != "new" {
		t.Errorf("%q %v", b[:n], err)
	}
}

// TestCloseEndsRead and a Write that nobody takes.
func TestCloseEndsReadAndWrite(t *testing.T) {
	_, name := openPTY(t)
	p, err := Open(name, 115200)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 2)
	go func() { _, err := p.Read(make([]byte, 1)); ended <- err }()
	go func() { _, err := p.Write(make([]byte, 1<<20)); ended <- err }()
	time.Sleep(50 * time.Millisecond)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := <-ended; !errors.Is(err, ErrGone) {
			t.Error(err)
		}
	}
}

// TestGone: the other end goes away.
func TestGone(t *testing.T) {
	far, tty, err := pty.Open()
	if err != nil {
		t.Fatalf("no pseudo-terminal: %v", err)
	}
	p, err := Open(tty.Name(), 115200)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	tty.Close()
	far.Close()
	if _, err := p.Read(make([]byte, 1)); !errors.Is(err, ErrGone) {
		t.Error(err)
	}
	if _, err := p.Write([]byte{1}); !errors.Is(err, ErrGone) {
		t.Error(err)
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		baud int
		want error
	}{
		{filepath.Join(dir, "ttyUSB9"), 115200, ErrNotFound},
		{file, 115200, ErrNotSerial},
		{"/dev/null", 115200, ErrNotSerial},
		{dir, 115200, ErrNotSerial},
		{"/dev/null", 0, ErrBaud},
		{"/dev/null", -1, ErrBaud},
	} {
		p, err := Open(c.name, c.baud)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if err == nil {
			p.Close()
		}
	}
}

func TestMisses(t *testing.T) {
	for _, c := range []struct {
		speed, baud int
		want        bool
	}{
		{0, 921600, false},
		{921600, 921600, false},
		{923076, 921600, false}, // 48 MHz / 52
		{115200, 921600, true},
		{4_000_000, 3_000_000, true},
		{38, 300, true},
	} {
		if misses(c.speed, c.baud) != c.want {
			t.Errorf("%d instead of %d: %v", c.speed, c.baud, !c.want)
		}
	}
}
