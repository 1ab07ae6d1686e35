package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mprof/mprof/trace"
)

// functionAddresses are the addresses of functions, as a symbol table has them.
func functionAddresses(t *testing.T, path string) map[string]uint32 {
	t.Helper()
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]uint32{}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			found[s.Name] = uint32(s.Value)
		}
	}
	return found
}

// Calls that go through an application and two ROMs, each with an ELF file of its own:
// every function has the name that its own file gives it.
func TestTraceExtraELF(t *testing.T) {
	app, rom := buildChip(t, "0x1fff0000")
	_, other := buildChip(t, "0x10000000")
	inApp, inROM, inOther := functionAddresses(t, app), functionAddresses(t, rom), functionAddresses(t, other)

	var raw bytes.Buffer
	e := trace.NewEncoder(&raw, trace.EncoderOptions{Version: 2})
	_ = e.Metadata(trace.Metadata{Version: 2, TimerHz: 1e6, Known: trace.KnownTickShift})
	for depth, f := range []uint32{inOther["rom_mix"], inROM["rom_each"], inApp["app_work"], inApp["main"]} {
		if err := e.Record(trace.Record{Func: f, Entry: uint32(1000 - 10*depth), Duration: uint32(10 + 30*depth), Depth: uint16(3 - depth)}); err != nil {
			t.Fatal(err)
		}
	}
	_ = e.Flush()
	dir := t.TempDir()
	recording, out := filepath.Join(dir, "raw.bin"), filepath.Join(dir, "out.folded")
	if err := os.WriteFile(recording, raw.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		extra []string
		want  string
	}{
		{[]string{"--extra-elf", rom, "--extra-elf", other}, "main;app_work;rom_each;rom_mix 10000\n"},
		{[]string{"--extra-elf", other, "--extra-elf", rom}, "main;app_work;rom_each;rom_mix 10000\n"},
		{[]string{"--extra-elf", rom}, fmt.Sprintf("main;app_work;rom_each;0x%08x [code 0x10000000 outside of the ELF] 10000\n", inOther["rom_mix"]&^1)},
	} {
		s := mprof(t.Context(), nil, append(append([]string{"trace", "--from", recording, "-q", "-o", out}, c.extra...), app)...)
		text, err := os.ReadFile(out)
		if s.code != 0 || err != nil || !strings.Contains(string(text), c.want) {
			t.Errorf("%q: exit code %d, %s\nwant %s got %v\n%s", c.extra, s.code, s.stderr, c.want, err, text)
		}
	}
	s := mprof(t.Context(), nil, "trace", "--from", recording, "-q", "-o", out, "--extra-elf", rom, "--extra-elf", rom, app)
	if s.code != 1 || !strings.Contains(s.stderr, "rom.elf") {
		t.Errorf("the same file twice: exit code %d, %s", s.code, s.stderr)
	}
}
