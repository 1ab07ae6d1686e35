package export_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/gmon"
	"github.com/mprof/mprof/gmon/gproftest"
	"github.com/mprof/mprof/symbol"
)

// awkward is a program of functions that gprof's own table of symbols has no place for: clones with a dot in their name,
// static functions of one name, several names at one address, a function of 2 bytes between others, code
// in .data, code without a symbol (16 bytes behind "small"), and a last one in RAM.
const awkward = `
.syntax unified
.thumb
.macro function name, section, flags, size=16, bind=local
.section \section, "\flags"
.\bind \name
.thumb_func
.type \name, %function
\name: .rept \size / 2
nop
.endr
.size \name, \size
.endm
function first, .text, ax, 16, global
function parse.isra.0, .text, ax
function send.part.3, .text, ax
function rare.cold, .text, ax
function copy.constprop.0, .text, ax
function small, .text, ax, 2
.rept 8
nop
.endr
function twice, .text, ax
function __named, .text, ax, 16, global
.global named
.thumb_set named, __named
.weak weakly
.thumb_set weakly, __named
function inram, .data.ram, awx, 16, global
function last, .ramtext, ax, 16, global
`

// moreAwkward has a static function of the same name.
const moreAwkward = `
.syntax unified
.thumb
.thumb_func
.type twice, %function
twice: .rept 8
nop
.endr
.size twice, 16
`

func assemble(t *testing.T) string {
	t.Helper()
	gproftest.Require(t, "arm-none-eabi-as", "arm-none-eabi-ld", gproftest.Command)
	dir := t.TempDir()
	elf := filepath.Join(dir, "app.elf")
	link := []string{"-Ttext=0x08000000", "--section-start=.data=0x20000000", "--section-start=.ramtext=0x20001000", "-e", "first", "-o", elf}
	for i, source := range []string{awkward, moreAwkward} {
		object := filepath.Join(dir, fmt.Sprintf("%d.o", i))
		as := exec.Command("arm-none-eabi-as", "-mcpu=cortex-m4", "-o", object, "-")
		as.Stdin = strings.NewReader(source)
		if out, err := as.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		link = append(link, object)
	}
	if out, err := exec.Command("arm-none-eabi-ld", link...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return elf
}

// With the table of WriteGmonSymbols gprof has each of these functions in a line of its own, with its time;
// without it, it has not, which is why the table is there.
func TestGmonSymbols(t *testing.T) {
	elf := assemble(t)
	app, err := symbol.Open(elf)
	if err != nil {
		t.Fatal(err)
	}
	program, err := symbol.NewProgram(app)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string][]uint32{} // where each name is, by the ELF file
	for _, c := range functionsOf(t, elf) {
		for _, name := range c.names {
			at[name] = append(at[name], uint32(c.low))
		}
	}
	nameless := at["small"][0] + 2
	var want []string
	d := &gmon.Data{Rate: 1}
	add := func(name string, addr uint32) {
		seconds := 100 + 10*len(want) // of each another number
		d.Buckets = append(d.Buckets, gmon.Bucket{Addr: addr, Size: 2, Count: uint64(seconds)})
		want = append(want, fmt.Sprintf("%s %d.00", name, seconds))
	}
	for _, name := range []string{"first", "parse.isra.0", "send.part.3", "rare.cold", "copy.constprop.0", "small", "twice", "named", "inram", "last"} {
		for _, low := range at[name] {
			if name == "small" {
				add(name, low)
				add("[code_0x08000000_without_symbols]", nameless)
				continue
			}
			add(name, low+14) // the last instruction
		}
	}
	if len(want) != 12 {
		t.Fatal(want)
	}
	p, err := export.ReadGmon(d, export.Input{Program: program})
	if err != nil {
		t.Fatal(err)
	}
	file, table := write(t, p, "gmon.out"), write(t, p, "gmon.syms")
	lines := func(flags ...string) (out []string) {
		for _, r := range gproftest.FlatProfile(t, elf, file, flags...).Rows {
			out = append(out, r.Name+" "+r.SelfText)
		}
		slices.Sort(out)
		return out
	}
	slices.Sort(want)
	if got := lines("-S", table); !slices.Equal(got, want) {
		text, _ := os.ReadFile(table)
		t.Errorf("%q, want %q\n%s", got, want, text)
	}
	if got := lines(); slices.Equal(got, want) {
		t.Error("gprof does not need the table")
	}
	remarks := strings.Join(export.Gmon{}.Remarks(p), "\n")
	if !strings.Contains(remarks, "-o gmon.syms, then gprof -S gmon.syms") || !strings.Contains(remarks, "last") {
		t.Error(remarks)
	}
}

// Buckets of several sizes give each function what gprof makes of them: all of it where they are not
// larger than the functions' alignment.
func TestGmonBuckets(t *testing.T) {
	elf := assemble(t)
	app, err := symbol.Open(elf)
	if err != nil {
		t.Fatal(err)
	}
	program, err := symbol.NewProgram(app)
	if err != nil {
		t.Fatal(err)
	}
	d := &gmon.Data{Rate: 1, Buckets: []gmon.Bucket{{Addr: 0x08000000, Size: 2, Count: 3}, {Addr: 0x08000002, Size: 2, Count: 5}, {Addr: 0x0800000e, Size: 2, Count: 7}, {Addr: 0x0800001e, Size: 2, Count: 11}}}
	p, err := export.ReadGmon(d, export.Input{Program: program})
	if err != nil {
		t.Fatal(err)
	}
	table := write(t, p, "gmon.syms")
	for _, bucket := range []uint32{2, 4, 8, 16} {
		path := filepath.Join(t.TempDir(), "gmon.out")
		if err := (export.Options{Gmon: export.Gmon{Bucket: bucket}}).WriteFile(path, p); err != nil {
			t.Fatal(err)
		}
		flat := gproftest.FlatProfile(t, elf, path, "-S", table)
		if first, _ := flat.Row("first"); first.SelfText != "15.00" {
			t.Errorf("buckets of %d: %+v", bucket, flat)
		}
		if clone, _ := flat.Row("parse.isra.0"); clone.SelfText != "11.00" {
			t.Errorf("buckets of %d: %+v", bucket, flat)
		}
	}
}

// A function that was called and never found has a row in the table of a file that is read: without it gprof would give its calls
// to the function before.
func TestGmonSymbolsOfCalls(t *testing.T) {
	elf := assemble(t)
	app, err := symbol.Open(elf)
	if err != nil {
		t.Fatal(err)
	}
	program, err := symbol.NewProgram(app)
	if err != nil {
		t.Fatal(err)
	}
	d := &gmon.Data{Rate: 1, Buckets: []gmon.Bucket{{Addr: 0x08000002, Size: 2, Count: 300}}}
	want := []string{"first 0"}
	for i, name := range []string{"parse.isra.0", "copy.constprop.0", "named", "inram"} {
		for _, c := range functionsOf(t, elf) {
			if slices.Contains(c.names, name) {
				d.Arcs = append(d.Arcs, gmon.Arc{From: 0x08000004, Self: uint32(c.low), Count: uint64(5 + i)})
				want = append(want, fmt.Sprintf("%s %d", name, 5+i))
			}
		}
	}
	slices.SortFunc(d.Arcs, func(a, b gmon.Arc) int { return int(int64(a.Self) - int64(b.Self)) })
	p, err := export.ReadGmon(d, export.Input{Program: program})
	if err != nil {
		t.Fatal(err)
	}
	file, table := filepath.Join(t.TempDir(), "gmon.out"), write(t, p, "gmon.syms")
	if err := export.Write(file, func(w io.Writer) error { return d.Encode(w, binary.LittleEndian) }); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range gproftest.FlatProfile(t, elf, file, "-S", table).Rows {
		got = append(got, fmt.Sprintf("%s %d", r.Name, r.Calls))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
