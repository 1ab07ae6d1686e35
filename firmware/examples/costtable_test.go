package examples_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/mprof/mprof/firmware/examples/examplestest"
)

const document = "../../docs/firmware.md"

// What the module costs, and what one costs that is written as comes to mind first: the tables of
// docs/firmware.md (-update writes them).
func TestCost(t *testing.T) {
	if testing.Short() {
		t.Skip("measures on four boards")
	}
	hold(t, "hooks", hookTable(t))
	hold(t, "share", shareTable(t))
	hold(t, "size", sizeTable(t))
}

func hookTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| core | time from | enter | exit | pair | pair, written plainly |\n|---|---|---|---|---|---|\n")
	for _, on := range []struct{ board, core, timer string }{
		{"microbit", "Cortex-M0", "a port's timer"}, {"mps2-an385", "Cortex-M3", "a port's timer"}, {"netduinoplus2", "Cortex-M4", "a port's timer"}} {
		enter, exit := hooksOnQEMU(t, examplestest.Build{Example: "rate", Board: on.board})
		plainEnter, plainExit := hooksOnQEMU(t, examplestest.Build{Example: "rate", Board: on.board, Module: "plain"})
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d |\n", on.core, on.timer, enter, exit, enter+exit, plainEnter+plainExit)
		if enter+exit >= plainEnter+plainExit {
			t.Errorf("%s: %d + %d instructions, plain %d + %d", on.board, enter, exit, plainEnter, plainExit)
		}
	}
	enter, exit := hooksOnTheBoard(t, "")
	plainEnter, plainExit := hooksOnTheBoard(t, "plain")
	fmt.Fprintf(&b, "| Cortex-M4 | DWT | %d | %d | %d | %d |\n", enter.Instructions, exit.Instructions,
		enter.Instructions+exit.Instructions, plainEnter.Instructions+plainExit.Instructions)
	fmt.Fprintf(&b, "| cycles of it | | %d | %d | %d | %d |\n", enter.Cycles, exit.Cycles, enter.Cycles+exit.Cycles, plainEnter.Cycles+plainExit.Cycles)
	return b.String()
}

func shareTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| module | records | hooks | draining | together | bytes in a second |\n|---|---|---|---|---|---|\n")
	sum := map[string]float64{}
	for _, m := range []struct {
		name, module string
		version      byte
	}{{"mprof", "", 2}, {"mprof", "", 1}, {"written plainly", "plain", 1}} {
		s := shareAt5000(t, m.module, m.version)
		fmt.Fprintf(&b, "| %s | version %d | %.2f %% | %.2f %% | %.2f %% | %d |\n", m.name, m.version, s.hooks, s.rest, s.hooks+s.rest, s.bytes)
		sum[fmt.Sprint(m.name, m.version)] = s.hooks + s.rest
	}
	for _, ours := range []string{"mprof1", "mprof2"} {
		if sum[ours] >= 5 || sum[ours] >= sum["written plainly1"] {
			t.Errorf("%.2f %% of the processor; plain %.2f %%", sum[ours], sum["written plainly1"])
		}
	}
	return b.String()
}

func sizeTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| core | flags | module: flash | RAM | port | flash | RAM |\n|---|---|---|---|---|---|---|\n")
	for _, on := range []struct{ board, core, port string }{
		{"microbit", "Cortex-M0", "uart_irq.c"}, {"mps2-an385", "Cortex-M3", "cmsdk.c"}, {"stm32f405", "Cortex-M4", "stm32f4.c"}} {
		for _, opt := range []string{"-O2", "-Os"} {
			module, port := sizes(t, examplestest.Build{Example: "bare", Board: on.board, Opt: opt})
			fmt.Fprintf(&b, "| %s | %s | %d | %d | %s | %d | %d |\n", on.core, opt, module[0]+module[1], module[1]+module[2], on.port, port[0]+port[1], port[1]+port[2])
			if module[1]+module[2] >= 512 {
				t.Errorf("%s: the module takes %d bytes of RAM beside its buffer", on.board, module[1]+module[2])
			}
		}
	}
	return b.String()
}

// hold logs a table, and with -update writes it into the document.
func hold(t *testing.T, name, table string) {
	t.Helper()
	t.Logf("%s:\n%s", name, table)
	if !*update {
		return
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
	head, rest, found := strings.Cut(string(text), begin)
	_, tail, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the table %q", document, name)
	}
	if err := os.WriteFile(document, []byte(head+begin+table+end+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}
