package listing_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/mprof/mprof/disasm"
	"github.com/mprof/mprof/disasm/listing"
	"github.com/mprof/mprof/symbol"
)

// objdump is the text of each address of a file.
func objdump(t *testing.T, tool, path string) map[uint32]string {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is missing; scripts/setup.sh test installs it", tool)
		}
		t.Skipf("%s is not installed; scripts/setup.sh test installs it", tool)
	}
	out, err := exec.Command(tool, "-d", "-z", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := map[uint32]string{}
	for line := range strings.Lines(string(out)) {
		at, rest, ok := strings.Cut(strings.TrimRight(line, "\t\n"), ":\t")
		addr, err := strconv.ParseUint(strings.TrimSpace(at), 16, 32)
		if _, text, isCode := strings.Cut(rest, "\t"); ok && err == nil && isCode {
			lines[uint32(addr)] = text
		}
	}
	return lines
}

// Function by function, the whole built-in firmware is disassembled as objdump -d does it, data in between too.
func TestListsAsObjdump(t *testing.T) {
	for _, path := range []string{"../../firmware/demo/demo.elf", "../../firmware/examples/logger/logger.elf"} {
		want := objdump(t, "arm-none-eabi-objdump", path)
		im, err := symbol.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		l := listing.New(im)
		lines, data := 0, 0
		for _, f := range im.FunctionSymbols() {
			all, err := l.List(f.Range)
			if err != nil {
				t.Fatal(err)
			}
			at := f.Low
			for _, i := range all {
				if i.Addr != at {
					t.Errorf("%s: a hole before 0x%x", f.Names[0], i.Addr)
				}
				if at += uint32(i.Size); i.Data {
					data++
				}
				if text := disasm.Text(i); text != want[i.Addr] {
					t.Errorf("0x%x: %q, objdump says %q", i.Addr, text, want[i.Addr])
				}
				lines++
			}
		}
		if lines < 5000 || data < 100 {
			t.Errorf("%s: %d lines, %d of data", path, lines, data)
		}
	}
}

// What the file does not hold, and too much at once, is an error.
func TestListRefuses(t *testing.T) {
	im, err := symbol.Open("../../firmware/demo/demo.elf")
	if err != nil {
		t.Fatal(err)
	}
	l := listing.New(im)
	for _, r := range []symbol.Range{{Low: 0x60000000, High: 0x60000010}, {Low: 0x08000000, High: 0x08000000 + listing.MaxSize + 1}, {Low: 0x08000010, High: 0x08000000}} {
		if all, err := l.List(r); err == nil {
			t.Errorf("%x: %d instructions", r, len(all))
		}
	}
}
