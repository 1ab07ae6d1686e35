package gmon

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mprof/mprof/gmon/gproftest"
)

// program assembles functions of 16 bytes, f0, f1, ..., from 0x8000 on, then one of the same size at
// 0x20000000, as code in RAM is, and one that gprof needs behind the last one.
func program(t *testing.T, functions int, endian string) string {
	t.Helper()
	gproftest.Require(t, "arm-none-eabi-as", "arm-none-eabi-ld", gproftest.Command)
	dir := t.TempDir()
	source := ".syntax unified\n.thumb\n"
	function := func(name, section string) {
		source += fmt.Sprintf(".section %s,\"ax\"\n.global %s\n.thumb_func\n.type %[2]s,%%function\n%[2]s: .space 16\n.size %[2]s,16\n", section, name)
	}
	for i := range functions {
		function(fmt.Sprintf("f%d", i), ".text")
	}
	function("inram", ".ramtext")
	function("last", ".ramtext")
	object, elf := filepath.Join(dir, "a.o"), filepath.Join(dir, "a.elf")
	as := exec.Command("arm-none-eabi-as", endian, "-o", object, "-")
	as.Stdin = strings.NewReader(source)
	if out, err := as.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command("arm-none-eabi-ld", endian, "-Ttext=0x8000", "--section-start=.ramtext=0x20000000", "-e", "f0", "-o", elf, object).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return elf
}

func write(t *testing.T, d *Data, order binary.ByteOrder) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gmon.out")
	if err := os.WriteFile(path, encode(t, d, order), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// gprof reads what Encode writes, in both byte orders: counts far above what a bin holds, code
// far apart, buckets of several sizes, and arcs of more than 2^32 calls.
func TestGprofReadsIt(t *testing.T) {
	for name, order := range orders {
		elf := program(t, 6, map[string]string{"little": "-EL", "big": "-EB"}[name])
		for _, size := range []uint32{2, 4, 8, 16} {
			t.Run(fmt.Sprint(name, size), func(t *testing.T) {
				d := &Data{Rate: 1e6, Buckets: []Bucket{
					{0x8000, size, 1}, {0x8010, size, 65535}, {0x8020, size, 65536}, {0x8030, size, 12345678}, {0x8040, size, math.MaxInt32},
					{0x20000000 + 16 - size, size, 7e6},
				}, Arcs: []Arc{{0x8004, 0x8010, 3}, {0x8014, 0x20000000, math.MaxUint32 + 5}}}
				flat := gproftest.FlatProfile(t, elf, write(t, d, order))
				want := map[string]string{"f0": "0.00", "f1": "0.07", "f2": "0.07", "f3": "12.35", "f4": "2147.48", "inram": "7.00"}
				calls := map[string]uint64{"f1": 3, "inram": math.MaxUint32 + 5}
				for _, row := range flat.Rows {
					if want[row.Name] != row.SelfText || calls[row.Name] != row.Calls {
						t.Errorf("%+v, want %s and %d calls", row, want[row.Name], calls[row.Name])
					}
				}
				if len(flat.Rows) != len(want) || flat.Each != 1e-6 {
					t.Errorf("%d rows of %g s: %+v", len(flat.Rows), flat.Each, flat.Rows)
				}
				if size == 16 && flat.Rows[len(flat.Rows)-1].Cumulative != 2166.96 {
					t.Errorf("in all %+v", flat.Rows)
				}
			})
		}
	}
}

// Calls alone make a flat profile, too.
func TestGprofReadsCallsAlone(t *testing.T) {
	elf := program(t, 3, "-EL")
	flat := gproftest.FlatProfile(t, elf, write(t, &Data{Rate: 100, Arcs: []Arc{{0x8002, 0x8010, 42}}}, binary.LittleEndian))
	if row, ok := flat.Row("f1"); !ok || row.Calls != 42 {
		t.Errorf("%+v", flat)
	}
}

// So does the gprof of RISC-V, for a program of 32 bits.
func TestRISCVGprofReadsIt(t *testing.T) {
	gproftest.Require(t, "riscv64-unknown-elf-as", "riscv64-unknown-elf-ld", gproftest.RISCVCommand)
	dir := t.TempDir()
	object, elf := filepath.Join(dir, "a.o"), filepath.Join(dir, "a.elf")
	as := exec.Command("riscv64-unknown-elf-as", "-march=rv32imc", "-mabi=ilp32", "-o", object, "-")
	as.Stdin = strings.NewReader(".option norelax\n.irp name, f0, f1, last\n.globl \\name\n.type \\name, @function\n\\name: .space 16\n.size \\name, 16\n.endr\n")
	if out, err := as.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command("riscv64-unknown-elf-ld", "-melf32lriscv", "-Ttext=0x20040000", "-e", "f0", "-o", elf, object).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	d := &Data{Rate: 1000, Buckets: []Bucket{{0x20040000, 2, 70000}, {0x2004001e, 2, 1234567}}, Arcs: []Arc{{0x20040004, 0x20040010, 9}}}
	flat := gproftest.FlatProfileBy(t, gproftest.RISCVCommand, elf, write(t, d, binary.LittleEndian))
	f0, _ := flat.Row("f0")
	f1, _ := flat.Row("f1")
	if len(flat.Rows) != 2 || f0.SelfText != "70.00" || f1.SelfText != "1234.57" || f1.Calls != 9 {
		t.Errorf("%+v", flat)
	}
}
