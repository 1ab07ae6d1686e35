package export_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
)

func TestByPath(t *testing.T) {
	for path, want := range map[string]string{
		"a.json": ".json", "a.json.gz": ".json.gz", "dir.x/A.JSON.GZ": ".json.gz", "a.pb.gz": ".pb.gz", "a.pprof": ".pprof",
		"a.folded": ".folded", "a.b.txt": ".txt", "d/gmon.out": ".gmon", "gmon-001.out": ".gmon", "a.gmon": ".gmon", "a.syms": ".syms", "callgrind.out": ".callgrind", "callgrind.out.12": ".callgrind", "a.callgrind": ".callgrind",
		"a.speedscope.json": ".speedscope.json", "a.trace.json": ".trace.json", "a.trace.json.gz": ".trace.json.gz", "a.html": ".html", "a.svg": ".svg", "a.speedscope.json.gz": ".speedscope.json.gz", "-": ".folded", "/dev/null": ".folded", "/dev/stdout": ".folded",
	} {
		f, err := export.ByPath(path)
		if err != nil || f.Ext != want {
			t.Errorf("%s: %q, %v", path, f.Ext, err)
		}
	}
	for _, path := range []string{"a", "a.gz", "a.png", "json", ".json", "a.json.bz2", "app.out", "a.out", ""} {
		_, err := export.ByPath(path)
		if err == nil || !strings.Contains(err.Error(), ".json.gz (Firefox Profiler, compressed)") || !strings.Contains(err.Error(), ".pb.gz (pprof)") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// gzip if and only if the name says so: samply goes by the name.
func TestCompressedByName(t *testing.T) {
	p := rich(t, 200)
	for _, f := range export.Formats {
		content, err := os.ReadFile(write(t, p, "p"+f.Ext))
		if err != nil {
			t.Fatal(err)
		}
		compressed := bytes.HasPrefix(content, []byte{0x1f, 0x8b})
		if want := strings.HasSuffix(f.Ext, ".gz") || f.Ext == ".pprof"; compressed != want {
			t.Errorf("%s: compressed %v", f.Ext, compressed)
		}
	}
}

// The same profile gives the same bytes.
func TestDeterministic(t *testing.T) {
	for _, f := range export.Formats {
		var first, second bytes.Buffer
		for _, w := range []io.Writer{&first, &second} {
			if err := f.Write(w, rich(t, 500)); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s differs from one time to the next", f.Ext)
		}
	}
}

// A write that fails leaves what was there, and no temporary file.
func TestFailedWriteKeepsTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p.json")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	bad := rich(t, 10)
	bad.Stacks[0].Frame = 999
	if err := export.WriteFile(path, bad); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a broken profile was written: %v", err)
	}
	if content, _ := os.ReadFile(path); string(content) != "old" {
		t.Errorf("the old file is %q", content)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
	if err := export.WriteFile(path, rich(t, 10)); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(path); err != nil || st.Size() < 100 || st.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("replaced file: %v %v", st.Mode(), err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestSymbolicLinkStays(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target.folded"), filepath.Join(dir, "link.folded")
	if err := os.WriteFile(target, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if err := export.WriteFile(link, rich(t, 10)); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Lstat(link); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
	if content, _ := os.ReadFile(target); len(content) == 0 {
		t.Error("the target is empty")
	}
}

func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "folder.json")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "absent", "p.json"): "its folder does not exist",
		folder:                                 "is a folder",
		filepath.Join(file, "p.json"):          "not a directory",
		"/proc/p.json":                         "",
	} {
		if runtime.GOOS != "linux" && want != "is a folder" {
			continue
		}
		for what, err := range map[string]error{"check": export.CheckWritable(path), "write": export.WriteFile(path, rich(t, 5))} {
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), ".tmp") {
				t.Errorf("%s %s: %v", what, path, err)
			}
		}
	}
}

func TestCheckWritableLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "new.json")
	existing := filepath.Join(dir, "existing.json")
	if err := os.WriteFile(existing, []byte("keep"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, existing, "-", os.DevNull} {
		if err := export.CheckWritable(p); err != nil {
			t.Errorf("%s: %v", p, err)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
	if content, _ := os.ReadFile(existing); string(content) != "keep" {
		t.Errorf("existing file is now %q", content)
	}
}

// A device is written to as it is: /dev/full says that it has no room.
func TestDevices(t *testing.T) {
	if err := export.WriteFile(os.DevNull, rich(t, 10)); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	if err := export.WriteFile("/dev/full", rich(t, 10)); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("full device: %v", err)
	}
}

// Every format writes a profile without samples, and refuses a broken one.
func TestEmptyAndBroken(t *testing.T) {
	empty := profile.NewBuilder(program, profile.Options{}).Finish(profile.Acquisition{}, 0)
	broken := rich(t, 10)
	broken.Threads = nil
	for _, f := range export.Formats {
		if err := f.Write(io.Discard, empty); err != nil {
			t.Errorf("%s, empty: %v", f.Ext, err)
		}
		if err := f.Write(io.Discard, broken); err == nil {
			t.Errorf("%s writes a profile without threads", f.Ext)
		}
	}
	var out bytes.Buffer
	if err := export.Summary(&out, empty, export.SummaryOptions{}); err != nil || !strings.Contains(out.String(), "0 of 0 samples") {
		t.Errorf("%v: %s", err, out.String())
	}
	if err := export.SummaryJSON(io.Discard, broken); err == nil {
		t.Error("summary of a broken profile")
	}
}

// firefox decodes a file as generic JSON.
func firefox(t *testing.T, p *profile.Profile) map[string]any {
	t.Helper()
	var out bytes.Buffer
	if err := export.WriteFirefox(&out, p); err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(out.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// All columns of a table are as long as its length says, and no column is
// null, also without any row.
func TestFirefoxTablesAreRectangular(t *testing.T) {
	empty := profile.NewBuilder(program, profile.Options{}).Finish(profile.Acquisition{}, 0)
	for name, p := range map[string]*profile.Profile{"rich": rich(t, 500), "empty": empty} {
		rectangular(t, name, firefox(t, p))
	}
}

func rectangular(t *testing.T, where string, v any) {
	switch v := v.(type) {
	case map[string]any:
		n, table := v["length"].(float64)
		for key, column := range v {
			if list, ok := column.([]any); ok && table && len(list) != int(n) {
				t.Errorf("%s.%s has %d rows of %v", where, key, len(list), n)
			}
			if column == nil && table && key != "weight" {
				t.Errorf("%s.%s is null", where, key)
			}
			rectangular(t, where+"."+key, column)
		}
	case []any:
		for _, e := range v {
			rectangular(t, where+"[]", e)
		}
	}
}

func BenchmarkExport(b *testing.B) {
	p := rich(b, 100_000)
	for _, f := range []string{".json", ".json.gz", ".pb.gz", ".folded"} {
		format, err := export.ByPath("p" + f)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(f[1:], func(b *testing.B) {
			var n counter
			for b.Loop() {
				n = 0
				if err := format.Write(&n, p); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n)/1e6, "MB/file")
			b.ReportMetric(float64(p.Samples())*float64(b.N)/b.Elapsed().Seconds(), "samples/s")
		})
	}
}

type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// The gzip file carries no time: see TestDeterministic.
func TestGzipHasNoTime(t *testing.T) {
	r, err := os.Open(write(t, rich(t, 10), "p.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	z, err := gzip.NewReader(r)
	if err != nil || !z.ModTime.IsZero() || z.Name != "" {
		t.Errorf("%v %v %q", err, z.ModTime, z.Name)
	}
}
