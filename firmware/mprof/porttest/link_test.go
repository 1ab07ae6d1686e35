package porttest

import (
	"debug/elf"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// relocatable compiles files into one relocatable file.
func relocatable(t *testing.T, c compiler, flags []string, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	args := append([]string{"-mthumb", "-std=c99", "-r", "-nostdlib", "-o", "module.o", "-DMPROF_CPU_HZ=168000000"}, c.args...)
	tool(t, dir, "arm-none-eabi-gcc", append(append(args, flags...), files...)...)
	return filepath.Join(dir, "module.o")
}

func symbols(t *testing.T, path string) []elf.Symbol {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// undefined are the symbols that a file needs of others; weak ones may be missing.
func undefined(t *testing.T, path string) (names []string) {
	for _, s := range symbols(t, path) {
		if s.Section == elf.SHN_UNDEF && s.Name != "" && elf.ST_BIND(s.Info) != elf.STB_WEAK {
			names = append(names, s.Name)
		}
	}
	return names
}

// fromCompiler tells whether a compiler may call a function on its own account.
func fromCompiler(name string) bool {
	return strings.HasPrefix(name, "__aeabi_") || strings.HasPrefix(name, "__gnu_thumb1_case_") ||
		slices.Contains([]string{"memcpy", "memmove", "memset", "memcmp"}, name)
}

// Module and port need nothing but what a compiler brings: no C library, no
// allocation, no vendor's code; and the linker keeps the hooks, also with -flto.
func TestNeedsNothing(t *testing.T) {
	requireTools(t, gccPackages, "arm-none-eabi-gcc")
	own := []string{"mprof_uart_init", "mprof_uart_read", "mprof_uart_writable", "mprof_uart_write", "mprof_uart_tx_interrupt"}
	offered := []string{"__cyg_profile_func_enter", "__cyg_profile_func_exit", "mprof_init", "mprof_poll", "mprof_port_irq"}
	for _, c := range []compiler{gccs[0], gccs[4]} {
		for _, flags := range [][]string{{"-Os"}, {"-O2", "-flto", "-flinker-output=nolto-rel"}} {
			t.Run(fmt.Sprint(c.name, flags), func(t *testing.T) {
				t.Parallel()
				module := relocatable(t, c, flags, sources(t)...)
				for _, v := range portVariants {
					if testing.Short() && v.port != "stm32f4" {
						continue
					}
					path := relocatable(t, c, append(slices.Clone(flags), v.defines...), module, portFile(t, v.port))
					for _, name := range undefined(t, path) {
						if !fromCompiler(name) && !(v.port == "uart_irq" && slices.Contains(own, name)) {
							t.Errorf("%v needs %s", v, name)
						}
					}
					for _, name := range offered {
						if !slices.ContainsFunc(symbols(t, path), func(s elf.Symbol) bool {
							return s.Name == name && s.Section != elf.SHN_UNDEF && elf.ST_BIND(s.Info) != elf.STB_LOCAL
						}) {
							t.Errorf("%v has no %s", v, name)
						}
					}
				}
			})
		}
	}
}

// coreRAM is the most that the module may take beside the memory that the
// application gives it; a port adds less than 32 bytes.
const (
	coreRAM = 512
	portRAM = 32
)

func TestRAM(t *testing.T) {
	requireTools(t, gccPackages, "arm-none-eabi-gcc")
	for _, c := range gccs {
		if testing.Short() && c.name != "Cortex-M4 with FPU" {
			continue
		}
		module := ram(t, relocatable(t, c, []string{"-Os"}, sources(t)...))
		t.Logf("%s: %d bytes", c.name, module)
		if module == 0 || module >= coreRAM {
			t.Errorf("%s: the module takes %d bytes of RAM, not less than %d", c.name, module, coreRAM)
		}
		for _, v := range portVariants {
			if n := ram(t, relocatable(t, c, append([]string{"-Os"}, v.defines...), portFile(t, v.port))); n >= portRAM {
				t.Errorf("%s: %s %v takes %d bytes of RAM, not less than %d", c.name, v.port, v.defines, n, portRAM)
			}
		}
	}
}

// ram is what .data and .bss take.
func ram(t *testing.T, path string) (bytes uint64) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, s := range f.Sections {
		if s.Flags&(elf.SHF_ALLOC|elf.SHF_WRITE) == elf.SHF_ALLOC|elf.SHF_WRITE {
			bytes += s.Size
		}
	}
	return bytes
}

// hookCalls counts in each object file of a folder where it calls the hooks.
func hookCalls(t *testing.T, dir string) map[string]int {
	t.Helper()
	objects, err := filepath.Glob(filepath.Join(dir, "*.o"))
	if err != nil || len(objects) == 0 {
		t.Fatal(objects, err)
	}
	calls := map[string]int{}
	for _, o := range objects {
		for line := range strings.Lines(string(tool(t, dir, "arm-none-eabi-objdump", "-r", o))) {
			if strings.Contains(line, " __cyg_profile_func_") && (strings.Contains(line, "_CALL") || strings.Contains(line, "_JUMP")) {
				calls[filepath.Base(o)]++
			}
		}
	}
	return calls
}

// Compiled with -finstrument-functions like the application, neither the module
// nor a port calls the hooks any more often than without: calibration does.
func TestNotInstrumented(t *testing.T) {
	requireTools(t, gccPackages, "arm-none-eabi-gcc", "arm-none-eabi-objdump", "clang")
	check := func(command string, args ...string) {
		plain, instrumented := t.TempDir(), t.TempDir()
		tool(t, plain, command, append(slices.Clone(args), "-ffunction-sections", "-c")...)
		tool(t, instrumented, command, append(slices.Clone(args), "-ffunction-sections", "-finstrument-functions", "-c")...)
		if want, got := hookCalls(t, plain), hookCalls(t, instrumented); !maps.Equal(want, got) {
			t.Errorf("%s %v: calls of the hooks: %v, without -finstrument-functions %v", command, args, got, want)
		}
	}
	gcc := []string{"-mthumb", "-mcpu=cortex-m4", "-std=c99", "-O2"}
	clang := []string{"--target=thumbv7em-none-eabi", "-ffreestanding", "-std=c99", "-O0"}
	check("arm-none-eabi-gcc", append(slices.Clone(gcc), sources(t)...)...)
	check("clang", append(slices.Clone(clang), sources(t)...)...)
	for _, v := range portVariants {
		if testing.Short() && v.port != "stm32f4" {
			continue
		}
		check("arm-none-eabi-gcc", append(append(slices.Clone(gcc), v.defines...), portFile(t, v.port))...)
		check("clang", append(append(slices.Clone(clang), v.defines...), portFile(t, v.port))...)
	}
}
