package target_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/creack/pty"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/trace"
	"github.com/mprof/mprof/trace/uart"
)

// exchange sends bytes each way between a port and what is behind it.
func exchange(t *testing.T, port, far io.ReadWriter) {
	t.Helper()
	for _, way := range []struct {
		from io.Writer
		to   io.Reader
		text string
	}{{port, far, "to the target"}, {far, port, "from the target"}} {
		sent := make(chan error, 1)
		go func() { _, err := io.WriteString(way.from, way.text); sent <- err }()
		got := make([]byte, len(way.text))
		if _, err := io.ReadFull(way.to, got); err != nil || string(got) != way.text {
			t.Errorf("%q came as %q: %v", way.text, got, err)
		}
		if err := <-sent; err != nil {
			t.Error(err)
		}
	}
}

func TestOpenPTY(t *testing.T) {
	far, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	defer tty.Close()
	port, err := target.OpenPort(t.Context(), tty.Name(), 115200, "")
	if err != nil {
		t.Fatal(err)
	}
	defer port.Close()
	if port.Name != tty.Name()+" at 115200 baud" || port.Baud != 115200 {
		t.Errorf("%q, %d baud", port.Name, port.Baud)
	}
	exchange(t, port, far)
}

func TestOpenTCP(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	spec := "tcp:" + l.Addr().String()
	port, err := target.OpenPort(t.Context(), spec, 115200, "")
	if err != nil {
		t.Fatal(err)
	}
	defer port.Close()
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	if port.Name != spec || port.Baud != 0 {
		t.Errorf("%q, %d baud: a TCP port has none", port.Name, port.Baud)
	}
	exchange(t, port, far)
}

// TestNoPort: what cannot be opened says what it is, and only what never makes sense is an
// error of usage.
func TestNoPort(t *testing.T) {
	dir := t.TempDir()
	recording := filepath.Join(dir, "raw.bin")
	if err := os.WriteFile(recording, []byte{1}, 0o600); err != nil {
		t.Fatal(err)
	}
	free := nobody(t)
	for _, c := range []struct {
		spec  string
		usage bool
		is    error
		want  []string
	}{
		{"", true, nil, []string{"which port?", "--port", "serial port"}},
		{recording, true, nil, []string{recording + " is a file", "--from"}},
		{filepath.Join(dir, "ttyUSB9"), false, uart.ErrNotFound, []string{"ttyUSB9", "serial port"}},
		{"tcp:localhost", true, nil, []string{"--port tcp:localhost: write it as tcp:HOST:PORT"}},
		{"tcp:", true, nil, []string{"tcp:HOST:PORT"}},
		{"tcp:localhost:0", true, nil, []string{"tcp:HOST:PORT"}},
		{"tcp:localhost:65536", true, nil, []string{"tcp:HOST:PORT"}},
		{"tcp:localhost:http", true, nil, []string{"tcp:HOST:PORT"}},
		{"tcp:" + free, false, target.ErrTCPPort, []string{"tcp:" + free}},
		{"sim:baud=9600", true, nil, []string{"--port sim:baud=9600", `"baud=9600" is no option`, "uart="}},
		{"sim:clock=0", true, nil, []string{"--port sim:clock=0", `clock "0"`}},
		{"sim:unplug=1s", true, nil, []string{`"unplug=1s" is no option`}},
		{"sim:uart=USART99", false, nil, []string{"USART99"}},
	} {
		port, err := target.OpenPort(t.Context(), c.spec, 115200, "")
		if port != nil || isUsage(err) != c.usage || !says(err, c.want...) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%q: %v (usage %v)", c.spec, err, isUsage(err))
		}
	}
}

// TestOpenSimPort: the firmware behind a port of the simulated board answers.
func TestOpenSimPort(t *testing.T) {
	for _, spec := range []string{"sim", "sim:clock=16M,", "sim,uart=USART2"} {
		port, err := target.OpenPort(t.Context(), spec, 0, "")
		if err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
		if port.Name != spec || port.Baud != 0 {
			t.Errorf("%q, %d baud", port.Name, port.Baud)
		}
		s, err := trace.Open(t.Context(), port, trace.SessionOptions{Port: port.Name})
		if err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
		if m, ok := s.Metadata(); !ok || m.Name != "boat logger" {
			t.Errorf("%s: %+v", spec, m)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOpenSimPortELF: firmware of the user, some of which has no UART.
func TestOpenSimPortELF(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.elf")
	if err := os.WriteFile(path, demo.ELF, 0o600); err != nil {
		t.Fatal(err)
	}
	if port, err := target.OpenPort(t.Context(), "sim", 0, path); port != nil || !errors.Is(err, target.ErrNoUART) {
		t.Errorf("firmware that sets up no UART: %v", err)
	}
	if _, err := target.OpenPort(t.Context(), "sim", 0, path+"x"); !says(err, "app.elfx", "no such file") {
		t.Errorf("no file: %v", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := target.OpenPort(over, "sim", 0, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// TestBuiltInTraced: the program of the built-in firmware, with its sources.
func TestBuiltInTraced(t *testing.T) {
	of, err := target.OpenBuiltInTraced()
	if err != nil {
		t.Fatal(err)
	}
	if of.App().Path() != target.BuiltInTraced || len(of.App().BuildID()) == 0 {
		t.Errorf("%s, build id %x", of.App().Path(), of.App().BuildID())
	}
	want, _ := demo.Source("firmware/demo/src/main.c")
	for _, name := range []string{"firmware/demo/src/main.c", "firmware/examples/logger/../../demo/src/main.c"} {
		if got, ok := target.BuiltInTracedSource(name); !ok || got != want || !bytes.Contains([]byte(got), []byte("main")) {
			t.Errorf("%s: %v, %d bytes", name, ok, len(got))
		}
	}
	if _, ok := target.BuiltInTracedSource("/etc/passwd"); ok {
		t.Error("a file that is not of the firmware is given away")
	}
}
