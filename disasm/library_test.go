package disasm_test

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mprof/mprof/disasm"
)

// linkLibraries links all of the compiler's libraries for a machine, wanted or not, into one file.
func linkLibraries(t *testing.T, gcc string, specs, machine []string, libraries ...string) string {
	t.Helper()
	need(t, gcc, "gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf")
	all := filepath.Join(t.TempDir(), "all.elf")
	args := append(slices.Clone(machine), "-nostdlib", "-Wl,--defsym=__dso_handle=0,--unresolved-symbols=ignore-all,--allow-multiple-definition,--no-warn-rwx-segments,--no-warn-mismatch,--no-gc-sections,-Ttext=0x08000000,-Tdata=0x20000000,-e,0x08000000", "-o", all, "-Wl,--whole-archive")
	for _, library := range libraries {
		out, err := exec.Command(gcc, append(slices.Concat(specs, machine), "-print-file-name="+library)...).Output()
		if path := strings.TrimSpace(string(out)); err == nil && filepath.IsAbs(path) {
			if _, err := os.Stat(path); err == nil {
				args = append(args, path)
			}
		}
	}
	if out, err := exec.Command(gcc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%.2000s", gcc, args, err, out)
	}
	return all
}

// All of newlib, libstdc++ and libgcc for each kind of core.
func TestThumbLibraries(t *testing.T) {
	for _, machine := range [][]string{
		{"-mcpu=cortex-m0plus"}, {"-mcpu=cortex-m23"}, {"-mcpu=cortex-m3"},
		{"-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"},
		{"-mcpu=cortex-m7", "-mfpu=fpv5-d16", "-mfloat-abi=hard"},
		{"-mcpu=cortex-m33", "-mfpu=fpv5-sp-d16", "-mfloat-abi=hard"},
	} {
		t.Run(machine[0][len("-mcpu="):], func(t *testing.T) {
			t.Parallel()
			if testing.Short() && machine[0] != "-mcpu=cortex-m33" {
				t.Skip("-short: cortex-m33 alone")
			}
			elf := linkLibraries(t, "arm-none-eabi-gcc", nil, append([]string{"-mthumb"}, machine...), "libc.a", "libm.a", "libstdc++.a", "libgcc.a")
			equal(t, disasm.Thumb, "arm-none-eabi-objdump", elf)
		})
	}
}

// All of picolibc and libgcc for RISC-V.
func TestRISCVLibraries(t *testing.T) {
	for _, march := range []string{"rv32i", "rv32imac", "rv32imafc", "rv32imafdc"} {
		t.Run(march, func(t *testing.T) {
			t.Parallel()
			abi := map[string]string{"rv32imafc": "ilp32f", "rv32imafdc": "ilp32d"}[march]
			if abi == "" {
				abi = "ilp32"
			}
			elf := linkLibraries(t, "riscv64-unknown-elf-gcc", []string{"--specs=picolibc.specs"}, []string{"-march=" + march, "-mabi=" + abi}, "libc.a", "libm.a", "libgcc.a")
			equal(t, disasm.RV32, "riscv64-unknown-elf-objdump", elf)
		})
	}
}

// globalPointer is the value of __global_pointer$, 0 where there is none.
func globalPointer(symbols []elf.Symbol) uint32 {
	for _, s := range symbols {
		if s.Name == "__global_pointer$" {
			return uint32(s.Value)
		}
	}
	return 0
}

// The security extension: secure gateways, calls of the other side with and without an FPU.
func TestThumbSecure(t *testing.T) {
	need(t, "arm-none-eabi-gcc", "gcc-arm-none-eabi libnewlib-arm-none-eabi")
	for _, cpu := range []string{"-mcpu=cortex-m33 -mfloat-abi=hard", "-mcpu=cortex-m33+nofp -mfloat-abi=soft", "-mcpu=cortex-m55+nomve -mfloat-abi=hard"} {
		program := filepath.Join(t.TempDir(), "secure.elf")
		args := append(strings.Fields(cpu), "-mthumb", "-mcmse", "-O2", "-g", "-nostdlib", "-o", program, "testdata/secure.c", "-lgcc",
			"-Wl,-e,0,--unresolved-symbols=ignore-all,--section-start=.gnu.sgstubs=0x1000,--no-warn-rwx-segments")
		if out, err := exec.Command("arm-none-eabi-gcc", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		equal(t, disasm.Thumb, "arm-none-eabi-objdump", program)
		met := map[string]bool{}
		for _, i := range open(t, program).decode(t, disasm.Thumb) {
			met[i.Mnemonic] = true
		}
		for _, want := range []string{"sg", "bxns", "blxns", "tt", "ttt", "tta", "ttat", "ldaex", "stlex", "stl"} {
			if !met[want] {
				t.Errorf("%s: the compiler made no %s", cpu, want)
			}
		}
	}
}

// A program for a hart by two compilers, with addresses relaxed by the linker and as they were.
func TestRISCVProgram(t *testing.T) {
	const gcc = "riscv64-unknown-elf-gcc"
	need(t, gcc, "gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf")
	need(t, "clang", "clang")
	folder := "../unwind/testdata/riscv/"
	for _, flags := range []string{"-O0", "-Os", "-O2 -mno-relax", "-O3"} {
		object, program := filepath.Join(t.TempDir(), "program.o"), filepath.Join(t.TempDir(), "program.elf")
		more := append(strings.Fields(flags), "-g", "-mabi=ilp32")
		run := func(name string, args ...string) {
			t.Helper()
			if out, err := exec.Command(name, append(args, more...)...).CombinedOutput(); err != nil {
				t.Fatalf("%s %v: %v\n%s", name, args, err, out)
			}
		}
		link := []string{"-march=rv32imac", "-misa-spec=2.2", "-mcmodel=medany", "--specs=picolibc.specs", "-nostartfiles", "-T", folder + "link.ld", "-o", program, folder + "start.S"}
		run(gcc, append(link, folder+"program.c")...)
		equal(t, disasm.RV32, "riscv64-unknown-elf-objdump", program)
		run("clang", "--target=riscv32-unknown-elf", "-march=rv32imac", "-mcmodel=medium", "-c", "-o", object, folder+"program.c",
			"-isystem", "/usr/lib/picolibc/riscv64-unknown-elf/include")
		run(gcc, append(link, object)...)
		equal(t, disasm.RV32, "riscv64-unknown-elf-objdump", program)
	}
}
