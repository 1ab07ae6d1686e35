package porttest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The headers are C++ too, and its linker finds the C functions.
func TestHeadersInCPlusPlus(t *testing.T) {
	requireTools(t, gccPackages, "arm-none-eabi-g++", "clang++")
	src, err := filepath.Abs("../src")
	if err != nil {
		t.Fatal(err)
	}
	program := `#include "mprof.h"
#include "mprof_port.h"
#include "../port/irq.h"
#include "../port/uart_irq.h"
static uint32_t memory[1024];
extern "C" void UART_Handler() { mprof_port_irq(); }
int main() {
	struct mprof_config config = mprof_config();
	config.memory = memory;
	config.size = sizeof memory;
	config.name = "C++";
	int failed = mprof_init(&config);
	mprof_start();
	mprof_context_name(0, "main");
	mprof_context(0);
	mprof_poll();
	mprof_reset();
	mprof_stop();
	mprof_sent();
	mprof_received(0);
	return failed + mprof_uart_read();
}
`
	for _, c := range []struct {
		command string
		args    []string
	}{
		{"arm-none-eabi-g++", []string{"-mcpu=cortex-m4", "-mthumb"}},
		{"clang++", []string{"--target=thumbv7em-none-eabi", "-ffreestanding"}},
	} {
		for _, standard := range []string{"-std=c++11", "-std=c++17"} {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "main.cpp"), []byte(program), 0o600); err != nil {
				t.Fatal(err)
			}
			tool(t, dir, c.command, append(c.args, standard, "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-pedantic", "-Werror", "-fno-exceptions", "-I"+src, "-c", "main.cpp", "-o", "main.o")...)
			names := undefined(t, filepath.Join(dir, "main.o"))
			for _, want := range []string{"mprof_init", "mprof_poll", "mprof_context", "mprof_port_irq", "mprof_uart_read", "mprof_received"} {
				if !slices.Contains(names, want) {
					t.Errorf("%s %s: no reference to %s in %v", c.command, standard, want, names)
				}
			}
		}
	}
}
