package target_test

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/mprof/mprof/gdbremote"
	"github.com/mprof/mprof/gdbremote/stubtest"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/snapshot"
)

func server(t *testing.T, o target.Options) target.GDBServer {
	t.Helper()
	s, err := o.GDBServer()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// nobody is an address of this machine where nobody listens.
func nobody(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestGDBServerNames: an address, a socket, a serial port by how it is written.
func TestGDBServerNames(t *testing.T) {
	for probe, want := range map[string]target.GDBServer{
		"gdb:localhost:3333": {Address: "localhost:3333"}, "gdb::1234": {Address: ":1234"}, "gdb:[::1]:2331": {Address: "[::1]:2331"},
		"gdb:/tmp/qemu.sock": {Address: "/tmp/qemu.sock"}, "gdb:./socket": {Address: "./socket"},
		"gdb:COM3": {Address: "COM3", Serial: true}, "gdb:com12": {Address: "com12", Serial: true},
	} {
		if got := server(t, target.Options{Probe: probe}); got.Address != want.Address || got.Serial != want.Serial {
			t.Errorf("%s: %+v", probe, got)
		}
	}
	for _, probe := range []string{"gdb:", "gdb:localhost", "gdb:localhost:", "gdb:localhost:0", "gdb:localhost:65536", "gdb:localhost:uart", "gdb:COM", "gdb:COMPUTER", "gdb:1:2:3"} {
		o := target.Options{Probe: probe}
		if _, err := o.GDBServer(); !isUsage(err) || !says(err, "--probe "+probe+": write it as gdb:HOST:PORT", "OpenOCD, pyOCD, Renode 3333", "J-Link 2331") {
			t.Errorf("%s: %v", probe, err)
		}
	}
}

// TestGDBServerRefusesWhatProbesHave: an option of a probe names itself, and what to do in its
// place.
func TestGDBServerRefusesWhatProbesHave(t *testing.T) {
	for flag, o := range map[string]target.Options{
		"--speed":               {SpeedHz: 1e6},
		"--core":                {Core: target.CoreChoice{Text: "core1", Number: 1}},
		"--ap":                  {AP: target.AccessPort{Text: "1"}},
		"--connect-under-reset": {UnderReset: true},
	} {
		o.Probe = "gdb:localhost:3333"
		if _, err := o.GDBServer(); !isUsage(err) || !says(err, flag+" means nothing with --probe gdb:localhost:3333: ") {
			t.Errorf("%s: %v", flag, err)
		}
	}
	if opened, err := target.Open(t.Context(), "gdb:localhost:3333", ""); opened != nil || !isUsage(err) || !says(err, "names a GDB server") {
		t.Errorf("opened as a probe: %v", err)
	}
}

// TestNoGDBServer: nobody there is its own error, and is not the end of a run that was stopped.
func TestNoGDBServer(t *testing.T) {
	for _, at := range []string{nobody(t), filepath.Join(t.TempDir(), "socket")} {
		s := server(t, target.Options{Probe: "gdb:" + at})
		if _, err := s.Connect(t.Context(), snapshot.CortexM); !errors.Is(err, target.ErrNoServer) || !says(err, at) {
			t.Errorf("%s: %v", at, err)
		}
		stopped, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Connect(stopped, snapshot.CortexM); err == nil || errors.Is(err, target.ErrNoServer) {
			t.Errorf("%s, stopped: %v", at, err)
		}
	}
	if _, err := server(t, target.Options{Probe: "gdb:COM77"}).Connect(t.Context(), snapshot.CortexM); err == nil || errors.Is(err, target.ErrNoServer) {
		t.Errorf("a serial port that is not there: %v", err)
	}
}

// connected connects to a server, and lets go of its target in the end.
func connected(t *testing.T, c *gdbremote.Client, err error) *gdbremote.Client {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Detach(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return c
}

// TestConnectAttaches: a server without a target is told to look for one, or gets the
// user's commands in place of that.
func TestConnectAttaches(t *testing.T) {
	for _, c := range []struct {
		monitor   []string
		sent, not string
	}{{nil, "swdp_scan", "halt"}, {[]string{"halt"}, "halt", "swdp_scan"}} {
		stub := stubtest.New(stubtest.NewCore(snapshot.CortexM, nil), stubtest.BlackMagic())
		s := server(t, target.Options{Probe: "gdb:" + stub.Listen(t), Monitor: c.monitor})
		client, err := s.Connect(t.Context(), snapshot.CortexM)
		connected(t, client, err)
		requests := strings.Join(stub.Requests(), "\n")
		for word, want := range map[string]bool{c.sent: true, c.not: false} {
			if got := strings.Contains(requests, "qRcmd,"+hexOf(word)); got != want {
				t.Errorf("--monitor %q: %q was sent: %v", c.monitor, word, got)
			}
		}
		if !slices.ContainsFunc(stub.Requests(), func(r string) bool { return strings.HasPrefix(r, "vAttach;1") }) {
			t.Errorf("--monitor %q: not attached: %q", c.monitor, stub.Requests())
		}
	}
}

func hexOf(s string) string {
	const digits = "0123456789abcdef"
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteByte(digits[c>>4])
		b.WriteByte(digits[c&15])
	}
	return b.String()
}

// TestConnectArchitecture: another core than that of the program is refused, and found where
// no program says what it is.
func TestConnectArchitecture(t *testing.T) {
	for arch, other := range map[snapshot.Arch]snapshot.Arch{snapshot.CortexM: snapshot.RV32, snapshot.RV32: snapshot.CortexM} {
		stub := stubtest.New(stubtest.NewCore(arch, nil), stubtest.QEMU(arch))
		s := server(t, target.Options{Probe: "gdb:" + stub.Listen(t)})
		_, err := s.Connect(t.Context(), other)
		if !errors.As(err, new(*gdbremote.ArchError)) || !errors.As(err, new(*target.ConnectError)) || !says(err, "GDB server at "+s.Address+": ") {
			t.Errorf("%v for %v: %v", arch, other, err)
		}
		client, err := s.ConnectAny(t.Context())
		connected(t, client, err)
		if !client.Has(map[snapshot.Arch]snapshot.Reg{snapshot.CortexM: snapshot.XPSR, snapshot.RV32: snapshot.MEPC}[arch]) {
			t.Errorf("%v was taken for something else", arch)
		}
	}
}

// TestConnectToAnother: what listens there and is no GDB server is named by its address.
func TestConnectToAnother(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("SSH-2.0-OpenSSH_9.2\r\n"))
			_ = conn.Close()
		}
	}()
	s := server(t, target.Options{Probe: "gdb:" + l.Addr().String()})
	if _, err := s.ConnectAny(t.Context()); !errors.As(err, new(*target.ConnectError)) || !says(err, l.Addr().String()) {
		t.Errorf("%v", err)
	}
}

// TestConnectSerial: a server behind a serial port may still wait for the target of a session
// that ended without a word: the first byte that it hears stops that.
func TestConnectSerial(t *testing.T) {
	far, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	stub := stubtest.New(stubtest.NewCore(snapshot.CortexM, nil), stubtest.BlackMagic())
	served := make(chan struct{})
	go func() { defer close(served); stub.Serve(far) }()
	t.Cleanup(func() { _ = far.Close(); _ = tty.Close(); <-served })
	s := server(t, target.Options{Probe: "gdb:" + tty.Name()})
	if !s.Serial {
		t.Fatalf("%s is no serial port", tty.Name())
	}
	client, err := s.Connect(t.Context(), snapshot.CortexM)
	connected(t, client, err)
	if got := stub.Requests(); len(got) == 0 || got[0] != stubtest.Interrupt {
		t.Errorf("the server heard %q", got)
	}
}

func TestResetCommand(t *testing.T) {
	for server, want := range map[string]string{
		"QEMU": "system_reset", "Open On-Chip Debugger 0.12.0": "reset halt", "pyocd 0.36": "reset halt", "SEGGER J-Link GDB Server V7.9": "reset",
		"Black Magic Probe v1.10": "reset", "renode": "machine Reset", "": "", "somebody's": "",
	} {
		if got := target.ResetCommand(server); got != want {
			t.Errorf("%q: %q, want %q", server, got, want)
		}
	}
}
