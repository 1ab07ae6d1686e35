package target_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/firmware/examples"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// write makes a file.
func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// built is the built-in firmware.
func built(t *testing.T) *symbol.Program {
	t.Helper()
	of, err := target.OpenProgram("", nil)
	if err != nil {
		t.Fatal(err)
	}
	return of
}

func TestOpenProgram(t *testing.T) {
	of := built(t)
	if of.App().Path() != target.BuiltIn || target.Arch(of) != snapshot.CortexM {
		t.Errorf("%s for %v", of.App().Path(), target.Arch(of))
	}
	if _, ok := of.Source("firmware/demo/src/main.c"); !ok {
		t.Error("the built-in firmware has no source")
	}
	path := write(t, "app.elf", demo.ELF)
	of, err := target.OpenProgram(path, nil)
	if err != nil || of.App().Path() != path || string(of.App().BuildID()) != string(built(t).App().BuildID()) {
		t.Errorf("%s: %v", path, err)
	}
	riscv := write(t, "riscv.elf", asMachine(243))
	if _, err := target.OpenProgram(riscv, nil); !says(err, "riscv.elf", "RISC-V") {
		t.Errorf("a program of another architecture: %v", err)
	}
	if of, err := target.OpenAnyProgram(riscv, nil); err != nil || target.Arch(of) != snapshot.RV32 {
		t.Errorf("a program of another architecture where any will do: %v", err)
	}
}

// TestOpenProgramRefuses: each file that is none says so with its name, beside the application
// as in its place.
func TestOpenProgramRefuses(t *testing.T) {
	x86 := asMachine(62)
	for name, content := range map[string][]byte{
		"empty.elf": {}, "text.elf": []byte("#!/bin/sh\nexit 0\n"), "cut.elf": demo.ELF[:60], "half.elf": demo.ELF[:len(demo.ELF)/2], "x86.elf": x86,
	} {
		path := write(t, name, content)
		for way, open := range map[string]func() (*symbol.Program, error){
			"application":     func() (*symbol.Program, error) { return target.OpenProgram(path, nil) },
			"any":             func() (*symbol.Program, error) { return target.OpenAnyProgram(path, nil) },
			"beside another":  func() (*symbol.Program, error) { return target.OpenProgram("", []string{path}) },
			"beside any":      func() (*symbol.Program, error) { return target.OpenAnyProgram("", []string{path}) },
			"that is missing": func() (*symbol.Program, error) { return target.OpenProgram(path+".missing", nil) },
		} {
			if of, err := open(); of != nil || !says(err, name) {
				t.Errorf("%s, %s: %v", name, way, err)
			}
		}
	}
}

// TestJoinRecorded: an ELF file that is no longer there costs its names, and that is said; one
// that is named in its place must be there.
func TestJoinRecorded(t *testing.T) {
	app, err := target.OpenImage("")
	if err != nil {
		t.Fatal(err)
	}
	of, remarks, err := target.JoinRecorded(app, nil, []string{"/nowhere/boot.elf"})
	if err != nil || len(of.Images()) != 1 || len(remarks) != 1 || !says(errors.New(remarks[0]), "/nowhere/boot.elf", "no names now") {
		t.Errorf("%q, %v", remarks, err)
	}
	if _, _, err := target.JoinRecorded(app, []string{"/nowhere/given.elf"}, []string{"/nowhere/boot.elf"}); !says(err, "given.elf") {
		t.Errorf("%v", err)
	}
	boot := write(t, "boot.elf", moved())
	for _, c := range [][2][]string{{nil, {boot}}, {{boot}, {"/nowhere/boot.elf"}}} {
		of, remarks, err := target.JoinRecorded(app, c[0], c[1])
		if err != nil || len(remarks) > 0 || len(of.Images()) != 2 {
			t.Errorf("given %q, recorded %q: %q, %v", c[0], c[1], remarks, err)
		}
	}
}

// moved is the built-in firmware 16 MiB behind its place: p_vaddr, p_paddr and sh_addr of
// what is in flash (ELF, "Program Header", "Section Header", of 32 bits).
func moved() []byte {
	b := append([]byte{}, demo.ELF...)
	word := func(at uint32) []byte { return b[at : at+4] }
	shift := func(at uint32) {
		if addr := binary.LittleEndian.Uint32(word(at)); addr>>24 == 0x08 {
			binary.LittleEndian.PutUint32(word(at), addr+1<<24)
		}
	}
	table := func(offset, size, count uint32, fields ...uint32) {
		first := binary.LittleEndian.Uint32(word(offset))
		for i := range uint32(binary.LittleEndian.Uint16(b[count:])) {
			for _, f := range fields {
				shift(first + i*uint32(binary.LittleEndian.Uint16(b[size:])) + f)
			}
		}
	}
	table(28, 42, 44, 8, 12)
	table(32, 46, 48, 12)
	return b
}

// TestCheckBuild: a recording without a build id fits any file; another one is named with both.
func TestCheckBuild(t *testing.T) {
	app, err := target.OpenImage("")
	if err != nil {
		t.Fatal(err)
	}
	own := fmt.Sprintf("%x", app.BuildID())
	if err := errors.Join(target.CheckBuild("recording", "", app), target.CheckBuild("recording", own, app)); err != nil {
		t.Error(err)
	}
	if err := target.CheckBuild("profile", "0102", app); !errors.As(err, new(*target.BuildError)) || !says(err, "the profile", "0102", own, target.BuiltIn) {
		t.Errorf("%v", err)
	}
}

// TestMemoryOfProgram: where stacks and code of a program are.
func TestMemoryOfProgram(t *testing.T) {
	of := built(t)
	sp, ok := of.App().InitialSP()
	if tops := target.StackTops(of); !ok || !slices.Equal(tops, []uint32{sp}) {
		t.Errorf("stacks begin at %#x, the program's at %#x", tops, sp)
	}
	inRAM := func(addr uint32) bool {
		for _, r := range target.RAM(of) {
			if addr >= r.Low && addr < r.High {
				return true
			}
		}
		return false
	}
	if !inRAM(sp-4) || inRAM(sp) || inRAM(of.App().Entry()) {
		t.Errorf("RAM is %+x, the stack pointer %#x", target.RAM(of), sp)
	}
	for _, s := range of.App().Segments() {
		if s.Write && s.MemSize > 0 && !(inRAM(s.Vaddr) && inRAM(s.Vaddr+s.MemSize-1)) {
			t.Errorf("%+v is not in %+x", s, target.RAM(of))
		}
	}
	inCode := target.InCode(of)
	for _, r := range of.CodeRanges() {
		if !inCode(r.Low) || !inCode(r.High-1) || inCode(r.High) && !slices.ContainsFunc(of.CodeRanges(), func(o symbol.Range) bool { return o.Low == r.High }) {
			t.Errorf("code at %+x", r)
		}
	}
	if inCode(sp) || inCode(0xFFFFFFFF) {
		t.Error("the stack is code")
	}
}

// TestVerify compares a board's memory with programs: its own, and another.
func TestVerify(t *testing.T) {
	board := openSim(t, "sim")
	o := target.Options{}
	p, core, err := o.Attach(t.Context(), board, false)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	defer core.Detach(t.Context())
	if err := target.Verify(t.Context(), p, built(t)); err != nil {
		t.Errorf("its own program: %v", err)
	}
	other, err := target.OpenProgram(write(t, "other.elf", examples.DemoELF), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := target.Verify(t.Context(), p, other); !errors.As(err, new(*symbol.MismatchError)) || says(err, "other.elf: ") {
		t.Errorf("another program: %v", err)
	}
	app, err := target.OpenImage("")
	if err != nil {
		t.Fatal(err)
	}
	both, _, err := target.JoinRecorded(app, []string{write(t, "boot.elf", moved())}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := target.Verify(t.Context(), p, both); !says(err, "boot.elf: ") || says(err, target.BuiltIn) {
		t.Errorf("a boot loader that is not there: %v", err)
	}
}
