package export_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
)

// TestNextNamesWhatIsThere: the command for gprof is one that can be pasted.
func TestNextNamesWhatIsThere(t *testing.T) {
	for _, c := range []struct {
		mapping profile.Mapping
		files   []string
		want    string
	}{
		{profile.Mapping{Path: "b/my app.elf"}, []string{"gmon.out"}, "arm-none-eabi-gprof 'b/my app.elf' gmon.out"},
		{profile.Mapping{Path: "a.elf"}, []string{"t.gmon", "t.syms"}, "arm-none-eabi-gprof -S t.syms a.elf t.gmon"},
		{profile.Mapping{Path: "v.elf", RISCV: true}, []string{"v.syms", "gmon-1.out"}, "riscv64-unknown-elf-gprof -S v.syms v.elf gmon-1.out"},
	} {
		var b bytes.Buffer
		if err := export.Summary(&b, &profile.Profile{Mapping: c.mapping, Threads: []profile.ThreadTrack{{Name: "core"}}}, export.SummaryOptions{Files: c.files}); err != nil {
			t.Fatal(err)
		}
		if _, next, _ := strings.Cut(b.String(), "\nNext:\n"); strings.TrimSpace(next) != c.want {
			t.Errorf("%v: %q, want %q", c.files, next, c.want)
		}
	}
}
