package core

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/snapshot"
)

const smallCapture = `{"registers": {"r7": "0x20000010", "sp": "0x20000000", "PC": 134217992, "lr": "0x08000101", "xpsr": "0x0100000b",
 "msp": "0x20000000", "psp": "0x20001000", "d0": "0x0000000000000000", "s1": [1]},
 "control": 2, "primask": 1, "core_type": "armv7em",
 "memory": [{"start": "0x20000000", "bytes": "01020304"}, {"start": 536875008, "bytes": "FFfe"}, {"start": 0, "bytes": ""}]}`

func TestCapture(t *testing.T) {
	d, err := Read([]byte(" \n"+smallCapture), "x.json")
	if err != nil {
		t.Fatal(err)
	}
	if d.Kind != Capture || d.Arch != snapshot.CortexM || len(d.Threads) != 1 || d.Remarks != nil {
		t.Fatalf("%+v", d)
	}
	s := &d.Threads[0].Snapshot
	for r, want := range map[snapshot.Reg]uint32{snapshot.R7: 0x20000010, snapshot.SP: 0x20000000, snapshot.PC: 0x08000108, snapshot.LR: 0x08000101,
		snapshot.XPSR: 0x0100000b, snapshot.MSP: 0x20000000, snapshot.PSP: 0x20001000, snapshot.CONTROL: 0x02000001} {
		if v := register(t, s, r); v != want {
			t.Errorf("%v is 0x%08x, want 0x%08x", r, v, want)
		}
	}
	want := []snapshot.Window{{Addr: 0x20000000, Data: []byte{1, 2, 3, 4}}, {Addr: 0x20001000, Data: []byte{0xff, 0xfe}}}
	if diff := cmp.Diff(want, s.Windows); diff != "" {
		t.Error(diff)
	}
}

func TestCaptureOfRISCV(t *testing.T) {
	d, err := Read([]byte(`{"registers": {"pc": 4, "ra": 8, "x2": 12, "fp": 16, "mepc": 20, "mcause": "0x80000007"}}`), "x.json")
	if err != nil {
		t.Fatal(err)
	}
	s := &d.Threads[0].Snapshot
	for r, want := range map[snapshot.Reg]uint32{snapshot.PC: 4, snapshot.X0 + 1: 8, snapshot.X0 + 2: 12, snapshot.X0 + 8: 16, snapshot.MEPC: 20, snapshot.MCAUSE: 0x80000007} {
		if v := register(t, s, r); v != want {
			t.Errorf("%v is 0x%08x, want 0x%08x", r, v, want)
		}
	}
	if d.Arch != snapshot.RV32 || len(d.Remarks) != 1 {
		t.Errorf("%v, remarks %q", d.Arch, d.Remarks)
	}
}

func TestCaptureErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"registers": `:                           "JSON at byte 14",
		`{"registers": 5}`:                         "JSON at byte 15: registers is a number",
		`{}`:                                       `there is no "pc"`,
		`{"registers": {"pc": "none"}}`:            `registers.pc: "none" is no number of 32 bits`,
		`{"registers": {"pc": -1}}`:                "registers.pc: -1 is no",
		`{"registers": {"pc": 1.5}}`:               "registers.pc: 1.5 is no",
		`{"registers": {"pc": 4294967296}}`:        "registers.pc: 4294967296 is no",
		`{"registers": {"pc": 1}, "control": 256}`: "control: 0x100 does not fit",
		`{"registers": {"pc": 1}, "memory": [{}]}`: "memory[0].start",
		`{"registers":{"pc":1},"memory":[{"start":1,"bytes":"010g"}]}`:             "memory[0].bytes (0x00000001): after 1 bytes",
		`{"registers":{"pc":1},"memory":[{"start":1,"bytes":"010"}]}`:              "memory[0].bytes",
		`{"registers":{"pc":1},"memory":[{"start":4294967295,"bytes":"0102"}]}`:    "memory[0]: 0x2 bytes at 0xffffffff",
		`{"registers":{"pc":1},"memory":[{"start":1,"bytes":"00"},{"start":"x"}]}`: "memory[1].start",
		`{"registers":{"pc":1},"control":1,"primask":"yes"}`:                       "primask",
	} {
		if _, err := Read([]byte(text), "x"); err == nil || !strings.HasPrefix(err.Error(), "core: x: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// The captures of real chips exist in both forms, of the same moment.
func TestBothFormsAgree(t *testing.T) {
	cores, err := filepath.Glob("../../../shared/data/unwind/*.core")
	if err != nil || len(cores) == 0 {
		t.Skip("../shared/data/unwind is not there")
	}
	for _, path := range cores {
		fromELF, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		fromJSON, err := Open(strings.TrimSuffix(path, ".core") + ".snapshot.json")
		if err != nil {
			t.Fatal(err)
		}
		a, b := &fromELF.Threads[0].Snapshot, &fromJSON.Threads[0].Snapshot
		for r := range snapshot.XPSR + 1 {
			if register(t, a, r) != register(t, b, r) {
				t.Errorf("%s: %v differs", path, r)
			}
		}
		if diff := cmp.Diff(a.Windows, b.Windows); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
		for _, r := range []snapshot.Reg{snapshot.MSP, snapshot.PSP, snapshot.CONTROL} {
			register(t, b, r)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Error(err)
	}
	if _, err := Open(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func FuzzCapture(f *testing.F) {
	f.Add([]byte(smallCapture))
	f.Add([]byte(`{"registers": {"pc": 4, "ra": 8}}`))
	f.Fuzz(func(t *testing.T, p []byte) { checkRead(t, p) })
}

// The registers of both security states, CONTROL as debuggers show it and as DCRSR has it.
func TestCaptureOfBothStates(t *testing.T) {
	d, err := readCapture([]byte(`{"registers": {"pc": 1, "msp_s": 16, "PSP_NS": "0x20", "control_s": 2, "control_ns": "0x02000001"}, "memory": []}`))
	if err != nil {
		t.Fatal(err)
	}
	for r, want := range map[snapshot.Reg]uint32{snapshot.MSPS: 16, snapshot.PSPNS: 32, snapshot.CONTROLS: 2 << 24, snapshot.CONTROLNS: 2<<24 | 1} {
		if v, ok := d.Threads[0].Snapshot.Regs.Value(r); !ok || v != want {
			t.Errorf("%v is 0x%x, %v, want 0x%x", r, v, ok, want)
		}
	}
}
