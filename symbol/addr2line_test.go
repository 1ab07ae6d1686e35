package symbol_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ianlancetaylor/demangle"

	"github.com/mprof/mprof/symbol"
)

// need finds a tool or skips; CI has them all.
func need(t *testing.T, tool string) string {
	t.Helper()
	path, err := exec.LookPath(tool)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not installed", tool)
		}
		t.Skipf("%s is not installed (Debian: binutils-arm-none-eabi, gcc-arm-none-eabi)", tool)
	}
	return path
}

// frame is what a symbolizer prints of one function: name, file, line.
type frame struct{ function, file, line string }

// place writes a file and line as all symbolizers of this test are compared.
func place(function, file string, line int) frame {
	f := frame{function, "??", strconv.Itoa(line)}
	if file != "" {
		f.file = strings.TrimPrefix(path.Clean(strings.ReplaceAll(file, `\`, "/")), "./")
	}
	return f
}

// Judges. That of binutils 2.40 misses inlined calls whose range lists are
// named by index (DW_FORM_rnglistx of LLVM), so LLVM's own judges LLVM.
const (
	gnuJudge  = "arm-none-eabi-addr2line"
	llvmJudge = "llvm-addr2line"
)

// addr2line asks a tool about all addresses at once.
func addr2line(t *testing.T, judge, elf string, pcs []uint32) map[uint32][]frame {
	t.Helper()
	tool := need(t, judge)
	var in strings.Builder
	for _, pc := range pcs {
		fmt.Fprintf(&in, "%x\n", pc)
	}
	cmd := exec.Command(tool, "-a", "-i", "-f", "-C", "-e", elf)
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("addr2line: %v", err)
	}
	found := map[uint32][]frame{}
	var pc uint32
	scan := bufio.NewScanner(strings.NewReader(string(out)))
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		if v, err := strconv.ParseUint(scan.Text(), 0, 32); err == nil {
			pc = uint32(v)
			continue
		}
		function, _, _ := strings.Cut(scan.Text(), " [clone ")
		if !scan.Scan() {
			break
		}
		at, _, _ := strings.Cut(scan.Text(), " (discriminator")
		i := strings.LastIndexByte(at, ':')
		line, _ := strconv.Atoi(at[i+1:]) // "?" is 0
		found[pc] = append(found[pc], place(function, at[:i], line))
	}
	return found
}

// functionSymbol is a sized STT_FUNC as readelf prints it.
type functionSymbol struct {
	low, high uint32
	name      string
}

func readelfFunctions(t *testing.T, elf string, flags ...string) (symbols []functionSymbol) {
	t.Helper()
	out, err := exec.Command(need(t, "arm-none-eabi-readelf"), append(flags, "-s", "-W", elf)...).Output()
	if err != nil {
		t.Fatalf("readelf: %v", err)
	}
	for _, line := range strings.Split(string(out), "\n") {
		f := strings.Fields(line) // Num: Value Size Type Bind Vis Ndx Name, and a name may hold blanks
		if len(f) < 8 || f[3] != "FUNC" || f[6] == "UND" {
			continue
		}
		low, _ := strconv.ParseUint(f[1], 16, 32)
		size, _ := strconv.ParseUint(f[2], 0, 32)
		symbols = append(symbols, functionSymbol{uint32(low) &^ 1, uint32(low)&^1 + uint32(size), strings.Join(f[7:], " ")})
	}
	return symbols
}

func covering(symbols []functionSymbol, pc uint32) (names []string) {
	for _, s := range symbols {
		if pc >= s.low && pc < s.high {
			names = append(names, s.name)
		}
	}
	return names
}

// textPCs are all even addresses of the code.
func textPCs(im *symbol.Image) (pcs []uint32) {
	for _, r := range im.CodeRanges() {
		for pc := r.Low; pc < r.High; pc += 2 {
			pcs = append(pcs, pc)
		}
	}
	return pcs
}

// verdicts counts how our answers compare with addr2line's.
type verdicts struct{ same, symbolless, dropped, alias, line, name int }

// compare looks every address of the code up both ways. addr2line has some
// known weaknesses, and a difference is accepted only where the symbol table
// as readelf prints it, or the place of definition, speaks against it:
//   - symbolless: no function reaches pc and we say so; addr2line gives
//     literals and padding to the function before, or to dropped code.
//   - dropped: it names a function that no symbol has here: an entry of code
//     that the linker dropped and left at address 0.
//   - alias: assembly with several names for one address.
//   - name: where DWARF has no linkage name of an inlined function, it prints
//     the plain name or that of the physical function.
//   - line: the same functions, but its line is not of the innermost one.
func compare(t *testing.T, elf string) (v verdicts) {
	t.Helper()
	return compareWith(t, gnuJudge, elf)
}

func compareWith(t *testing.T, tool, elf string) (v verdicts) {
	t.Helper()
	im, err := symbol.Open(elf)
	if err != nil {
		t.Fatal(err)
	}
	pcs := textPCs(im)
	theirs := addr2line(t, tool, elf, pcs)
	plain, mangled := readelfFunctions(t, elf, "-C"), readelfFunctions(t, elf)
	complaints := 0
	for _, pc := range pcs {
		at := asLinked(im.Lookup(pc))
		switch verdict := judge(at, theirs[pc], covering(plain, pc), covering(mangled, pc)); verdict {
		case "same":
			v.same++
		case "symbolless":
			v.symbolless++
		case "dropped":
			v.dropped++
		case "alias":
			v.alias++
		case "name":
			v.name++
		case "line":
			v.line++
		default:
			if complaints++; complaints <= 10 {
				t.Errorf("0x%08x: %s\nours   %v\ntheirs %v\nhere   %v", pc, verdict, at, theirs[pc], covering(mangled, pc))
			}
		}
	}
	t.Logf("%d addresses: %+v", len(pcs), v)
	return v
}

// asLinked gives Rust functions the names that rustc's mangled ones have: addr2line
// has these, where the last part of ours is DWARF's.
func asLinked(at []symbol.Location) []symbol.Location {
	at = slices.Clone(at)
	for i := range at {
		linked := demangle.Filter(at[i].Linkage, demangle.NoClones)
		in, closure := strings.CutSuffix(linked, "{{closure}}")
		if strings.HasPrefix(at[i].Name, linked+"<") || closure && strings.HasPrefix(at[i].Name, in+"{") {
			at[i].Name = linked
		}
	}
	return at
}

func judge(at []symbol.Location, theirs []frame, plain, mangled []string) string {
	var ours []frame
	for _, l := range at {
		ours = append(ours, place(l.Name, l.CallFile, l.CallLine))
	}
	if slices.Equal(ours, theirs) {
		return "same"
	}
	if len(at) == 0 {
		if len(plain) == 0 {
			return "symbolless"
		}
		return "we find nothing, but there is a function"
	}
	outer := len(at) - 1
	if len(plain) > 0 && !slices.Contains(mangled, at[outer].Linkage) {
		return "our function is not the one of the symbol table"
	}
	theirOuter := theirs[len(theirs)-1].function
	switch {
	case theirOuter != at[outer].Name && !slices.Contains(plain, theirOuter):
		return "dropped"
	case theirOuter != at[outer].Name && at[outer].Line == 0 && len(at) == 1:
		return "alias"
	case len(theirs) == len(at) && slices.Equal(ours[1:], theirs[1:]) && ours[0].function == theirs[0].function && lineOfFunction(at, theirs[0]):
		return "line"
	case slices.EqualFunc(ours, theirs, sameInlined(theirOuter)):
		return "name"
	case !slices.EqualFunc(ours, theirs, func(a, b frame) bool { return a.function == b.function }):
		return "functions differ"
	}
	return "lines differ"
}

// sameInlined compares places, and names as far as they go.
func sameInlined(physical string) func(ours, theirs frame) bool {
	return func(ours, theirs frame) bool {
		return ours.file == theirs.file && ours.line == theirs.line &&
			(theirs.function == physical || strings.Contains(ours.function, theirs.function))
	}
}

// lineOfFunction tells whether the place of definition speaks for our line:
// theirs is in a file that defines none of the functions here, or before the
// innermost one starts, or behind ours.
func lineOfFunction(at []symbol.Location, theirs frame) bool {
	inFile := func(l symbol.Location) bool { return place("", l.File, 0).file == theirs.file }
	if !slices.ContainsFunc(at, inFile) {
		return true
	}
	line, _ := strconv.Atoi(theirs.line)
	l := at[0]
	return line < l.Line && l.CallFile != "" && inFile(l) || len(at) > 1 && !inFile(l) && place("", l.CallFile, 0) == place("", l.File, 0) || l.CallFile == l.File && l.CallLine >= l.Line && line > l.CallLine
}

func TestRealFirmwareAgainstAddr2line(t *testing.T) {
	elfs, _ := filepath.Glob("../../shared/data/unwind/*.elf")
	if len(elfs) == 0 {
		t.Skip("the captures of real chips (../shared/data/unwind) are not here")
	}
	for _, elf := range elfs {
		t.Run(filepath.Base(elf), func(t *testing.T) { compare(t, elf) })
	}
}

// The built-in firmware: its flash is not at 0, so that dropped code is out of
// the way.
func TestBuiltInFirmwareAgainstAddr2line(t *testing.T) {
	v := compare(t, "../firmware/demo/demo.elf")
	if v.same < 5000 || v.line+v.name > 0 || v.dropped > 2 {
		t.Errorf("%+v", v)
	}
}

// Programs with every kind of inlining, built with every DWARF version and
// level of optimisation.
func TestCompiledProgramsAgainstAddr2line(t *testing.T) {
	for _, flags := range []string{
		"-O0 -gdwarf-2", "-O2 -gdwarf-3", "-Os -gdwarf-4", "-O2 -gdwarf-5", "-O3 -gdwarf-5", "-O2 -gdwarf-5 -flto", "-Os -gdwarf-4 -flto",
		"-O2 -gdwarf-5 -gz", "-O2 -g1", "-O2 -gdwarf-5 -gdwarf64",
	} {
		for _, source := range []string{"inlined.c", "classes.cc"} {
			t.Run(source+flags, func(t *testing.T) {
				elf := build(t, flags, source, "-Wl,-Ttext=0x08000000")
				if v := compare(t, elf); v.same < 100 || v.line > 0 || v.dropped > 0 && flags != "-O2 -g1" {
					t.Errorf("%+v", v)
				}
			})
		}
	}
}

// What LLVM writes, and what lld leaves of dropped code.
func TestClangAgainstAddr2line(t *testing.T) {
	for _, tool := range []string{"clang", "ld.lld"} {
		need(t, tool)
	}
	for _, flags := range []string{"-O0 -gdwarf-3", "-O2 -gdwarf-4", "-Os -gdwarf-5", "-O3 -gdwarf-5 -flto"} {
		t.Run(flags, func(t *testing.T) {
			dir := t.TempDir()
			object, elf := filepath.Join(dir, "inlined.o"), filepath.Join(dir, "program.elf")
			run(t, "clang", append(strings.Fields(flags), "--target=thumbv7em-none-eabi", "-ffreestanding", "-ffunction-sections", "-DDROPPED", "-c", "-o", object, "testdata/inlined.c")...)
			run(t, "ld.lld", "--gc-sections", "-Ttext=0x08000000", "--entry=Reset_Handler", "--undefined=Reset_Handler", "-o", elf, object)
			if v := compareWith(t, llvmJudge, elf); v.same < 50 {
				t.Errorf("%+v", v)
			}
		})
	}
}

// With flash at 0, what the linker drops overlaps what it keeps.
func TestDroppedCodeAtZero(t *testing.T) {
	elf := build(t, "-O2 -g -ffunction-sections -DDROPPED", "inlined.c", "-Wl,-Ttext=0", "-Wl,--gc-sections")
	compare(t, elf)
}

// build compiles testdata for a Cortex-M4, without a C library, and returns
// the path of the ELF.
func build(t *testing.T, flags, source string, link ...string) string {
	t.Helper()
	compiler := "arm-none-eabi-gcc"
	elf := filepath.Join(t.TempDir(), "program.elf")
	args := append(strings.Fields(flags), "-mcpu=cortex-m4", "-mthumb", "-nostdlib", "-nostartfiles", "-ffreestanding",
		"-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-Wl,--entry=Reset_Handler", "-o", elf, filepath.Join("testdata", source))
	run(t, need(t, compiler), append(args, append(link, "-lgcc")...)...)
	return elf
}

func run(t *testing.T, tool string, args ...string) {
	t.Helper()
	if out, err := exec.Command(tool, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(tool), err, out)
	}
}
