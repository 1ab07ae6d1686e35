package main

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/gdbremote/stubtest"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// TestGDBAsleep: a core behind a GDB server that stands behind WFI slept, and its samples
// do not say what to move into RAM.
func TestGDBAsleep(t *testing.T) {
	image, err := symbol.New(bytes.NewReader(demo.ELF), int64(len(demo.ELF)), "demo.elf")
	if err != nil {
		t.Fatal(err)
	}
	behind := uint32(0)
	for _, f := range image.FunctionSymbols() {
		for _, r := range image.Instructions(f.Range) {
			for pc := r.Low; pc+2 <= r.High && behind == 0; pc += 2 {
				var p [2]byte
				if image.ReadCode(pc, p[:]) && binary.LittleEndian.Uint16(p[:]) == 0xbf30 {
					behind = pc + 2
				}
			}
		}
	}
	if behind == 0 {
		t.Fatal("the demo never waits")
	}
	core := demoCore(t)
	core.Set(snapshot.PC, behind)
	out := filepath.Join(t.TempDir(), "out.json")
	s := sampleStub(t, core, "gdb:"+stubtest.New(core, stubtest.OpenOCD()).Listen(t), "-o", out)
	if s.code != 0 || !strings.Contains(s.stdout, "asleep    100.0 %") {
		t.Errorf("exit %d: %s%s", s.code, s.stdout, s.stderr)
	}
	s = mprof(t.Context(), nil, "report", out, "--fit", "4K", "--elf", "../../firmware/demo/demo.elf")
	if s.code == 0 || !strings.Contains(s.stderr, "no samples of a core awake") {
		t.Errorf("exit %d: %s%s", s.code, s.stdout, s.stderr)
	}
}
