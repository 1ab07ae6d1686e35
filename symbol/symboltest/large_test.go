package symboltest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// readelf and objdump read what Large writes without complaint, and readelf
// finds the functions.
func TestLargeIsWellFormed(t *testing.T) {
	p := Large(20, 5)
	path := filepath.Join(t.TempDir(), "large.elf")
	if err := os.WriteFile(path, p.ELF, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"arm-none-eabi-readelf", "-hSlsW"}, "module_19_function_7"},
		{[]string{"arm-none-eabi-readelf", "-W", "--debug-dump=info,abbrev,frames,rawline,aranges,Ranges"}, "module_19_inner"},
		{[]string{"arm-none-eabi-addr2line", "-i", "-f", "-e"}, ""},
	} {
		tool, err := exec.LookPath(c.args[0])
		if err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is not installed", c.args[0])
			}
			t.Skipf("%s is not installed", c.args[0])
		}
		args := append(c.args[1:], path)
		if c.want == "" {
			args = append(args, "0x08000048")
		}
		out, err := exec.Command(tool, args...).CombinedOutput()
		text := strings.ToLower(string(out))
		if err != nil || !strings.Contains(string(out), c.want) || strings.Contains(text, "warning") || strings.Contains(text, "error:") {
			t.Errorf("%q: %v\n%.2000s", c.args, err, out)
		}
		if c.want == "" && !strings.Contains(string(out), "module_0_inner\n/project/firmware/src/module_0.c:") {
			t.Errorf("addr2line: %s", out)
		}
	}
}
