package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/session/counting/countingtest"
	"github.com/mprof/mprof/sim"
)

// oneSentence checks what a user reads: one line, and at most one hint below.
func (s outcome) oneSentence(t *testing.T, code int, want string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(s.stderr), "\n")
	if s.code != code || len(lines) > 2 || !strings.HasPrefix(lines[0], "mprof: ") || !strings.Contains(lines[0], want) || strings.Contains(s.stderr, "goroutine") {
		t.Errorf("exit code %d, want %d and %q in one sentence:\n%s", s.code, code, want, s.stderr)
	}
}

func TestGmonBadInput(t *testing.T) {
	elf := countingtest.Plain.ELF(t)
	stripped := filepath.Join(t.TempDir(), "stripped.elf")
	if out, err := exec.Command("arm-none-eabi-strip", "-s", "-o", stripped, elf).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := filepath.Join(t.TempDir(), "text.elf")
	if err := os.WriteFile(text, []byte("no ELF\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	other := func(b *sim.Board) { b.Core().Memory(8)[0] ^= 2 }
	damage := func(word int, v byte) func(*sim.Board) {
		return func(b *sim.Board) {
			_ = b.Sleep(t.Context(), 500*time.Millisecond)
			at := b.Core().Memory(countingtest.Block(t, elf) + uint32(4*word))
			for i := range 4 {
				at[i] = v
			}
		}
	}
	for _, c := range []struct {
		name  string
		elf   string
		watch func(*sim.Board)
		code  int
		want  string
	}{
		{"no ELF file", text, nil, 1, "text.elf"},
		{"no symbols", stripped, nil, 1, "has no symbols: nothing says where the counters are"},
		{"no counters", filepath.Join("..", "..", "firmware", "demo", "demo.elf"), nil, 1, "demo.elf has no variable mprof_gprof"},
		{"another program", elf, other, 1, "the target runs another program"},
		{"version", elf, damage(0, 0xFF), 1, "its version word is 0xffffffff"},
		{"counters in flash", elf, damage(8, 0), 1, "would lie in the program's read-only memory"},
		{"counters among registers", elf, damage(8, 0x44), 1, "would lie in the registers of peripherals"},
		{"counters nowhere", elf, damage(8, 0x70), 1, "read 0x70707070"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "gmon.out")
			gmonFetch(t, c.watch, "fetch", "debugprobe", c.elf, "-o", out).oneSentence(t, c.code, c.want)
			if _, err := os.Stat(out); err == nil {
				t.Error("a file was written")
			}
		})
	}
	gmonFetch(t, nil, "fetch", "debugprobe", elf, elf).oneSentence(t, 2, "one ELF file, got 2")
	mprof(t.Context(), nil, "gmon", "fetch").oneSentence(t, 2, "which firmware?")
	mprof(t.Context(), nil, "gmon", "fletch").oneSentence(t, 2, "did you mean fetch?")
	gmonFetch(t, nil, "fetch", "debugprobe", elf, "--every", "5", "-o", "-").oneSentence(t, 2, "--every writes a file each time")
	gmonFetch(t, nil, "fetch", "debugprobe", elf, "--every", "5", "--duration", "1").oneSentence(t, 2, "--every 5s is longer than --duration 1s")
	gmonFetch(t, nil, "fetch", "debugprobe", elf, "-o", "x.unknown").oneSentence(t, 2, "x.unknown")
	gmonFetch(t, nil, "fetch", "debugprobe", elf, "-o", filepath.Join(t.TempDir(), "nowhere", "gmon.out")).oneSentence(t, 1, "nowhere")
}

// TestGmonForce: another program is said, and fetched all the same.
func TestGmonForce(t *testing.T) {
	elf := countingtest.Plain.ELF(t)
	out := filepath.Join(t.TempDir(), "gmon.out")
	s := gmonFetch(t, func(b *sim.Board) {
		_ = b.Sleep(t.Context(), 500*time.Millisecond)
		b.Core().Memory(8)[0] ^= 2
	}, "fetch", "debugprobe", elf, "--force", "-o", out)
	if s.code != 0 || !strings.Contains(s.stdout, "runs another program") || total(readGmon(t, out)) == 0 {
		t.Errorf("exit code %d: %s%s", s.code, s.stdout, s.stderr)
	}
}

// TestGmonShortOfMemory: what the target had no room for is said.
func TestGmonShortOfMemory(t *testing.T) {
	out := filepath.Join(t.TempDir(), "gmon.out")
	wait := func(b *sim.Board) { _ = b.Sleep(t.Context(), 500*time.Millisecond) }
	gmonFetch(t, wait, "fetch", "debugprobe", countingtest.Firmware{Memory: 64, Bucket: 4, Interval: 997}.ELF(t), "-o", out).
		oneSentence(t, 1, "profile_on found no room for its counters on the target: it wants")

	s := gmonFetch(t, wait, "fetch", "debugprobe", countingtest.Firmware{Memory: 112, Bucket: 1024, Interval: 997}.ELF(t), "-o", out)
	if s.code != 0 || !strings.Contains(s.stdout, "calls found no room for another arc") {
		t.Errorf("exit code %d: %s%s", s.code, s.stdout, s.stderr)
	}
}

// TestGmonSaturated: counters that stand at their end are said, and how much is missing.
func TestGmonSaturated(t *testing.T) {
	elf := countingtest.Firmware{Memory: 1024, Bucket: 1 << 16, Interval: 50}.ELF(t)
	out := filepath.Join(t.TempDir(), "gmon.out")
	s := gmonFetch(t, func(b *sim.Board) { _ = b.Sleep(t.Context(), 5*time.Second) }, "fetch", "debugprobe", elf, "-o", out)
	if s.code != 0 || !strings.Contains(s.stdout, "found their counter at 65535") || total(readGmon(t, out)) != 0xFFFF {
		t.Errorf("exit code %d: %s%s", s.code, s.stdout, s.stderr)
	}
}

// TestGmonOutside: ticks elsewhere are said. Functions below LOW are not counted.
func TestGmonOutside(t *testing.T) {
	elf := countingtest.Firmware{Memory: 8192, Bucket: 4, Interval: 997, Low: 0x400}.ELF(t)
	out := filepath.Join(t.TempDir(), "gmon.out")
	s := gmonFetch(t, func(b *sim.Board) { _ = b.Sleep(t.Context(), time.Second) }, "fetch", "debugprobe", elf, "-o", out)
	if s.code != 0 || !strings.Contains(s.stdout, "found the program outside of 0x00000400") {
		t.Errorf("exit code %d: %s%s", s.code, s.stdout, s.stderr)
	}
}

// TestGmonFaults: what fails once on the wire does not cost the counters, and never the core.
func TestGmonFaults(t *testing.T) {
	elf := countingtest.Plain.ELF(t)
	for _, fault := range []string{"noack", "wait", "fault", "parity", "late", "short", "lost", "unheard", "long", "miscount"} {
		for _, when := range []string{"1010ms", "1100ms"} {
			out := filepath.Join(t.TempDir(), "gmon.out")
			s := gmonFetch(t, nil, "fetch", "debugprobe,"+fault+"="+when, elf, "--duration", "1", "--every", "100ms", "--halt", "-o", out)
			if s.code != 0 {
				t.Errorf("%s at %s: exit code %d: %s", fault, when, s.code, s.stderr)
			}
		}
	}
	out := filepath.Join(t.TempDir(), "gmon.out")
	s := gmonFetch(t, nil, "fetch", "debugprobe,unplug=1s", elf, "--duration", "2", "--every", "100ms", "-o", out)
	if files, _ := filepath.Glob(filepath.Join(filepath.Dir(out), "*")); s.code != 1 || len(files) < 5 || !strings.Contains(s.stderr, "disconnected") {
		t.Errorf("unplugged: exit code %d, %d files: %s", s.code, len(files), s.stderr)
	}
}
