package page_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// missing skips a test for want of a tool, or fails where CI must have it.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// module is a file of a package that the page is built or judged with.
func module(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("src", "node_modules", filepath.FromSlash(name)))
	if err != nil {
		missing(t, "the page's packages are not installed (scripts/node-tools.sh does it): %v", err)
	}
	return content
}

func node(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("MPROF_NODE_TOOLS")
	if dir == "" {
		dir = filepath.Join("..", "..", ".tools")
	}
	path, err := filepath.Abs(filepath.Join(dir, "bin", "node"))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		missing(t, "Node.js is not installed (scripts/node-tools.sh does it): %v", err)
	}
	return path
}

// TestBuiltFromSources: what is embedded is what the sources make, byte for byte, and their types
// hold.
func TestBuiltFromSources(t *testing.T) {
	module(t, "esbuild/package.json")
	out := t.TempDir()
	build := exec.Command(node(t), "build.mjs", out)
	build.Dir = "src"
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build.mjs: %v\n%s", err, text)
	}
	for _, name := range []string{"dist/index.html", "dist/page.js", "dist/page.css", "dist/licences.txt", "flame/flame.js", "flame/flame.css"} {
		made, err := os.ReadFile(filepath.Join(out, name))
		must(t, err)
		kept, err := os.ReadFile(name)
		must(t, err)
		if !bytes.Equal(made, kept) {
			t.Errorf("serve/page/%s is not what its sources make: run make page", name)
		}
	}
	check := exec.Command(node(t), filepath.Join("node_modules", "typescript", "bin", "tsc"), "--noEmit")
	check.Dir = "src"
	if text, err := check.CombinedOutput(); err != nil {
		t.Errorf("tsc: %v\n%s", err, text)
	}
}
