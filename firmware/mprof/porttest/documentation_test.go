package porttest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What the page says for users compiles: UARTs against the port, RTOS hooks against
// declarations that say what the systems' documentation does
// (testdata/declared).
func TestDocumentation(t *testing.T) {
	requireTools(t, gccPackages, "arm-none-eabi-gcc")
	blocks := documented(t)
	declared, err := filepath.Abs("testdata/declared")
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Dir(filepath.Dir(portFile(t, "uart_irq")))
	flags := append(slices.Clone(warnings), "-mcpu=cortex-m4", "-mthumb", "-Os", "-I.", "-I"+declared, "-I"+filepath.Join(root, "src"), "-I"+filepath.Join(root, "port"), "-c")
	compiled := map[string]bool{}
	compile := func(name, before, after string, extra ...string) {
		dir := t.TempDir()
		for _, header := range []string{"FreeRTOSConfig.h", "tx_user.h"} {
			if err := os.WriteFile(filepath.Join(dir, header), []byte(blocks[header]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(before+blocks[name]+after), 0o600); err != nil {
			t.Fatal(err)
		}
		tool(t, dir, "arm-none-eabi-gcc", append(append(slices.Clone(flags), extra...), name)...)
		compiled[name] = true
	}
	for _, name := range []string{"nrf51.c", "pl011.c", "lpc.c", "sam.c", "numbers.c"} {
		compile(name, "", "")
	}
	compile("threadx.c", "", "", "-DTX_ENABLE_EXECUTION_CHANGE_NOTIFY")
	compile("zephyr.c", "", "", "-DCONFIG_TRACING_USER=1", "-DCONFIG_THREAD_NAME=1")
	compile("place.c", "#include <stdint.h>\n", "uint32_t *place(void);\nuint32_t *place(void) { return memory; }\n")
	// Where tasks.c has the macros.
	compile("tasks.c", `#include "FreeRTOS.h"
#include "task.h"
void create(TCB_t *pxNewTCB);
void create(TCB_t *pxNewTCB) { traceTASK_CREATE( pxNewTCB ); }
void choose(void);
void choose(void) { traceTASK_SWITCHED_IN(); }
`, "")
	compiled["FreeRTOSConfig.h"], compiled["tx_user.h"] = true, true
	for name := range blocks {
		if !compiled[name] {
			t.Errorf("%s of %s was not compiled", name, page)
		}
	}
	for name := range compiled {
		if _, ok := blocks[name]; !ok && name != "tasks.c" {
			t.Errorf("%s has no block %s", page, name)
		}
	}
}

// Every macro of a port is on the page, and every macro on the page is one of a
// port or of the module.
func TestSettingsAreDocumented(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	inside := []string{"MPROF_BARE", "MPROF_REGISTERS_ELSEWHERE"}
	known := macros(t, "../port/*.[ch]")
	for name := range known {
		if !strings.HasSuffix(name, "_H") && !slices.Contains(inside, name) && !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("%s has nothing on %s", page, name)
		}
	}
	module := macros(t, "../src/*.[ch]")
	for _, name := range macro.FindAllString(string(text), -1) {
		if !known[name] && !module[name] {
			t.Errorf("%s: nothing knows %s", page, name)
		}
	}
}

var macro = regexp.MustCompile(`\bMPROF_[A-Z0-9_]+\b`)

// macros are the names of macros in some files.
func macros(t *testing.T, pattern string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	names := map[string]bool{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range macro.FindAllString(string(text), -1) {
			names[name] = true
		}
	}
	return names
}
