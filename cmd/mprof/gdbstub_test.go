package main

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/gdbremote"
	"github.com/mprof/mprof/gdbremote/stubtest"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// demoCore is a processor that has the built-in firmware in its flash and stands in
// json_parse whenever it is halted.
func demoCore(t *testing.T) *stubtest.Core {
	t.Helper()
	image, err := symbol.New(bytes.NewReader(demo.ELF), int64(len(demo.ELF)), "demo.elf")
	if err != nil {
		t.Fatal(err)
	}
	core := stubtest.NewCore(snapshot.CortexM, nil)
	for _, s := range image.Stored() {
		core.Map(s.Paddr, s.Data)
	}
	sp, _ := image.InitialSP()
	core.Map(sp&^0xFFFF-0x10000, make([]byte, 0x20000))
	f, err := elf.NewFile(bytes.NewReader(demo.ELF))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Name == "json_parse" {
			core.Set(snapshot.PC, uint32(s.Value)&^1+2)
		}
	}
	core.Set(snapshot.SP, sp-256)
	core.Set(snapshot.XPSR, 1<<24)
	return core
}

// sampleStub samples a core until it was halted often enough; nil: until there is an error.
func sampleStub(t *testing.T, core *stubtest.Core, probe string, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if core != nil {
		go func() {
			for before := core.Halts(); core.Halts() < before+50 && ctx.Err() == nil; time.Sleep(time.Millisecond) {
			}
			cancel()
		}()
	}
	out := filepath.Join(t.TempDir(), "out.folded")
	return mprof(ctx, nil, append([]string{"sample", "--probe", probe, "--max-overhead", "none", "-o", out, "../../firmware/demo/demo.elf"}, args...)...)
}

func checkStubSession(t *testing.T, s outcome, core *stubtest.Core, server string) {
	t.Helper()
	if s.code != 0 || !strings.Contains(s.stdout, "json_parse") || !strings.Contains(s.stdout, server) || !strings.Contains(s.stdout, "the target was left running") {
		t.Errorf("exit %d: %s%s", s.code, s.stdout, s.stderr)
	}
	for end := time.Now().Add(time.Minute); !core.Running(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the target stands")
		}
	}
}

// TestGDBServers: every kind of server, as a user names it.
func TestGDBServers(t *testing.T) {
	for _, c := range []struct {
		is     stubtest.Personality
		server string
	}{
		{stubtest.OpenOCD(), "Open On-Chip Debugger 0.12.0"}, {stubtest.PyOCD(), "pyOCD 0.34.3"}, {stubtest.JLink(), "it does not say what it is"},
		{stubtest.Renode(snapshot.CortexM), "it does not say what it is"}, {stubtest.QEMU(snapshot.CortexM), "QEMU"}, {stubtest.Bare(snapshot.CortexM), "it does not say what it is"},
		{stubtest.NonStop(snapshot.CortexM), "GDB server"}, {stubtest.BlackMagic(), "Black Magic Probe (Firmware v1.10.0)"},
	} {
		t.Run(c.is.Name, func(t *testing.T) {
			t.Parallel()
			core := demoCore(t)
			address := stubtest.New(core, c.is).Listen(t)
			checkStubSession(t, sampleStub(t, core, "gdb:"+address), core, c.server)
		})
	}
}

// TestGDBSerial: a Black Magic Probe on its serial port looks for targets and attaches
// to the first without being told; what it is told instead is done.
func TestGDBSerial(t *testing.T) {
	core := demoCore(t)
	stub := stubtest.New(core, stubtest.BlackMagic())
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer slave.Close()
	if _, err := term.MakeRaw(int(slave.Fd())); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); stub.Serve(master) }()
	for i, args := range [][]string{nil, {"--monitor", "swdp_scan"}, nil} {
		if i == 2 { // as a session that was killed leaves it
			killedSession(t, slave.Name())
		}
		s := sampleStub(t, core, "gdb:"+slave.Name(), args...)
		checkStubSession(t, s, core, "GDB server at "+slave.Name()+" (Black Magic Probe")
		if said := "note: monitor swdp_scan: Available Targets: No. Att Driver 1 simulated"; i == 1 && !strings.Contains(s.stdout, said) {
			t.Errorf("what the server said to --monitor is missing: %s", s.stdout)
		}
	}
	if s := sampleStub(t, nil, "gdb:"+filepath.Join(t.TempDir(), "ttyACM0")); s.code != 1 {
		t.Errorf("exit %d: %s", s.code, s.stderr)
	}
	master.Close()
	slave.Close()
}

// TestGDBSerialUnplugged: a serial port that is gone is waited for, and the run goes on
// when it is there again.
func TestGDBSerialUnplugged(t *testing.T) {
	core := demoCore(t)
	stub := stubtest.New(core, stubtest.BlackMagic())
	link := filepath.Join(t.TempDir(), "ttyACM0")
	plug := func() (master, slave *os.File) {
		master, slave, err := pty.Open()
		if err != nil {
			t.Skip(err)
		}
		if _, err := term.MakeRaw(int(slave.Fd())); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(slave.Name(), link); err != nil {
			t.Fatal(err)
		}
		go stub.Serve(master)
		return master, slave
	}
	master, slave := plug()
	recording := filepath.Join(t.TempDir(), "run.mprof")
	ctx, stop := context.WithCancelCause(t.Context())
	done := make(chan outcome, 1)
	go func() {
		done <- mprof(ctx, nil, "sample", "--probe", "gdb:"+link, "--max-overhead", "none", "--record", recording, "-o", filepath.Join(t.TempDir(), "out.folded"), "../../firmware/demo/demo.elf")
	}()
	await := func(what string, is func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("it takes too long: %s", what)
			}
		}
	}
	await("samples", func() bool { return core.Halts() >= 20 })
	if err := errors.Join(os.Remove(link), slave.Close(), master.Close()); err != nil {
		t.Fatal(err)
	}
	await("to see that the port is gone", func() bool {
		recorded, err := os.ReadFile(recording)
		return err == nil && bytes.Contains(recorded, []byte(gdbremote.EventServerLost))
	})
	before := core.Halts()
	master, slave = plug()
	await("samples when the port is back", func() bool { return core.Halts() >= before+20 })
	stop(&signalError{syscall.SIGINT})
	s := <-done
	checkStubSession(t, s, core, "GDB server at "+link)
	if !strings.Contains(s.stderr, "back: GDB server gone for") {
		t.Errorf("it did not come back: %s", s.stderr)
	}
	master.Close()
	slave.Close()
}

// killedSession leaves the target running with a server that waits for its stop.
func killedSession(t *testing.T, name string) {
	t.Helper()
	server := target.GDBServer{Address: name, Serial: true}
	c, err := server.Connect(t.Context(), snapshot.CortexM)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.Resume(t.Context()), c.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestGDBRefusals: what a server does wrong or cannot do is one sentence and a hint,
// and the target is left running where that can be.
func TestGDBRefusals(t *testing.T) {
	ocd, bmp := stubtest.OpenOCD(), stubtest.BlackMagic()
	other := ocd
	other.Files = stubtest.QEMU(snapshot.RV32).Files
	for _, c := range []struct {
		name  string
		is    stubtest.Personality
		fault stubtest.Fault
		args  []string
		want  []string
	}{
		{"memory", ocd, stubtest.Fault{On: "m", Do: stubtest.Answer, Text: "E0e"}, nil, []string{"compare the target with the ELF at 0x08000000+64", "refused (E0e)", "its own output may"}},
		{"registers", ocd, stubtest.Fault{On: "g", Nth: 2, Do: stubtest.Answer, Text: "E02"}, nil, []string{"read registers: refused"}},
		{"resume", ocd, stubtest.Fault{On: "vCont;c", Do: stubtest.Answer, Text: "E16"}, nil, []string{"vCont;c: refused (E16)"}},
		{"never stops", ocd, stubtest.Fault{On: stubtest.Interrupt, Do: stubtest.Ignore}, nil, []string{"halt: the GDB server did not answer in time", "does the server still answer others"}},
		{"attach", bmp, stubtest.Fault{On: "vAttach", Do: stubtest.Answer, Text: "E01"}, nil, []string{"has no target attached", "Does the target have power"}},
		{"monitor", ocd, stubtest.Fault{}, []string{"--monitor", "reset fast"}, []string{"monitor reset fast: refused (E01)"}},
		{"reset", stubtest.JLink(), stubtest.Fault{}, []string{"--reset"}, []string{"--reset: it is not known how this server", "give its command with --monitor"}},
		{"reset refused", ocd, stubtest.Fault{}, []string{"--reset"}, []string{"--reset: gdbremote: monitor reset halt: refused (E01)"}},
		{"architecture", other, stubtest.Fault{}, nil, []string{"the program is for Cortex-M", "Name the ELF file of what runs"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			core := demoCore(t)
			var faults []stubtest.Fault
			if c.fault.On != "" {
				faults = append(faults, c.fault)
			}
			s := sampleStub(t, nil, "gdb:"+stubtest.New(core, c.is, faults...).Listen(t), c.args...)
			if s.code != 1 {
				t.Errorf("exit %d", s.code)
			}
			for _, want := range c.want {
				if !strings.Contains(s.stderr, want) {
					t.Errorf("no %q in %s", want, s.stderr)
				}
			}
		})
	}
}

// TestGDBNotThere: who listens is no GDB server, or has a debugger already.
func TestGDBNotThere(t *testing.T) {
	for name, serve := range map[string]func(net.Conn){
		"closes":       func(c net.Conn) { c.Close() },
		"says nothing": func(c net.Conn) { _, _ = io.Copy(io.Discard, c); c.Close() },
		"another world": func(c net.Conn) {
			_, _ = io.WriteString(c, "SSH-2.0-OpenSSH_9.2\r\n")
			_, _ = io.Copy(io.Discard, c)
			c.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
			go func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					go serve(c)
				}
			}()
			s := sampleStub(t, nil, "gdb:"+l.Addr().String())
			if s.code != 1 || !strings.Contains(s.stderr, "GDB server at "+l.Addr().String()) || !strings.Contains(s.stderr, "is no debugger connected to it? Servers take one at a time") {
				t.Errorf("exit %d: %s", s.code, s.stderr)
			}
		})
	}
}

// TestGDBCompletion offers the usual ports.
func TestGDBCompletion(t *testing.T) {
	s := mprof(t.Context(), nil, "__complete", "sample", "--probe", "gdb:")
	if s.code != 0 || !strings.Contains(s.stdout, "gdb:localhost:3333\tOpenOCD") || !strings.Contains(s.stdout, "gdb:localhost:1234\tQEMU") {
		t.Errorf("exit %d: %s", s.code, s.stdout)
	}
}

// TestGDBInterruptedEarly: a signal while the server does not answer ends mprof as a
// signal does.
func TestGDBInterruptedEarly(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		if conn, err := l.Accept(); err == nil {
			defer conn.Close()
			_, _ = conn.Read(make([]byte, 1)) // mprof is in the middle of its first question
			cancel(&signalError{syscall.SIGINT})
			_, _ = io.Copy(io.Discard, conn)
		}
	}()
	path := filepath.Join(t.TempDir(), "demo.elf")
	if err := os.WriteFile(path, demo.ELF, 0o600); err != nil {
		t.Fatal(err)
	}
	s := mprof(ctx, nil, "sample", "--probe", "gdb:"+l.Addr().String(), "-o", filepath.Join(t.TempDir(), "out.folded"), path)
	if s.code != 128+int(syscall.SIGINT) || s.stderr != "" {
		t.Errorf("exit %d: %s", s.code, s.stderr)
	}
}
