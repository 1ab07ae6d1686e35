package gmon

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/mprof/mprof/gmon/gproftest"
)

// A PC's own gmon.out, as glibc writes it, has addresses of 64 bits and is refused for that.
func TestDecodeOfAPC(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("wants the C compiler and library of a 64-bit Linux")
	}
	gproftest.Require(t, "cc")
	dir := t.TempDir()
	source, program := filepath.Join(dir, "a.c"), filepath.Join(dir, "a")
	if err := os.WriteFile(source, []byte("volatile int n; __attribute__((noinline)) static void f(void) { n++; }\nint main(void) { for (int i = 0; i < 1000; i++) f(); return 0; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cc", "-pg", "-O1", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p, err := os.ReadFile(filepath.Join(dir, "gmon.out"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Decode(p); !errors.Is(err, ErrWide) {
		t.Errorf("%d bytes: %v", len(p), err)
	}
}
