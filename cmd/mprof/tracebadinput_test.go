package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Another ELF file is refused, unless it is forced.
func TestTraceWrongELF(t *testing.T) {
	app := demoFile(t)
	wrong := newFakeTarget(t, 2)
	wrong.metadata.BuildID = []byte{1, 2, 3, 4, 5, 6, 7, 8}
	raw := filepath.Join(t.TempDir(), "raw.bin")
	if err := os.WriteFile(raw, wrong.recording(10), 0o644); err != nil {
		t.Fatal(err)
	}
	live := newFakeTarget(t, 2)
	live.metadata.BuildID = wrong.metadata.BuildID
	for _, source := range [][]string{{"--from", raw}, {"--port", live.listen(t, 0), "--duration", "600ms"}} {
		out := filepath.Join(t.TempDir(), "out.folded")
		s := mprof(t.Context(), nil, append([]string{"trace", "-o", out, app}, source...)...)
		if s.code != 1 || !strings.Contains(s.stderr, "build id 0102030405060708") {
			t.Errorf("%s: exit code %d, %s", source[0], s.code, s.stderr)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(out), "*")); len(left) > 0 {
			t.Errorf("%s: files left behind: %v", source[0], left)
		}
	}
	live = newFakeTarget(t, 2)
	live.metadata.BuildID = wrong.metadata.BuildID
	for _, source := range [][]string{{"--from", raw}, {"--port", live.listen(t, 0), "--duration", "600ms"}} {
		out := filepath.Join(t.TempDir(), "out.folded")
		s := mprof(t.Context(), nil, append([]string{"trace", "--force", "-o", out, app}, source...)...)
		if s.code != 0 || !strings.Contains(s.stdout, "wrong names") {
			t.Errorf("%s --force: exit code %d, %s%s", source[0], s.code, s.stdout, s.stderr)
		}
	}
}

func TestTraceBadInput(t *testing.T) {
	dir := t.TempDir()
	app, raw := demoFile(t), recorded(t, 2, 10)
	out := filepath.Join(dir, "out.json.gz")
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"no source", []string{app}, 2, []string{"--port", "--from"}},
		{"two sources", []string{"--from", raw, "--port", "tcp:localhost:1", app}, 2, []string{"exclude"}},
		{"two ELFs", []string{"--from", raw, app, app}, 2, []string{"one ELF"}},
		{"no such ELF", []string{"--from", raw, filepath.Join(dir, "missing.elf")}, 1, []string{"missing.elf"}},
		{"no such recording", []string{"--from", filepath.Join(dir, "missing.bin"), app}, 1, []string{"missing.bin", "no such file"}},
		{"empty recording", []string{"--from", file("empty.bin", ""), app}, 1, []string{"empty.bin", "empty"}},
		{"a recording of something else", []string{"--from", file("noise.bin", strings.Repeat("no packet at all\n", 100)), app}, 1, []string{"noise.bin"}},
		{"duration of a recording", []string{"--from", raw, "--duration", "3", app}, 2, []string{"--duration", "to its end"}},
		{"record of a recording", []string{"--from", raw, "--record", filepath.Join(dir, "copy.bin"), app}, 2, []string{"--record"}},
		{"record over an output", []string{"--port", "tcp:localhost:1", "--record", out, "-o", out, app}, 2, []string{"another file"}},
		{"unknown column", []string{"--from", raw, "--sort", "size", app}, 2, []string{"size", "p99"}},
		{"unknown framing", []string{"--from", raw, "--crc", "crc32", app}, 2, []string{"crc32", "modbus"}},
		{"another framing", []string{"--from", raw, "--crc", "modbus", app}, 1, []string{"raw.bin"}},
		{"top below zero", []string{"--from", raw, "--top=-1", app}, 2, []string{"--top"}},
		{"keep of nonsense", []string{"--from", raw, "--keep", "many", app}, 2, []string{"many", "50k"}},
		{"keep too much", []string{"--from", raw, "--keep", "1000M", app}, 2, []string{"1000M"}},
		{"baud zero", []string{"--port", "/dev/ttyUSB0", "--baud", "0", app}, 2, []string{"--baud"}},
		{"unknown format", []string{"--from", raw, "-o", filepath.Join(dir, "out.xls"), app}, 2, []string{"out.xls"}},
		{"unwritable output", []string{"--from", raw, "-o", filepath.Join(dir, "nowhere", "out.json"), app}, 1, []string{"nowhere"}},
		{"extra ELF alone", []string{"--from", raw, "--extra-elf", app}, 2, []string{"application's"}},
		{"nobody listens", []string{"--port", "tcp:127.0.0.1:1", app}, 1, []string{"tcp:127.0.0.1:1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"trace"}, c.args...)
			if !strings.Contains(strings.Join(args, " "), "-o ") {
				args = append(args, "-o", out)
			}
			s := mprof(t.Context(), nil, args...)
			if s.code != c.code {
				t.Errorf("exit code %d, want %d", s.code, c.code)
			}
			for _, want := range c.want {
				if !strings.Contains(s.stderr, want) {
					t.Errorf("stderr lacks %q: %s", want, s.stderr)
				}
			}
			if _, err := os.Stat(out); err == nil {
				t.Errorf("%s was written", out)
			}
		})
	}
}

// No call in a recording is an error with a hint.
func TestTraceNoCalls(t *testing.T) {
	path := filepath.Join(t.TempDir(), "raw.bin")
	if err := os.WriteFile(path, newFakeTarget(t, 2).recording(0), 0o644); err != nil {
		t.Fatal(err)
	}
	s := mprof(t.Context(), nil, "trace", "--from", path, "-o", filepath.Join(t.TempDir(), "out.json"), demoFile(t))
	if s.code != 1 || !strings.Contains(s.stderr, "no traced call returned") || !strings.Contains(s.stderr, "-finstrument-functions") {
		t.Errorf("exit code %d: %s", s.code, s.stderr)
	}
}

// Calls whose times nobody can know: the recording lacks its beginning.
func TestTraceNoneRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "raw.bin")
	whole := newFakeTarget(t, 2).recording(10)
	behind := bytes.Index(whole[1:], []byte{0x55, 0xAA}) + 1 // METADATA
	if err := os.WriteFile(path, whole[behind:], 0o644); err != nil {
		t.Fatal(err)
	}
	s := mprof(t.Context(), nil, "trace", "--from", path, "-o", filepath.Join(t.TempDir(), "out.json"), demoFile(t))
	if s.code != 1 || !strings.Contains(s.stderr, "21 were lost or left out") || !strings.Contains(s.stderr, "needs its beginning") || !strings.Contains(s.stdout, "21 calls came without METADATA") {
		t.Errorf("exit code %d: %s%s", s.code, s.stdout, s.stderr)
	}
}
