package qemu

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func assemble(t *testing.T) string {
	t.Helper()
	Require(t, "arm-none-eabi-gcc")
	path := filepath.Join(t.TempDir(), "counted.elf")
	if text, err := exec.Command("arm-none-eabi-gcc", "-nostdlib", "-mcpu=cortex-m3", "-mthumb", "-Wl,--section-start=.vectors=0,-Ttext=0x100,-e,start",
		"testdata/counted.S", "-o", path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return path
}

type counts struct {
	function            string
	context             uint32
	net, hooks, between uint64 // between: what is in Wall but not in Net
}

// Every call takes what was counted by hand: nested and tail calls, recursion,
// hooks, an interrupt in an interrupt, a tail-chained one, and both kinds of
// handlers. A reset in the middle starts all over.
func TestCounted(t *testing.T) {
	m := Start(t, Options{Board: "mps2-an385", ELF: assemble(t), Count: &Count{
		Functions: []string{"leaf", "outer", "jumper", "climbing", "hooking", "pending", "lower", "upper", "switching"},
		Hooks:     []string{"hook"},
		Handlers:  []string{"lower", "switching"},
	}})
	if _, err := os.Stat(m.Pty); err != nil {
		t.Error(err)
	}
	if err := m.AwaitCalls(1000); err != nil {
		t.Fatal(err)
	}
	if err := m.Reset(); err != nil {
		t.Fatal(err)
	}
	noted, err := os.Stat(m.calls)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.AwaitCalls(int(noted.Size()/callBytes) + 10_000); err != nil { // some of before the reset among them
		t.Fatal(err)
	}
	got, err := m.Counted()
	if err != nil {
		t.Fatal(err)
	}
	const lower, upper = 256 + 16 + 3, 256 + 16 + 5
	round := []counts{ // in the order of return
		{"leaf", 0, 3, 0, 0}, {"leaf", 0, 3, 0, 0}, {"outer", 0, 7, 0, 0}, {"leaf", 0, 3, 0, 0}, {"jumper", 0, 5, 0, 0},
		{"climbing", 0, 4, 0, 0}, {"climbing", 0, 9, 0, 0}, {"climbing", 0, 14, 0, 0}, {"hooking", 0, 3, 5, 0},
		{"leaf", upper, 3, 0, 0}, {"upper", upper, 7, 0, 0}, {"leaf", lower, 3, 0, 0}, {"lower", lower, 9 + 3 + 7, 0, 0},
		{"switching", 256 + 14, 2, 0, 0}, {"pending", 0, 5, 0, 9 + 3 + 7 + 2},
	}
	at, begun := 0, 1
	for _, c := range got.Calls {
		g := counts{c.Function, c.Context, c.Net(), c.Hooks, c.Wall() - c.Net()}
		if g != round[at] && begun == 1 { // the reset
			at, begun = 0, 2
		}
		if g != round[at] {
			t.Fatalf("at instruction %d: %+v, want %+v", c.Entry, g, round[at])
		}
		at = (at + 1) % len(round)
	}
	if begun != 2 {
		t.Error("there was no reset, or it did nothing")
	}
	if len(got.Calls) < 1000 || got.InHooks == 0 || got.Instructions < got.Calls[len(got.Calls)-1].Exit {
		t.Errorf("%d calls, %d instructions, %d in hooks", len(got.Calls), got.Instructions, got.InHooks)
	}
}

// What cannot be counted is an error, not nothing.
func TestCountErrors(t *testing.T) {
	path := assemble(t)
	for _, c := range []Count{{Functions: []string{"absent"}}, {Hooks: []string{"absent"}}, {Handlers: []string{"absent"}}, {Resume: "absent"},
		{Resume: "leaf", Stacks: map[uint32]string{1: "absent"}}} {
		p, err := openProgram(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.marks(&c); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}
