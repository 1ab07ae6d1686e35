package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// ELF builds the program, or finds it as it was built before: in the user's
// cache, under a key of the sources, the Makefile, the flags and the compilers'
// versions. Without the compilers the test is skipped; where CI=true it fails.
// Tests in parallel build in parallel.
func (p Program) ELF(t testing.TB) string {
	t.Helper()
	tools := []string{"make", "arm-none-eabi-gcc"}
	if p.Clang() {
		tools = append(tools, "clang", "ld.lld")
	}
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			give := t.Skipf
			if os.Getenv("CI") == "true" {
				give = t.Fatalf
			}
			give("%v (Debian and Ubuntu: apt install make gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib clang lld)", err)
		}
	}
	path, err := p.build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// folder is where this package's sources are.
var folder = sync.OnceValue(func() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
})

// sources is the sum of everything that all programs are made from.
var sources = sync.OnceValues(func() ([]byte, error) {
	files, err := filepath.Glob(filepath.Join(folder(), "src", "*"))
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	for _, file := range append(files, filepath.Join(folder(), "Makefile")) {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(h, "%s %d\n%s", filepath.Base(file), len(text), text)
	}
	return h.Sum(nil), nil
})

var version = map[string]func() (string, error){"gcc": versionOf("arm-none-eabi-gcc"), "clang": versionOf("clang")}

func versionOf(tool string) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		out, err := exec.Command(tool, "--version").Output()
		return string(out), err
	})
}

// variables are those of the Makefile.
func (p Program) variables() []string {
	v := []string{"PROGRAM=" + p.Source, "COMPILER=" + p.Compiler, "OPT=-" + p.Opt, "CPU=" + p.CPU}
	for _, f := range p.flags() {
		if *f.set {
			v = append(v, f.variable+"="+f.value)
		}
	}
	return v
}

func (p Program) key() (string, error) {
	h := sha256.New()
	sum, err := sources()
	if err != nil {
		return "", err
	}
	h.Write(sum)
	for _, compiler := range []string{"gcc", p.Compiler} { // gcc has the libraries
		text, err := version[compiler]()
		if err != nil {
			return "", fmt.Errorf("corpus: %s --version: %w", compiler, err)
		}
		io.WriteString(h, text)
	}
	io.WriteString(h, strings.Join(p.variables(), "\n"))
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// build returns the path of the ELF file.
func (p Program) build() (string, error) {
	key, err := p.key()
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("corpus: no folder to keep what is built: %w", err)
	}
	name := strings.ReplaceAll(p.String(), "/", "-")
	dir := filepath.Join(cache, "mprof", "corpus")
	path := filepath.Join(dir, name+"."+key+".elf")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("corpus: %w", err)
	}
	work := path + ".building"
	if await(work, path) {
		return path, nil
	}
	defer os.RemoveAll(work)
	if err := p.make(work, path); err != nil {
		return "", err
	}
	forget(dir, name, path)
	return path, nil
}

// await makes the folder to build in. Where another process has done so, it waits
// for what that one builds, and tells whether it is there; not for long, for it
// may have been killed.
func await(work, path string) (built bool) {
	const patience = time.Minute
	for start := time.Now(); time.Since(start) < patience; time.Sleep(20 * time.Millisecond) {
		if os.Mkdir(work, 0o755) == nil {
			return false
		}
		if _, err := os.Stat(path); err == nil {
			return true
		}
	}
	return false
}

// make builds the program in a folder and moves it to path.
func (p Program) make(work, path string) error {
	made := filepath.Join(work, "program.elf")
	args := append([]string{"-s", "-C", folder(), "OUT=" + made}, p.variables()...)
	if text, err := exec.Command("make", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("corpus: make %s: %w\n%s", strings.Join(args, " "), err, text)
	}
	if err := os.Rename(made, path); err != nil {
		return fmt.Errorf("corpus: %w", err)
	}
	return nil
}

// forget removes what the same program was before, if nobody made it lately.
func forget(dir, name, kept string) {
	const lately = 24 * time.Hour
	old, _ := filepath.Glob(filepath.Join(dir, name+".*.elf"))
	for _, path := range old {
		if info, err := os.Stat(path); err == nil && path != kept && time.Since(info.ModTime()) > lately {
			os.Remove(path)
		}
	}
}
