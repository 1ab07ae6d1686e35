package unwind

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mprof/mprof/snapshot"
)

// rv32Core writes a snapshot as an ELF core file: NT_PRSTATUS with pc and x1 to
// x31, and the stack.
func rv32Core(t *testing.T, path string, s *snapshot.Snapshot) {
	t.Helper()
	le := binary.LittleEndian
	note := append([]byte("\x05\x00\x00\x00\xcc\x00\x00\x00\x01\x00\x00\x00CORE\x00\x00\x00\x00"), make([]byte, 204)...)
	le.PutUint32(note[20+24:], 1)
	pc, _ := s.Regs.Value(snapshot.PC)
	le.PutUint32(note[20+72:], pc)
	for i := range 31 {
		v, _ := s.Regs.Value(snapshot.X0 + 1 + snapshot.Reg(i))
		le.PutUint32(note[20+76+4*i:], v)
	}
	segments := append([]snapshot.Window{{Data: note}}, s.Windows...)
	file := make([]byte, 52+32*len(segments))
	copy(file, "\x7fELF\x01\x01\x01")
	le.PutUint16(file[16:], 4)
	le.PutUint16(file[18:], 243)
	le.PutUint32(file[20:], 1)
	le.PutUint32(file[28:], 52)
	le.PutUint16(file[40:], 52)
	le.PutUint16(file[42:], 32)
	le.PutUint16(file[44:], uint16(len(segments)))
	for i, w := range segments {
		h, kind := file[52+32*i:], uint32(1)
		if i == 0 {
			kind = 4
		}
		for at, v := range map[int]uint32{0: kind, 4: uint32(len(file)), 8: w.Addr, 16: uint32(len(w.Data)), 20: uint32(len(w.Data)), 24: 6} {
			le.PutUint32(h[at:], v)
		}
		file = append(file, w.Data...)
	}
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
}

// gdbStacks prints the PCs of the physical frames of each core file, one line each.
const gdbStacks = `
import gdb
for n in range(%d):
    gdb.execute("core-file %s/%%d" %% n, to_string=True)
    f, pcs = gdb.newest_frame(), []
    while f is not None and len(pcs) < 300:
        if f.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            pcs.append("%%x" %% f.pc())
        try:
            f = f.older()
        except gdb.error:
            break
    print("stack", *pcs)
`

// TestRISCVAgainstGDB: gdb sees the same true stacks, but for what it does not
// know: traps, and the routines that save registers.
func TestRISCVAgainstGDB(t *testing.T) {
	tool(t, "gdb-multiarch")
	for _, h := range []struct {
		name, flags string
		clang       bool
		outside     int // of 100 stacks outside of traps that gdb must see as they are
	}{{"Og", "-Og", false, 85}, {"Os save and restore", "-Os -msave-restore", false, 75}, {"clang O2", "-O2", true, 70}} {
		t.Run(h.name, func(t *testing.T) {
			if testing.Short() && h.name != "Og" {
				t.Skip("one is enough for a quick look")
			}
			path, dir := buildHart(t, h.flags, false, h.clang), t.TempDir()
			p := loadProgram(t, path)
			p.Arch, p.Outermost = snapshot.RV32, []uint32{symbolsOf(t, path)["_start"]}
			u, err := New(p)
			if err != nil {
				t.Fatal(err)
			}
			var truth [][]Frame
			n := 0
			judge := hartJudge{also: func(s *snapshot.Snapshot, want []Frame) {
				if n++; n%37 == 0 && len(s.Windows) > 0 {
					rv32Core(t, filepath.Join(dir, fmt.Sprint(len(truth))), s)
					truth = append(truth, want)
				}
			}}
			most := 9_000
			if testing.Short() {
				most = 3_000
			}
			judge.run(t, emulate(t, path), path, u, most)
			script := filepath.Join(dir, "stacks.py")
			if err := os.WriteFile(script, fmt.Appendf(nil, gdbStacks, len(truth), dir), 0o666); err != nil {
				t.Fatal(err)
			}
			out := run(t, "gdb-multiarch", "-nx", "-batch", "-iex", "set pagination off", "-iex", "set backtrace past-main on", path, "-x", script)
			var got [][]string
			for line := range strings.Lines(out) {
				if words := strings.Fields(line); len(words) > 0 && words[0] == "stack" {
					got = append(got, words[1:])
				}
			}
			if len(got) != len(truth) {
				t.Fatalf("%d stacks of %d: %s", len(got), len(truth), out)
			}
			equal, inTrap, outside, equalOutside := 0, 0, 0, 0
			for i, want := range truth {
				same, trap := slices.Equal(got[i], hexPCs(want)), slices.ContainsFunc(want, func(f Frame) bool { return f.Kind == Exception })
				if same {
					equal++
				}
				switch {
				case trap:
					inTrap++
				case same:
					outside, equalOutside = outside+1, equalOutside+1
				default:
					outside++
				}
			}
			t.Logf("gdb: %d of %d stacks equal, outside of traps %d of %d; here: %v", equal, len(truth), equalOutside, outside, &judge)
			if judge.equal != judge.total || equalOutside*100 < outside*h.outside {
				t.Errorf("want all here, and %d %% of gdb's outside of traps", h.outside)
			}
		})
	}
}

// hexPCs are the PCs of frames that have one, as gdb is told to print them.
func hexPCs(frames []Frame) (pcs []string) {
	for _, f := range frames {
		if f.Kind != Exception {
			pcs = append(pcs, fmt.Sprintf("%x", f.PC))
		}
	}
	return pcs
}
