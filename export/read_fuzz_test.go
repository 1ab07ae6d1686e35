package export_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mprof/mprof/export"
)

// seeds are files of a format, whole ones and broken ones.
func seeds(f *testing.F, golden string, more ...string) {
	content, err := os.ReadFile(filepath.Join("testdata", golden))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	for _, text := range more {
		f.Add([]byte(text))
	}
}

// readsOrSays reads, and what was read can be written and summarised. Whatever comes
// is a profile that holds together, or an error.
func readsOrSays(t *testing.T, data []byte) {
	p, err := export.Read(bytes.NewReader(data), export.Input{})
	if err != nil {
		if err.Error() == "" || strings.Count(err.Error(), "\n") > 0 {
			t.Errorf("error %q", err)
		}
		return
	}
	for _, f := range []string{".json", ".pb.gz", ".folded"} {
		format, _ := export.ByPath("x" + f)
		if err := format.Write(io.Discard, p); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
	if err := export.Summary(io.Discard, p, export.SummaryOptions{}); err != nil {
		t.Error(err)
	}
	if err := export.SummaryJSON(io.Discard, p); err != nil {
		t.Error(err)
	}
}

func FuzzReadFirefox(f *testing.F) {
	seeds(f, "small.firefox.json", hostileFirefox...)
	trace, err := os.ReadFile(filepath.Join("testdata", "trace.firefox.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(trace)
	f.Fuzz(readsOrSays)
}

func FuzzReadFolded(f *testing.F) {
	seeds(f, "small.folded", "a;b 1\n", "a 99999999999999999999\n", "a -1\n", ";; 3\n", "# x\n\na 1", "a;b\xff\xfe 3\n", "a 9223372036854775807\nb 9223372036854775807\n")
	f.Fuzz(readsOrSays)
}

func FuzzReadPerf(f *testing.F) {
	seeds(f, "small.perf", "a 1/2 [000] 1.5: 10 cpu-clock: \n\t10 f+0x2 (m)\n\n", "java 25607 4794564.109216: cycles:\n\t1 [unknown] (x)", "# c\na 1 cycles:\n\n", "a 1 99999999999.1: cpu-clock:\n")
	f.Fuzz(readsOrSays)
}

func FuzzReadPprof(f *testing.F) {
	for _, p := range []string{".sampled", ".traced"} {
		of := randomProfile(3)
		if p == ".traced" {
			of = lossy(f)
		}
		var out bytes.Buffer
		if err := export.WritePprof(&out, of); err != nil {
			f.Fatal(err)
		}
		z, err := gzip.NewReader(&out)
		if err != nil {
			f.Fatal(err)
		}
		plain, err := io.ReadAll(z)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(plain)
	}
	f.Add([]byte("\x0a\x00"))
	f.Fuzz(readsOrSays)
}
