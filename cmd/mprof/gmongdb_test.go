package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/gmon"
	"github.com/mprof/mprof/session/counting/countingtest"
	"github.com/mprof/mprof/sim/qemu"
)

// TestGmonGDB: counters come out of QEMU through its GDB server, which gives memory only of a target that stands; it
// runs on afterwards.
func TestGmonGDB(t *testing.T) {
	elf := countingtest.Plain.ELF(t)
	m := qemu.Start(t, qemu.Options{Board: "mps2-an385", ELF: elf, Silent: true, GDB: true})
	probe := "gdb:" + m.GDB
	await := func(ticks uint32) {
		t.Helper()
		at := countingtest.Block(t, elf) + 4*11
		for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
			if v, err := m.Word(at); err != nil {
				t.Fatal(err)
			} else if v >= ticks {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("no %d ticks in two minutes", ticks)
			}
		}
	}
	running := func() {
		t.Helper()
		if ok, err := m.Running(); err != nil || !ok {
			t.Errorf("the target is left standing: %v", err)
		}
	}
	await(500)
	out := filepath.Join(t.TempDir(), "gmon.out")
	s := mprof(t.Context(), nil, "gmon", "fetch", "--probe", probe, "-o", out, elf)
	if s.code != 0 || !strings.Contains(s.stdout, "only while the target stands") || !strings.Contains(s.stdout, "all counters are of one moment") {
		t.Fatalf("exit code %d: %s%s", s.code, s.stdout, s.stderr)
	}
	running()
	first := readGmon(t, out)
	if total(first) < 500 {
		t.Errorf("%d ticks of 500 at least", total(first))
	}
	judgeByGprof(t, elf, out, first)

	if s := mprof(t.Context(), nil, "gmon", "reset", "--probe", probe, elf); s.code != 0 || !strings.Contains(s.stdout, "has cleared") {
		t.Fatalf("exit code %d: %s%s", s.code, s.stdout, s.stderr)
	}
	running()
	await(50)
	s = mprof(t.Context(), nil, "gmon", "fetch", "--probe", probe, "--reset", "-o", out, elf)
	if s.code != 0 {
		t.Fatalf("exit code %d: %s%s", s.code, s.stdout, s.stderr)
	}
	if d := readGmon(t, out); total(d) < 50 || compareArcs(first, d) == 0 {
		t.Errorf("%d ticks since the reset, %d of the same arcs", total(d), compareArcs(first, d))
	}
	if v, err := m.Word(countingtest.Block(t, elf) + 4*3); err != nil || v < 3 {
		t.Errorf("epoch %d after two resets: %v", v, err)
	}
	running()
}

// compareArcs counts the arcs that two files share.
func compareArcs(a, b *gmon.Data) (same int) {
	seen := map[[2]uint32]bool{}
	for _, arc := range a.Arcs {
		seen[[2]uint32{arc.From, arc.Self}] = true
	}
	for _, arc := range b.Arcs {
		if seen[[2]uint32{arc.From, arc.Self}] {
			same++
		}
	}
	return same
}

func TestGmonGDBBadInput(t *testing.T) {
	elf := countingtest.Plain.ELF(t)
	nowhere := "gdb:" + filepath.Join(t.TempDir(), "socket")
	mprof(t.Context(), nil, "gmon", "fetch", "--probe", nowhere, elf).oneSentence(t, 1, "no GDB server listens there")
	mprof(t.Context(), nil, "gmon", "fetch", "--probe", "gdb:x", elf).oneSentence(t, 2, "write it as gdb:HOST:PORT")
}
