package main

import (
	"debug/elf"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pprof "github.com/google/pprof/profile"
)

// buildChip links a ROM at an address, and an application at 0x08000000 that
// calls it by --just-symbols. The application's file holds the bytes of the ROM,
// not as code, so that the simulated chip has them.
func buildChip(t *testing.T, at string) (app, rom string) {
	t.Helper()
	dir := t.TempDir()
	app, rom = filepath.Join(dir, "app.elf"), filepath.Join(dir, "rom.elf")
	source := func(name string) string {
		path, err := filepath.Abs(filepath.Join("testdata", "rom", name))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	gcc := []string{"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-Og", "-g", "-ffreestanding", "-nostdlib"}
	for _, args := range [][]string{
		append(slices.Clone(gcc), "-Wl,-Ttext="+at+",--entry=rom_reset,--build-id=none", "-o", rom, source("rom.c")),
		{"arm-none-eabi-objcopy", "-O", "binary", "-j", ".text", rom, "rom.bin"},
		append(slices.Clone(gcc), "-Wl,--section-start=.vectors=0x08000000,-Ttext=0x08000100,-Tbss=0x20000000,--section-start=.romcode="+at+",--build-id=none",
			"-Wl,--entry=Reset_Handler,--just-symbols="+rom, "-o", app, source("app.c"), source("bytes.s")),
	} {
		if _, err := exec.LookPath(args[0]); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is missing", args[0])
			}
			t.Skipf("%s is not installed: scripts/setup.sh test installs it", args[0])
		}
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	return app, rom
}

// TestExtraELF samples a chip with a ROM. With the ELF files of both, stacks
// go through them; without that of the ROM they end there, and say where.
func TestExtraELF(t *testing.T) {
	app, rom := buildChip(t, "0x1fff0000")
	dir := t.TempDir()
	folded := func(args ...string) string {
		out := filepath.Join(dir, "out.folded")
		s := mprof(t.Context(), nil, append(args, "-o", out)...)
		if s.code != 0 {
			t.Fatalf("%q: %s", args, s.stderr)
		}
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	recording := filepath.Join(dir, "run.mprof")
	both := folded("sample", "--probe", "sim", "--duration", "2", "--seed", "1", "--record", recording, "--extra-elf", rom, app)
	for _, want := range []string{"Reset_Handler;main;app_work;rom_each;app_step ", "Reset_Handler;main;app_work;rom_each;rom_mix "} {
		if !strings.Contains(both, want) {
			t.Errorf("with the ROM's ELF file, no %q:\n%s", want, both)
		}
	}
	if strings.Contains(both, "<cut") || strings.Contains(both, "outside of the ELF") {
		t.Errorf("with the ROM's ELF file, stacks are cut:\n%s", both)
	}
	for name, args := range map[string][]string{
		"what the recording names": {"convert", recording},
		"the same by hand":         {"convert", recording, "--extra-elf", rom},
		"the other order":          {"convert", recording, "--elf", rom, "--extra-elf", app},
	} {
		if got := folded(args...); got != both {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, both)
		}
	}

	// The application's ELF file has the ROM's symbols, not its call frames.
	if err := os.Rename(rom, rom+".away"); err != nil {
		t.Fatal(err)
	}
	alone := folded("convert", recording)
	if !strings.Contains(alone, ";rom_mix ") || !strings.Contains(alone, "<cut: ") || strings.Contains(alone, "main;app_work;rom_each") {
		t.Errorf("without the ROM's ELF file:\n%s", alone)
	}
}

// TestROMRegion samples a chip whose ROM no ELF file knows: its frames say which
// memory it is, and the stack what is missing.
func TestROMRegion(t *testing.T) {
	app, _ := buildChip(t, "0x00000000")
	bare := filepath.Join(t.TempDir(), "bare.elf")
	if out, err := exec.Command("arm-none-eabi-objcopy", "-N", "rom_each", "-N", "rom_mix", "-N", "rom_reset", app, bare).CombinedOutput(); err != nil {
		t.Fatalf("objcopy: %v: %s", err, out)
	}
	for probe, want := range map[string]string{
		"sim:debugprobe,chip=rp2040": "[RP2040 boot ROM] ",
		"sim":                        "[code 0x00000000 outside of the ELF] ",
	} {
		dir := t.TempDir()
		recording := filepath.Join(dir, "run.mprof")
		for _, args := range [][]string{
			{"sample", "--probe", probe, "--duration", "1", "--seed", "1", "--record", recording, bare},
			{"convert", recording},
		} {
			out := filepath.Join(dir, args[0]+".folded")
			if s := mprof(t.Context(), nil, append(args, "-o", out)...); s.code != 0 {
				t.Fatalf("%q: %s", args, s.stderr)
			}
			text, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), ";"+want) || !strings.Contains(string(text), "<cut: ") || strings.Contains(string(text), "main;app_work;[") {
				t.Errorf("%q: no stack ends in %q:\n%s", args, want, text)
			}
		}
	}
}

// Each image has a mapping or a library of its own.
func TestExtraELFInProfiles(t *testing.T) {
	app, rom := buildChip(t, "0x1fff0000")
	dir := t.TempDir()
	pb, firefox := filepath.Join(dir, "out.pb.gz"), filepath.Join(dir, "out.json")
	s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--duration", "1", "--seed", "1", "--extra-elf", rom, "-o", pb, "-o", firefox, app)
	if s.code != 0 {
		t.Fatal(s.stderr)
	}
	f, err := os.Open(pb)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := pprof.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, l := range p.Location {
		if l.Mapping != nil {
			files[l.Line[len(l.Line)-1].Function.Name] = filepath.Base(l.Mapping.File)
		}
	}
	for function, want := range map[string]string{"app_step": "app.elf", "app_work": "app.elf", "rom_each": "rom.elf", "rom_mix": "rom.elf"} {
		if files[function] != want {
			t.Errorf("pprof: %s is in %q, want %s", function, files[function], want)
		}
	}
	text, err := os.ReadFile(firefox)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Libs   []struct{ Name string }
		Shared struct {
			StringArray   []string
			NativeSymbols struct{ LibIndex, Name []int }
		}
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for i, name := range got.Shared.NativeSymbols.Name {
		symbol := got.Shared.StringArray[name]
		lib := got.Libs[got.Shared.NativeSymbols.LibIndex[i]].Name
		if want := files[symbol]; want != "" && lib != want {
			t.Errorf("Firefox: %s is in %s, want %s", symbol, lib, want)
		}
	}
	if len(got.Libs) != 2 {
		t.Errorf("Firefox: libraries %+v", got.Libs)
	}
}

// Both files are compared with the chip.
func TestExtraELFIsVerified(t *testing.T) {
	app, rom := buildChip(t, "0x1fff0000")
	dir := t.TempDir()
	f, err := elf.Open(rom)
	if err != nil {
		t.Fatal(err)
	}
	at := f.Section(".text").Offset
	f.Close()
	raw, err := os.ReadFile(rom)
	if err != nil {
		t.Fatal(err)
	}
	raw[at+8] ^= 0x20
	changed := filepath.Join(dir, "changed.elf")
	if err := os.WriteFile(changed, raw, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ extra, stderr string }{
		{changed, "changed.elf: symbol: the target runs another program: 0x1fff0008 holds"},
		{app, "all of its code lies where"},
		{filepath.Join(dir, "absent.elf"), "absent.elf: no such file"},
	} {
		s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--duration", "1", "--seed", "1", "--extra-elf", c.extra, "-o", filepath.Join(dir, "out.json"), app)
		if s.code == 0 || !strings.Contains(s.stderr, c.stderr) {
			t.Errorf("%s: exit %d, %s", c.extra, s.code, s.stderr)
		}
	}
}
