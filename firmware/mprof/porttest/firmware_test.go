package porttest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// firmware is testdata/firmware/app.c with the module and one port.
type firmware struct {
	cpu      string // -mcpu
	flash    string // address, "": 0
	port     string
	defines  []string
	extra    string // a block of docs/firmware-ports.md that is compiled too, "" for none
	optimise string // options, "": -Os
	clang    bool   // clang compiles, not gcc
}

// handlers are initialisers of the vector table.
func handlers(vectors ...string) string {
	var list []string
	for _, v := range vectors {
		list = append(list, "[16+"+v+"]=mprof_port_irq")
	}
	return "VECTORS=" + strings.Join(list, ",")
}

const page = "../../../docs/firmware-ports.md"

var block = regexp.MustCompile("(?s)```c\n/\\* ([\\w.]+) \\*/\n(.*?)```")

// documented are the blocks of C on the page, by the name in their first line.
func documented(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]string{}
	for _, m := range block.FindAllStringSubmatch(string(text), -1) {
		blocks[m[1]] = m[2]
	}
	if got, want := len(blocks), strings.Count(string(text), "```c\n"); got != want {
		t.Fatalf("%d of %d blocks of C have a name of their own", got, want)
	}
	return blocks
}

// build compiles and links firmware.
func (f firmware) build(t *testing.T) string {
	t.Helper()
	requireTools(t, gccPackages, "arm-none-eabi-gcc")
	dir := t.TempDir()
	app, err := filepath.Abs("testdata/firmware")
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Dir(filepath.Dir(portFile(t, f.port)))
	compile := append([]string{"-mcpu=" + f.cpu}, "-mthumb", "-std=gnu99", "-g", "-Wall", "-Wextra", "-Werror", "-ffreestanding", "-finstrument-functions",
		"-ffunction-sections", "-I"+filepath.Join(root, "src"), "-I"+filepath.Join(root, "port"))
	for _, d := range f.defines {
		compile = append(compile, "-D"+d)
	}
	optimise := strings.Fields(f.optimise)
	if len(optimise) == 0 {
		optimise = []string{"-Os"}
	}
	compile = append(compile, optimise...)
	files := append([]string{filepath.Join(app, "app.c"), portFile(t, f.port)}, sources(t)...)
	if f.extra != "" {
		text, ok := documented(t)[f.extra]
		if !ok {
			t.Fatalf("%s has no block %s", page, f.extra)
		}
		name := filepath.Join(dir, f.extra)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, name)
	}
	command := "arm-none-eabi-gcc"
	if f.clang {
		requireTools(t, gccPackages, "clang")
		command, compile = "clang", append(compile, "--target=thumbv7em-none-eabi", "-fshort-enums")
	}
	var objects []string
	for i, file := range files {
		objects = append(objects, fmt.Sprintf("%d.o", i))
		tool(t, dir, command, append(slices.Clone(compile), "-c", file, "-o", objects[i])...)
	}
	flash := "0"
	if f.flash != "" {
		flash = f.flash
	}
	link := append(append([]string{"-mcpu=" + f.cpu}, optimise...), "-mthumb", "-nostdlib", "-Wl,--gc-sections", "-Wl,--build-id",
		"-Wl,--defsym=flash="+flash, "-T", filepath.Join(app, "app.ld"), "-o", "app.elf")
	tool(t, dir, "arm-none-eabi-gcc", append(append(link, objects...), "-lc", "-lgcc")...)
	return filepath.Join(dir, "app.elf")
}
