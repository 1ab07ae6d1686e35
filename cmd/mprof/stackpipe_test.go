//go:build unix

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestStackFromPipe: a dump may come through a pipe, which gives nothing twice.
func TestStackFromPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	for _, file := range []string{demoCapture, elfCoreOf(t, captured(t, demoCapture))} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		os.Remove(path)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skip("no named pipes here: ", err)
		}
		written := make(chan error, 1)
		go func() { written <- os.WriteFile(path, data, 0) }()
		got := printed(t, demoELF, "-c", path).stdout
		if want := printed(t, demoELF, "-c", file).stdout; got != want {
			t.Errorf("%s through a pipe: %s", file, got)
		}
		if err := <-written; err != nil {
			t.Error(err)
		}
	}
}
