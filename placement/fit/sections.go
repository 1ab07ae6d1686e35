package fit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mprof/mprof/symbol"
)

// bySymbol groups by name as -ffunction-sections names sections: .text.NAME and
// .text.NAME.SUFFIX of clones. Functions of one name in several files have
// their file in the pattern. foo.cold is a unit of its own: it is in
// .text.unlikely, and there to be out of the way.
func (a *analysis) bySymbol(all []symbol.FunctionSymbol) func(symbol.FunctionSymbol) (string, []string) {
	files := map[string][]string{}
	cold := map[string]bool{}
	for _, f := range all {
		base := baseName(f.Names[0])
		if file := a.file(f); !slices.Contains(files[base], file) {
			files[base] = append(files[base], file)
		}
		cold[base] = cold[base] || isCold(f.Names[0])
	}
	return func(f symbol.FunctionSymbol) (string, []string) {
		base, file := baseName(f.Names[0]), a.file(f)
		if !a.sectioned(f) {
			return fmt.Sprintf("%s at 0x%08x", base, f.Low), nil
		}
		from := "*"
		if len(files[base]) > 1 {
			if file == "" {
				return fmt.Sprintf("%s at 0x%08x", base, f.Low), nil
			}
			from = "*" + stem(file) + ".*"
		} else {
			file = ""
		}
		if isCold(f.Names[0]) {
			return base + ".cold in " + file, []string{from + fmt.Sprintf("(.text.unlikely.%s .text.unlikely.%s.*)", base, base)}
		}
		sections := []string{base, base + ".*", "hot." + base, "hot." + base + ".*", "startup." + base}
		if !cold[base] {
			sections = append(sections, "unlikely."+base)
		}
		return base + " in " + file, []string{from + "(.text." + strings.Join(sections, " .text.") + ")"}
	}
}

// bySection groups by the input sections of the linker's map.
func (a *analysis) bySection(f symbol.FunctionSymbol) (string, []string) {
	s, ok := a.report.Map.at(f.Low)
	if !ok {
		return fmt.Sprintf("%s at 0x%08x", f.Names[0], f.Low), nil
	}
	return fmt.Sprintf("section at 0x%08x", s.Low), []string{a.report.Map.pattern(s)}
}

// sectioned tells whether f is the only function of its section, as far as the
// debug information says: without any it is believed to be.
func (a *analysis) sectioned(f symbol.FunctionSymbol) bool {
	if !a.image.HasDWARF() {
		return true
	}
	producer := a.image.Producer(f.Low)
	flags := strings.Contains(producer, "-m") // GCC records its command line
	return producer != "" && !strings.HasPrefix(producer, "GNU AS") && (!flags || strings.Contains(producer, "-ffunction-sections"))
}

func (a *analysis) file(f symbol.FunctionSymbol) string {
	fn, _ := a.image.Function(f.Low)
	return fn.File
}

// baseName is a symbol without the suffixes that GCC and LLVM give to clones.
func baseName(s string) string {
	if i := strings.IndexByte(s, '.'); i > 0 {
		return s[:i]
	}
	return s
}

func isCold(s string) bool { return strings.HasSuffix(s, ".cold") || strings.Contains(s, ".cold.") }

// stem is the file name without folders and without extension.
func stem(file string) string {
	file = file[strings.LastIndexAny(file, `/\`)+1:]
	if i := strings.LastIndexByte(file, '.'); i > 0 {
		file = file[:i]
	}
	return file
}
