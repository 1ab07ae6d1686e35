package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStackOfRealChips: the captures of real chips, as ELF core files and as
// JSON, print the stacks that probe-rs expects of them.
func TestStackOfRealChips(t *testing.T) {
	elfs, err := filepath.Glob("../../../shared/data/unwind/*.elf")
	if err != nil || len(elfs) == 0 {
		t.Skip("../shared/data/unwind is not there")
	}
	ends := map[string]string{ // the others are complete
		"RP2040_full_unwind":        "cut: stack memory at 0x20003ffc is not in the file",
		"nRF52833_xxAA_full_unwind": "cut: stack memory at 0x20003ffc is not in the file",
		"nRF52833_xxAA_systick":     "cut: stack memory at 0x20003ffc is not in the file",
	}
	for _, elf := range elfs {
		base := strings.TrimSuffix(elf, ".elf")
		name := filepath.Base(base)
		want := readProbeRS(t, base+".probe-rs.txt")
		for _, form := range []string{".core", ".snapshot.json"} {
			t.Run(name+form, func(t *testing.T) {
				expected, end := want, ends[name]
				if end == "" {
					end = "complete"
				}
				if name == "stm32u585_psp_exception" && form == ".core" { // which has no PSP
					expected = want[:7]
					end = "cut: the exception return 0xffffffbc leads to the process stack, but an ELF core file does not have PSP"
				}
				out := printedJSON(t, elf, "--core", base+form)
				if len(out.Warnings) > 0 {
					t.Log(out.Warnings)
				}
				var got []string
				for _, f := range out.Stacks[0].Frames {
					got = append(got, comparable(f))
				}
				if diff := cmp.Diff(expected, got); diff != "" {
					t.Errorf("probe-rs (-), mprof (+):\n%s", diff)
				}
				if faults := strings.Join(out.Stacks[0].Faults, "\n"); strings.Contains(faults, "(PRECISERR) at 0xfffffff0\nescalated") != (name == "stm32u585_hardfault_fp") {
					t.Errorf("faults: %s", faults)
				}
				if out.Stacks[0].End.Text != end {
					t.Errorf("%s, want %s", out.Stacks[0].End.Text, end)
				}
			})
		}
	}
}

var generics = regexp.MustCompile(`<.*>$`)

// comparable is what probe-rs tells of a frame, too: the function, and of
// physical frames the address.
func comparable(f traceFrame) string {
	if f.Exception != "" {
		return "exception"
	}
	name := generics.ReplaceAllString(f.Function, "")
	name = name[strings.LastIndexByte(name, ':')+1:]
	if f.Inlined {
		return name + " inlined"
	}
	return name + " " + f.PC
}

var probeRSLine = regexp.MustCompile(`^\('"?([^ "]*)( : ERROR.*| <Cause.*)?"?', '(0x[0-9a-f]+)', '(true|false)', '([0-9~]+)'\)$`)

// readProbeRS gives the frames as comparable does. The addresses of callers are
// there the return address less 2; those of inlined lines are the innermost's.
// A crossing has the name of its exception and no CFA. The last line is the LR
// that ended the stack where its PC is 0.
func readProbeRS(t *testing.T, path string) (out []string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	exact, innermost := true, uint64(0)
	for line := range strings.Lines(string(data)) {
		m := probeRSLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			t.Fatalf("%s: %q", path, line)
		}
		name, inlined := generics.ReplaceAllString(m[1], ""), m[4] == "true"
		pc, err := strconv.ParseUint(m[3], 0, 32)
		switch {
		case err != nil:
			t.Fatalf("%s: %q: %v", path, line, err)
		case pc == 0:
			continue
		case m[5] == "~" && name != "Reset":
			out, exact = append(out, "exception"), true
			continue
		}
		if innermost == 0 {
			innermost = pc
		}
		if inlined {
			out = append(out, name+" inlined")
			continue
		}
		switch {
		case !exact:
			innermost += 2
		case innermost&1 != 0: // an interrupted PC less 1
			innermost++
		}
		out = append(out, fmt.Sprintf("%s 0x%08x", name, innermost))
		exact, innermost = false, 0
	}
	return out
}
