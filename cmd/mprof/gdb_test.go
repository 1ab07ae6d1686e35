package main

import (
	"bytes"
	"context"
	"debug/elf"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/shares"
	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/sim/qemu"
	"github.com/mprof/mprof/snapshot"
)

// gdbBoard is a board of QEMU that runs firmware/shares, behind its GDB server.
type gdbBoard struct {
	*qemu.Machine
	elf    string
	rounds uint32 // address of the word that the program counts in
}

func startGDBBoard(t *testing.T, name string) *gdbBoard {
	t.Helper()
	for _, b := range shares.Boards() {
		if b.Name != name {
			continue
		}
		board := &gdbBoard{elf: b.ELF(t)}
		board.Machine = qemu.Start(t, qemu.Options{Board: name, ELF: board.elf, Silent: true, GDB: true, Icount: qemu.WallClock})
		f, err := elf.Open(board.elf)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		symbols, err := f.Symbols()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range symbols {
			if s.Name == "rounds" {
				board.rounds = uint32(s.Value)
			}
		}
		return board
	}
	t.Fatalf("no board %s", name)
	return nil
}

func (b *gdbBoard) probe() string { return "gdb:" + b.GDB }

// leftRunning fails unless the program counts on.
func (b *gdbBoard) leftRunning(t *testing.T) {
	t.Helper()
	if running, err := b.Running(); err != nil || !running {
		t.Fatalf("running: %v, %v", running, err)
	}
	first, err := b.Word(b.rounds)
	for end := time.Now().Add(time.Minute); time.Now().Before(end) && err == nil; time.Sleep(10 * time.Millisecond) {
		var now uint32
		if now, err = b.Word(b.rounds); now != first {
			return
		}
	}
	t.Errorf("the program stands at round %d, %v", first, err)
}

// TestGDBSample: call stacks of a Cortex-M and of a RISC-V through QEMU's GDB server,
// in a recording that converts to the same profile; the target runs afterwards.
func TestGDBSample(t *testing.T) {
	for _, c := range []struct{ board, core, outermost string }{
		{"mps2-an386", "Cortex-M (arm)", "Reset_Handler;main;"},
		{"virt", "RISC-V (RV32) (riscv:rv32)", "Reset_Handler;main;"},
	} {
		t.Run(c.board, func(t *testing.T) {
			b, dir := startGDBBoard(t, c.board), t.TempDir()
			file := func(name string) string { return filepath.Join(dir, name) }
			s := b.sampleUntil(t, file("run.mprof"), 100_000, "--rate", "100", "--json", "-o", file("run.folded"))
			if s.code != 0 {
				t.Fatal(s.stderr)
			}
			b.leftRunning(t)
			sum := s.summary(t)
			taken := sum["samples"].(map[string]any)["taken"].(float64)
			complete := sum["stacks"].(map[string]any)["complete"].(float64)
			if taken < 10 || complete < 0.99*taken {
				t.Errorf("%g samples, %g complete stacks: %s", taken, complete, s.stdout)
			}
			if sum["device"] != c.core || !strings.Contains(sum["probe"].(string), b.GDB+" (QEMU)") {
				t.Errorf("device %q, probe %q", sum["device"], sum["probe"])
			}
			if !strings.Contains(s.stdout, "the target was left running (by D)") {
				t.Errorf("the summary does not say how the target was left: %s", s.stdout)
			}
			if halted := sum["halted"].(map[string]any); halted["p50_us"].(float64) <= 0 || halted["share"].(float64) <= 0 {
				t.Errorf("halted %v", halted)
			}
			checkFolded(t, file("run.folded"), c.outermost)
			if s := mprof(t.Context(), nil, "convert", file("run.mprof"), "-o", file("again.folded")); s.code != 0 {
				t.Fatal(s.stderr)
			}
			first, _ := os.ReadFile(file("run.folded"))
			again, err := os.ReadFile(file("again.folded"))
			if err != nil || !bytes.Equal(first, again) {
				t.Errorf("the recording makes another profile: %v", err)
			}
			if h := recordedHeader(t, file("run.mprof")); h.Parameters[sampling.KeyArch] == "" || h.Parameters[sampling.KeySWCLK] != "" {
				t.Errorf("header %+v", h)
			}
		})
	}
}

func recordedHeader(t *testing.T, path string) snapshot.Header {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := snapshot.NewReader(f, path)
	if err != nil {
		t.Fatal(err)
	}
	return r.Header()
}

// checkFolded looks for stacks of threads below main, of a depth that the program has.
func checkFolded(t *testing.T, path, outermost string) {
	t.Helper()
	p, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	deepest := 0
	for line := range strings.Lines(string(p)) {
		if _, stack, ok := strings.Cut(line, outermost); ok {
			deepest = max(deepest, strings.Count(stack, ";")+1)
		}
	}
	if deepest < 3 {
		t.Errorf("no stack is deeper than %s and %d: %s", outermost, deepest, p)
	}
}

// TestGDBMethods: registers alone, with a reset before; the flags of a probe and what
// else makes no sense are refused.
func TestGDBMethods(t *testing.T) {
	b, dir := startGDBBoard(t, "mps2-an386"), t.TempDir()
	out := filepath.Join(dir, "out.folded")
	s := b.sampleUntil(t, filepath.Join(dir, "run.mprof"), 5000, "--method", "pc", "--reset", "-o", out)
	if s.code != 0 || !strings.Contains(s.stdout, "the run begins at a reset by monitor system_reset") || !strings.Contains(s.stdout, "registers without stacks") {
		t.Errorf("exit %d: %s%s", s.code, s.stdout, s.stderr)
	}
	b.leftRunning(t)
	for _, c := range []struct {
		want string
		args []string
	}{
		{"--speed means nothing", []string{"--speed", "4M"}},
		{"a port for each core", []string{"--core", "1"}},
		{"--ap means nothing", []string{"--ap", "1"}},
		{"--connect-under-reset means nothing", []string{"--connect-under-reset"}},
		{"--method pc halts it for the least time", []string{"--method", "pcsr"}},
		{"--max-overhead bounds", []string{"--max-halt", "1ms"}},
	} {
		s := mprof(t.Context(), nil, append([]string{"sample", "--probe", b.probe(), "--duration", "1", "-o", out, b.elf}, c.args...)...)
		if s.code == 0 || !strings.Contains(s.stderr, c.want) {
			t.Errorf("%v: exit %d, %s", c.args, s.code, s.stderr)
		}
	}
	b.leftRunning(t)
}

// TestGDBWrongProgram: neither architecture nor program is taken on trust, and the
// target runs afterwards.
func TestGDBWrongProgram(t *testing.T) {
	b := startGDBBoard(t, "mps2-an386")
	var hart, other string
	for _, o := range shares.Boards() {
		switch o.Name {
		case "virt":
			hart = o.ELF(t)
		case "mps2-an385":
			other = o.ELF(t)
		}
	}
	out := filepath.Join(t.TempDir(), "out.folded")
	for _, c := range []struct{ probe, elf, want string }{
		{b.probe(), hart, `the program is for RISC-V (RV32), and the GDB server's target is "arm"`},
		{b.probe(), other, "the target runs another program: 0x"},
		{"sim", hart, "is for RISC-V (RV32): a debug probe is driven for Cortex-M cores only"},
	} {
		s := mprof(t.Context(), nil, "sample", "--probe", c.probe, "--duration", "1", "-o", out, c.elf)
		if s.code != 1 || !strings.Contains(s.stderr, c.want) {
			t.Errorf("%s: exit %d, %s", c.probe, s.code, s.stderr)
		}
		b.leftRunning(t)
	}
	b.elf = other
	s := b.sampleUntil(t, filepath.Join(t.TempDir(), "run.mprof"), 5000, "--force", "-o", out)
	if s.code != 0 || !strings.Contains(s.stdout, "sampled all the same (--force)") {
		t.Errorf("--force: exit %d, %s%s", s.code, s.stdout, s.stderr)
	}
}

// inBackground runs mprof sample until its recording has so many bytes, or it ends.
func (b *gdbBoard) inBackground(ctx context.Context, recording string, size int64, args ...string) <-chan outcome {
	ended := make(chan outcome, 1)
	go func() {
		ended <- mprof(ctx, nil, append([]string{"sample", "--probe", b.probe(), "--max-overhead", "none", "--record", recording, b.elf}, args...)...)
	}()
	for len(ended) == 0 {
		if info, err := os.Stat(recording); err == nil && info.Size() > size {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return ended
}

// sampleUntil ends it then, as Ctrl-C does.
func (b *gdbBoard) sampleUntil(t *testing.T, recording string, size int64, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := b.inBackground(ctx, recording, size, args...)
	cancel(&signalError{syscall.SIGINT})
	return <-ended
}

// sampleInBackground runs mprof sample until its recording has samples.
func sampleInBackground(t *testing.T, ctx context.Context, b *gdbBoard, dir string) <-chan outcome {
	t.Helper()
	ended := b.inBackground(ctx, filepath.Join(dir, "run.mprof"), 5000, "--duration", "1h", "-o", filepath.Join(dir, "out.folded"))
	select {
	case s := <-ended:
		t.Fatalf("exit %d: %s", s.code, s.stderr)
	default:
	}
	return ended
}

// TestGDBInterrupted: a signal ends the run with what was sampled, and the target runs.
func TestGDBInterrupted(t *testing.T) {
	b, dir := startGDBBoard(t, "virt"), t.TempDir()
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := sampleInBackground(t, ctx, b, dir)
	cancel(&signalError{syscall.SIGINT})
	s := <-ended
	if s.code != 128+int(syscall.SIGINT) || foldedSamples(t, filepath.Join(dir, "out.folded")) == 0 {
		t.Errorf("exit %d: %s", s.code, s.stderr)
	}
	b.leftRunning(t)
}

// TestGDBEmulatorEnds: what was sampled before is delivered, with the reason.
func TestGDBEmulatorEnds(t *testing.T) {
	b, dir := startGDBBoard(t, "mps2-an386"), t.TempDir()
	ended := sampleInBackground(t, t.Context(), b, dir)
	b.Stop()
	s := <-ended
	told := strings.Contains(s.stderr, "the target ended (W00") && strings.Contains(s.stderr, "Start it again") && strings.Contains(s.stdout, ": the target ended")
	// What QEMU says last is lost where a request that it cannot take was under way.
	lost := strings.Contains(s.stderr, "the connection to the GDB server is lost") && strings.Contains(s.stderr, "Did the server end?") && strings.Contains(s.stdout, "the connection was lost, so mprof could not")
	if s.code != 1 || !told && !lost {
		t.Errorf("exit %d: %s%s", s.code, s.stdout, s.stderr)
	}
	if foldedSamples(t, filepath.Join(dir, "out.folded")) == 0 {
		t.Error(s.stdout)
	}
}

// TestGDBInfo says what the server is and which registers it lacks.
func TestGDBInfo(t *testing.T) {
	for board, want := range map[string]string{"mps2-an386": "msp psp control: stacks across interrupts may end early", "virt": "mepc mcause"} {
		b := startGDBBoard(t, board)
		s := mprof(t.Context(), nil, "info", "--probe", b.probe())
		if s.code != 0 || !strings.Contains(s.stdout, "QEMU") || !strings.Contains(s.stdout, want) || !strings.Contains(s.stdout, "running, by D") {
			t.Errorf("%s: exit %d\n%s%s", board, s.code, s.stdout, s.stderr)
		}
		b.leftRunning(t)
	}
}

// TestGDBAddress: an address that makes no sense, and one where nobody is.
func TestGDBAddress(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		probe, want string
		code        int
	}{
		{"gdb:localhost", "write it as gdb:HOST:PORT", 2},
		{"gdb:localhost:gdb", "usual ports: QEMU, wishbone-tool 1234", 2},
		{"gdb:", "write it as gdb:HOST:PORT", 2},
		{"gdb:127.0.0.1:1", "OpenOCD, pyOCD, Renode 3333; J-Link 2331", 1},
		{"gdb:" + filepath.Join(dir, "socket"), "no GDB server listens there", 1},
	} {
		for _, command := range [][]string{{"sample", "--duration", "1", "-o", filepath.Join(dir, "out.folded"), "../../firmware/demo/demo.elf"}, {"info"}} {
			s := mprof(t.Context(), nil, append(command, "--probe", c.probe)...)
			if s.code != c.code || !strings.Contains(s.stderr, c.want) {
				t.Errorf("%s %s: exit %d, %s", command[0], c.probe, s.code, s.stderr)
			}
		}
	}
	for want, args := range map[string][]string{
		"--monitor is for GDB servers": {"sample", "--probe", "sim", "--monitor", "reset", "-o", filepath.Join(dir, "out.folded")},
		"this needs a CMSIS-DAP probe": {"probe", "check", "--probe", "gdb:localhost:1234"},
	} {
		if s := mprof(t.Context(), nil, args...); s.code != 2 || !strings.Contains(s.stderr, want) {
			t.Errorf("%v: exit %d, %s", args, s.code, s.stderr)
		}
	}
}
