package main

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkTenMillionCalls plays a recording of ten million calls and writes all kinds
// of files of it.
func BenchmarkTenMillionCalls(b *testing.B) {
	const rounds = 10_000_000 * handlerEvery / (2*handlerEvery + 1)
	dir := b.TempDir()
	raw, app := filepath.Join(dir, "raw.bin"), demoFile(b)
	content := newFakeTarget(b, 2).recording(rounds)
	if err := os.WriteFile(raw, content, 0o644); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		s := mprof(b.Context(), nil, "trace", "--from", raw, "-q", "-o", filepath.Join(dir, "a.json.gz"), "-o", filepath.Join(dir, "a.pb.gz"), "-o", filepath.Join(dir, "a.folded"), app)
		if s.code != 0 {
			b.Fatal(s.stderr)
		}
	}
}
