package porttest

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const gccPackages = "gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib clang"

// compiler is a way to compile for one core.
type compiler struct {
	name string
	args []string
}

var gccs = []compiler{
	{"Cortex-M0", []string{"-mcpu=cortex-m0"}},
	{"Cortex-M0+", []string{"-mcpu=cortex-m0plus"}},
	{"Cortex-M3", []string{"-mcpu=cortex-m3"}},
	{"Cortex-M4", []string{"-mcpu=cortex-m4"}},
	{"Cortex-M4 with FPU", []string{"-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"}},
	{"Cortex-M7", []string{"-mcpu=cortex-m7", "-mfpu=fpv5-d16", "-mfloat-abi=hard"}},
	{"Cortex-M33", []string{"-mcpu=cortex-m33", "-mfpu=fpv5-sp-d16", "-mfloat-abi=hard"}},
}

var clangs = []compiler{
	{"ARMv6-M", []string{"--target=thumbv6m-none-eabi"}},
	{"ARMv7-M", []string{"--target=thumbv7m-none-eabi"}},
	{"ARMv7E-M", []string{"--target=thumbv7em-none-eabi"}},
	{"ARMv7E-M with FPU", []string{"--target=thumbv7em-none-eabihf", "-mcpu=cortex-m4"}},
	{"ARMv8-M", []string{"--target=thumbv8m.main-none-eabi"}},
}

var warnings = []string{"-std=c99", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-pedantic", "-Werror"}

// portVariants are the ports with their settings.
var portVariants = []struct {
	port    string
	defines []string
}{
	{"stm32f4", []string{"-DMPROF_UART_HANDLER=USART2_IRQHandler", "-DMPROF_DMA_HANDLER=DMA1_Stream6_IRQHandler"}},
	{"stm32f4", []string{"-DMPROF_CPU_HZ=168000000", "-DMPROF_UART_NUMBER=1", "-DMPROF_UART_TX_PIN=0xA9", "-DMPROF_UART_RX_PIN=0xAA"}},
	{"stm32f4", []string{"-DMPROF_UART_HZ=16000000", "-DMPROF_UART_DMA=0"}},
	{"stm32f7h7", []string{"-DMPROF_STM32F7", "-DMPROF_UART_NUMBER=3", "-DMPROF_UART_TX_PIN=0xD8"}},
	{"stm32f7h7", []string{"-DMPROF_STM32H7"}},
	{"stm32f7h7", []string{"-DMPROF_STM32H7", "-DMPROF_UART_DMA=0", "-DMPROF_UART_HZ=64000000"}},
	{"cmsdk", nil},
	{"cmsdk", []string{"-DMPROF_UART_POLLED=1"}},
	{"uart_irq", []string{"-DMPROF_UART_HEADER=\"../porttest/testdata/inline.h\""}},
	{"uart_irq", []string{"-DMPROF_UART_HANDLER=UART0_IRQHandler"}},
	{"uart_irq", []string{"-DMPROF_UART_POLLED=1"}},
}

// sources are the module's, with their full names.
func sources(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../src/*.c")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for i := range files {
		if files[i], err = filepath.Abs(files[i]); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func portFile(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs("../port/" + name + ".c")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// tool runs a program in a folder.
func tool(t *testing.T, dir, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, text)
	}
	return text
}

// compileAll compiles the module and the ports, in every variant with -Os and in
// their first one with other options. Warnings are errors.
func compileAll(t *testing.T, command string, args []string) {
	t.Helper()
	every := slices.Contains(args, "-Os")
	args = append(args, warnings...)
	tool(t, t.TempDir(), command, append(append(slices.Clone(args), "-c"), sources(t)...)...)
	for i, v := range portVariants {
		if !every && i > 0 && v.port == portVariants[i-1].port {
			continue
		}
		tool(t, t.TempDir(), command, append(append(slices.Clone(args), v.defines...), "-c", portFile(t, v.port))...)
	}
}

// The module and every port compile for every core, optimised in every way,
// without a warning.
func TestCompilesWithGCC(t *testing.T) {
	requireTools(t, gccPackages, "arm-none-eabi-gcc")
	for _, c := range gccs {
		for _, optimise := range []string{"-O0", "-Os", "-O2", "-flto -O2"} {
			if testing.Short() && (optimise != "-Os" || c.name != "Cortex-M4 with FPU" && c.name != "Cortex-M0") {
				continue
			}
			t.Run(c.name+" "+optimise, func(t *testing.T) {
				t.Parallel()
				compileAll(t, "arm-none-eabi-gcc", append(append([]string{"-mthumb"}, c.args...), strings.Fields(optimise)...))
			})
		}
	}
}

func TestCompilesWithClang(t *testing.T) {
	requireTools(t, gccPackages, "clang")
	for _, c := range clangs {
		for _, optimise := range []string{"-O0", "-Os", "-O2", "-flto -O2"} {
			if testing.Short() && (optimise != "-Os" || c.name != "ARMv7E-M") {
				continue
			}
			t.Run(c.name+" "+optimise, func(t *testing.T) {
				t.Parallel()
				compileAll(t, "clang", append(append([]string{"-ffreestanding"}, c.args...), strings.Fields(optimise)...))
			})
		}
	}
}
