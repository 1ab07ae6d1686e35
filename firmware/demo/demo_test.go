package demo_test

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/mprof/mprof/firmware/demo"
)

func open(t *testing.T) *elf.File {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(demo.ELF))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The program has what a profiler is to be shown: every function here exists.
func TestFunctions(t *testing.T) {
	symbols, err := open(t).Symbols()
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			has[s.Name] = true
		}
	}
	for _, name := range []string{"Reset_Handler", "main", "idle", "SysTick_Handler", "PendSV_Handler", "task_start",
		"task_exit", "kernel_switch", "sensor_task", "navigation_task", "telemetry_task", "fir_apply", "biquad_apply",
		"attitude_update", "__aeabi_fmul", "__aeabi_fadd", "sqrtf", "atan2f", "transform", "sort_range", "by_value", "crc32",
		"lz_compress", "nmea_parse", "parse_value", "memcpy", "memset", "strlen", "vsnprintf"} {
		if !has[name] {
			t.Errorf("no function %s", name)
		}
	}
}

// Every source that a line of the program comes from is embedded, under the
// name that the debug information has for it; no path is absolute but those of
// the C library's own build.
func TestSources(t *testing.T) {
	data, err := open(t).DWARF()
	if err != nil {
		t.Fatal(err)
	}
	var ours []string
	for r := data.Reader(); ; {
		unit, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if unit == nil {
			break
		}
		r.SkipChildren()
		dir, _ := unit.Val(dwarf.AttrCompDir).(string)
		if unit.Tag != dwarf.TagCompileUnit || dir != "firmware/demo" {
			continue
		}
		for _, name := range lineFiles(t, data, unit) {
			if strings.HasPrefix(name, "/usr/") {
				continue
			}
			if !strings.HasPrefix(name, dir) { // debug/dwarf leaves out a folder that is relative
				name = path.Join(dir, name)
			}
			ours = append(ours, path.Clean(name))
		}
	}
	slices.Sort(ours)
	ours = slices.Compact(ours)
	if len(ours) < 20 {
		t.Fatalf("only %d sources in the line table: %q", len(ours), ours)
	}
	for _, name := range ours {
		if text, ok := demo.Source(name); !ok || text == "" {
			t.Errorf("no source %q", name)
		}
	}
	if _, ok := demo.Source("main.c"); ok {
		t.Error("a name without its folder was found")
	}
}

func lineFiles(t *testing.T, data *dwarf.Data, unit *dwarf.Entry) []string {
	t.Helper()
	r, err := data.LineReader(unit)
	if err != nil || r == nil {
		t.Fatalf("%v: %v", unit.Val(dwarf.AttrName), err)
	}
	var names []string
	for {
		var e dwarf.LineEntry
		if err := r.Next(&e); errors.Is(err, io.EOF) {
			return names
		} else if err != nil {
			t.Fatal(err)
		}
		names = append(names, e.File.Name)
	}
}
