package symbol_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/symbol"
)

// toolchain compiles and links testdata.
type toolchain struct {
	name    string
	needs   []string
	compile []string
	link    []string
}

var toolchains = []toolchain{
	{"gcc", []string{"arm-none-eabi-gcc"}, []string{"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb"}, []string{"arm-none-eabi-ld"}},
	{"gcc lto", []string{"arm-none-eabi-gcc"}, []string{"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-flto", "-ffat-lto-objects"}, []string{"arm-none-eabi-gcc", "-flto", "-nostdlib", "-O2", "-g", "-mcpu=cortex-m4", "-mthumb"}},
	{"clang", []string{"clang", "ld.lld"}, []string{"clang", "--target=thumbv7em-none-eabi"}, []string{"ld.lld"}},
	{"clang lto", []string{"clang", "ld.lld"}, []string{"clang", "--target=thumbv7em-none-eabi", "-flto"}, []string{"ld.lld"}},
}

// shapes links the program of shapes with its code at text.
func (c toolchain) shapes(t *testing.T, text, flags string) string {
	t.Helper()
	for _, tool := range c.needs {
		need(t, tool)
	}
	dir := t.TempDir()
	var objects []string
	for _, source := range []string{"shapes.c", "shapes2.c", "shapesasm.s"} {
		object := filepath.Join(dir, source+".o")
		args := slices.Concat(c.compile[1:], strings.Fields(flags), []string{"-g", "-O2", "-ffunction-sections", "-ffreestanding", "-c", "-o", object, filepath.Join("testdata", source)})
		run(t, c.compile[0], args...)
		objects = append(objects, object)
	}
	program := filepath.Join(dir, "shapes.elf")
	options := []string{"--gc-sections", "--entry=Reset_Handler", "-Ttext=" + text, "--section-start=.isr_vector=0x8010000",
		"--section-start=.ramtext=0x20000000", "-Tbss=0x20001000", "--undefined=vectors", "--undefined=registered", "--undefined=plain_label"}
	if strings.HasSuffix(c.link[0], "gcc") {
		for i, o := range options {
			options[i] = "-Wl," + o
		}
	}
	run(t, c.link[0], slices.Concat(c.link[1:], options, []string{"-o", program}, objects)...)
	return program
}

// sourceName is the function that a symbol is a piece or a clone of.
func sourceName(symbol string) string {
	name, _, _ := strings.Cut(symbol, ".")
	if name == "__in_ram_veneer" || name == "__Thumbv7ABSLongThunk_in_ram" {
		return "in_ram (veneer)"
	}
	return name
}

// Every function symbol of every toolchain leads to the function that it says,
// at each of its instructions, whether flash is at 0, where descriptions of
// dropped code lie over what was kept, or not.
func TestShapes(t *testing.T) {
	places, versions := []string{"0", "0x08000000"}, []string{"-gdwarf-4", "-gdwarf-5"}
	if testing.Short() {
		places, versions = places[:1], versions[1:]
	}
	for _, c := range toolchains {
		for _, text := range places {
			for _, flags := range versions {
				t.Run(strings.Join([]string{c.name, text, flags}, " "), func(t *testing.T) { checkShapes(t, c.shapes(t, text, flags)) })
			}
		}
	}
}

func checkShapes(t *testing.T, program string) {
	if testing.Verbose() {
		for _, s := range readelfFunctions(t, program) {
			t.Logf("%08x-%08x %s", s.low, s.high, s.name)
		}
	}
	im, err := symbol.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	symbols := readelfFunctions(t, program)
	for _, s := range symbols {
		var here []string
		for _, other := range symbols {
			if other.low == s.low {
				here = append(here, sourceName(other.name))
			}
		}
		for pc := s.low; pc < max(s.high, s.low+2); pc += 2 {
			at := im.Lookup(pc)
			if len(at) == 0 {
				t.Fatalf("0x%08x: nothing at %s", pc, s.name)
			}
			f := at[len(at)-1]
			if !slices.Contains(here, f.Name) || f.Low != s.low {
				t.Fatalf("0x%08x: is in %q, which is at 0x%08x; the symbol is %s", pc, f.Name, f.Low, s.name)
			}
			if strings.Contains(f.File, "shapes") && f.CallFile != "" && filepath.Base(f.File) != filepath.Base(f.CallFile) {
				t.Errorf("0x%08x: %s of %s has a line of %s", pc, f.Name, f.File, f.CallFile)
			}
		}
	}
	for _, name := range []string{"Reset_Handler", "in_ram", "unsized", "with_data", "other_helper", "Default_Handler", "in_ram (veneer)"} {
		if !slices.ContainsFunc(symbols, func(s functionSymbol) bool { return sourceName(s.name) == name }) && !strings.Contains(name, "helper") {
			t.Errorf("the program has no %s", name)
		}
	}
	checkAssembly(t, im, symbols)
	checkLines(t, im, symbols)
	checkHandlers(t, im, symbols)
}

// checkAssembly: a function without size reaches to the next function, labels
// and data inside are of it; an untyped global label and an indirect function
// are functions.
func checkAssembly(t *testing.T, im *symbol.Image, symbols []functionSymbol) {
	at := map[string]functionSymbol{}
	for _, s := range symbols {
		at[s.name] = s
	}
	behind := at["with_data"].high
	for _, c := range []struct {
		low, high uint32
		want      string
	}{
		{at["unsized"].low, at["with_data"].low, "unsized"}, {at["with_data"].low, behind, "with_data"},
		{behind, behind + 4, "plain_label"}, {behind + 4, behind + 8, "chosen"},
	} {
		for pc := c.low; pc < c.high; pc += 2 {
			if f, _ := im.Function(pc); f.Name != c.want || f.Low != c.low {
				t.Errorf("0x%08x: is in %q from 0x%08x, want %s from 0x%08x", pc, f.Name, f.Low, c.want, c.low)
			}
		}
	}
}

// checkLines compares one line of some functions with their source.
func checkLines(t *testing.T, im *symbol.Image, symbols []functionSymbol) {
	source := map[string]string{"Default_Handler": "sink++", "SPI1_IRQHandler": "sink += 5", "registered": "sink += 7", "in_ram": "return x * 3"}
	for _, s := range symbols {
		want, ok := source[s.name]
		if !ok {
			continue
		}
		found := false
		for pc := s.low; pc < s.high; pc += 2 {
			at := im.Lookup(pc)
			text, ok := im.Source(at[0].CallFile)
			if lines := strings.Split(text, "\n"); ok && at[0].CallLine > 0 && strings.Contains(lines[at[0].CallLine-1], want) {
				found = true
			}
		}
		if !found {
			t.Errorf("no instruction of %s is at %q", s.name, want)
		}
	}
}

// checkHandlers: the names of exceptions, and of handlers of many names.
func checkHandlers(t *testing.T, im *symbol.Image, symbols []functionSymbol) {
	entry := func(name string) uint32 {
		for _, s := range symbols {
			if s.name == name {
				return s.low
			}
		}
		return 0
	}
	type names struct{ Exception, Alias string }
	// LTO of LLVM leaves no symbol of an alias that only the vector table has.
	named := func(n names) names {
		if n.Alias != "" && !slices.ContainsFunc(symbols, func(s functionSymbol) bool { return s.name == n.Alias }) {
			return names{strings.Replace(n.Exception, n.Alias, "Default_Handler", 1), ""}
		}
		return n
	}
	shared := entry("Default_Handler")
	got := map[string]names{}
	for what, at := range map[string]struct {
		exc uint16
		pc  uint32
	}{
		"NMI": {2, shared}, "HardFault": {3, shared}, "SysTick": {15, shared}, "WWDG": {16, shared}, "unnamed": {17, shared},
		"TIM2": {18, shared + 2}, "SPI1": {21, entry("SPI1_IRQHandler")}, "in RAM": {40, entry("registered")}, "other": {18, entry("registered")},
	} {
		exception, alias := im.HandlerAt(at.exc, at.pc)
		got[what] = names{exception, alias}
	}
	want := map[string]names{
		"NMI": {"NMI", "NMI_Handler"}, "HardFault": {"HardFault", "HardFault_Handler"}, "SysTick": {"SysTick", "SysTick_Handler"},
		"WWDG": {"IRQ 0 (WWDG_IRQHandler)", "WWDG_IRQHandler"}, "unnamed": {"IRQ 1 (Default_Handler)", ""},
		"TIM2": {"IRQ 2 (TIM2_IRQHandler)", "TIM2_IRQHandler"}, "SPI1": {"IRQ 5 (SPI1_IRQHandler)", ""},
		"in RAM": {"IRQ 24 (registered)", ""}, "other": {"IRQ 2 (registered)", ""},
	}
	for what := range want {
		want[what] = named(want[what])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
