package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/gmon"
	"github.com/mprof/mprof/gmon/gproftest"
)

// The simulated board's samples as gmon.out with the options of --gmon.
func TestGmonOptions(t *testing.T) {
	sampled := func(options string) (*gmon.Data, binary.ByteOrder, outcome) {
		t.Helper()
		out := filepath.Join(t.TempDir(), "gmon.out")
		args := []string{"sample", "--probe", "sim", "--seed", "1", "--duration", "2", "-o", out}
		if options != "" {
			args = append(args, "--gmon", options)
		}
		s := mprof(t.Context(), nil, args...)
		if s.code != 0 {
			t.Fatal(s.stderr)
		}
		raw, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		d, order, err := gmon.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		return d, order, s
	}
	sum := func(d *gmon.Data) (n uint64) {
		for _, b := range d.Buckets {
			n += b.Count
		}
		return n
	}
	plain, order, s := sampled("")
	if order != binary.LittleEndian || plain.Buckets[0].Size != 2 {
		t.Errorf("%v, %+v", order, plain.Buckets[0])
	}
	if !strings.Contains(s.stdout, "gmon.out: callers are left out") || !strings.Contains(s.stdout, "firmware/demo/demo.elf ") {
		t.Error(s.stdout)
	}
	big, order, _ := sampled("bucket=16,big-endian")
	if order != binary.BigEndian || big.Buckets[0].Size != 16 || sum(big) != sum(plain) {
		t.Errorf("%v, %+v, %d counts, want %d", order, big.Buckets[0], sum(big), sum(plain))
	}
	middle := plain.Buckets[len(plain.Buckets)/2].Addr
	part, _, s := sampled(fmt.Sprintf("limits=0x08000000-0x%x", middle))
	want := uint64(0)
	for _, b := range plain.Buckets {
		if b.Addr < middle {
			want += b.Count
		}
	}
	if sum(part) != want || want == 0 || !strings.Contains(s.stdout, "is outside of the limits and is left out") {
		t.Errorf("%d counts below 0x%x, want %d\n%s", sum(part), middle, want, s.stdout)
	}
}

func TestGmonBadOptions(t *testing.T) {
	for options, want := range map[string]string{
		"bucket=3":             "powers of two from 2 to 65536",
		"bucket=0":             "0 bytes of code hold no count",
		"bucket=many":          `"many" is no number`,
		"limits=8":             `"" is no number`,
		"limits=0x20-0x10":     "the end is not behind the begin",
		"limits=0-0x100000000": "no number of 32 bits",
		"size=4":               "the options are bucket=BYTES, limits=LOW-HIGH and big-endian",
		"":                     "the options are bucket=BYTES",
	} {
		mprof(t.Context(), nil, "sample", "--probe", "sim", "--duration", "1", "-o", filepath.Join(t.TempDir(), "gmon.out"), "--gmon", options).oneSentence(t, 2, want)
	}
}

// gprof reads the same numbers from a gmon.out that was made of a file of another format: samples and traced calls.
func TestGmonOfOtherFormats(t *testing.T) {
	for name, run := range map[string][]string{"samples": {"sample", "--probe", "sim", "--seed", "2", "--duration", "3"}, "calls": {"trace", "--demo"}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			at := func(name string) string { return filepath.Join(dir, name) }
			elf := "../../firmware/demo/demo.elf"
			if name == "calls" {
				elf = "../../firmware/examples/logger/logger.elf"
			}
			if s := mprof(t.Context(), nil, append(run, "-o", at("gmon.out"), "-o", at("gmon.syms"), "-o", at("a.pb.gz"), "-o", at("a.json.gz"), "-o", at("a.folded"))...); s.code != 0 {
				t.Fatal(s.stderr)
			}
			want := gproftest.FlatProfile(t, elf, at("gmon.out"), "-S", at("gmon.syms"))
			if len(want.Rows) < 20 {
				t.Fatalf("%+v", want)
			}
			for _, from := range []string{"a.pb.gz", "a.json.gz"} {
				if s := mprof(t.Context(), nil, "convert", at(from), "-o", at("gmon-2.out"), "-o", at("2.syms")); s.code != 0 {
					t.Fatal(s.stderr)
				}
				if diff := cmp.Diff(want, gproftest.FlatProfile(t, elf, at("gmon-2.out"), "-S", at("2.syms"))); diff != "" {
					t.Errorf("%s: %s", from, diff)
				}
				if name == "samples" {
					continue
				}
				arcs := gproftest.CallGraph(t, elf, at("gmon.out"), "-S", at("gmon.syms"))
				if diff := cmp.Diff(arcs, gproftest.CallGraph(t, elf, at("gmon-2.out"), "-S", at("2.syms"))); diff != "" {
					t.Errorf("%s: %s", from, diff)
				}
			}
			mprof(t.Context(), nil, "convert", "-q", at("a.folded"), "-o", at("gmon-3.out")).oneSentence(t, 1, "gmon.out holds addresses, and this profile has none")
		})
	}
}

// A gmon.out becomes any other format, with its ELF file; what cannot be is one sentence.
func TestConvertGmon(t *testing.T) {
	dir := t.TempDir()
	elf, err := filepath.Abs("../../firmware/demo/demo.elf")
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	if s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--seed", "1", "--duration", "3", "-o", at("gmon.out"), "-o", at("gmon.syms"), elf); s.code != 0 {
		t.Fatal(s.stderr)
	}
	outputs := []string{"a.json.gz", "a.pb.gz", "a.folded", "gmon-2.out"}
	args := []string{"convert", at("gmon.out"), "--elf", elf}
	for _, o := range outputs {
		args = append(args, "-o", at(o))
	}
	s := mprof(t.Context(), nil, args...)
	if s.code != 0 || !strings.Contains(s.stdout, "gmon.out holds sums by address") {
		t.Fatalf("%s%s", s.stdout, s.stderr)
	}
	one, two := gproftest.FlatProfile(t, elf, at("gmon.out"), "-S", at("gmon.syms")), gproftest.FlatProfile(t, elf, at("gmon-2.out"), "-S", at("gmon.syms"))
	if len(one.Rows) < 20 || len(one.Rows) != len(two.Rows) {
		t.Fatalf("%d and %d rows", len(one.Rows), len(two.Rows))
	}
	for i := range one.Rows {
		if one.Rows[i].PercentText != two.Rows[i].PercentText || math.Abs(one.Rows[i].Self-two.Rows[i].Self) > 0.0101 {
			t.Errorf("%+v became %+v", one.Rows[i], two.Rows[i])
		}
	}
	folded, err := os.ReadFile(at("a.folded"))
	if err != nil || !strings.Contains(string(folded), "fir_apply ") {
		t.Errorf("%v: %s", err, folded)
	}

	raw, err := os.ReadFile(at("gmon.out"))
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string, content []byte) string {
		if err := os.WriteFile(at(name), content, 0o600); err != nil {
			t.Fatal(err)
		}
		return at(name)
	}
	var elsewhere bytes.Buffer
	if err := (&gmon.Data{Rate: 100, Buckets: []gmon.Bucket{{Addr: 0x30000000, Size: 2, Count: 5}}}).Encode(&elsewhere, binary.BigEndian); err != nil {
		t.Fatal(err)
	}
	wide := append(append([]byte("gmon\x01\x00\x00\x00"), make([]byte, 13+24)...), "seconds"...)
	for want, args := range map[string][]string{
		"holds addresses only, and the ELF file that names them is missing": {at("gmon.out")},
		"none of the 1 counts is in a function of":                          {file("elsewhere.out", elsewhere.Bytes()), "--elf", elf},
		"record at offset ": {file("short.out", raw[:len(raw)-3]), "--elf", elf},
		"addresses of 64 bits: the file is of a program for a PC": {file("wide.out", wide), "--elf", elf},
		"no gmon.out file of version 1":                           {file("version.out", append([]byte("gmon\x09"), raw[5:]...)), "--elf", elf},
	} {
		s := mprof(t.Context(), nil, append([]string{"convert", "-o", at("x.folded")}, args...)...)
		s.oneSentence(t, 1, want)
		if _, err := os.Stat(at("x.folded")); err == nil {
			t.Errorf("%v wrote a file", args)
		}
	}
}
