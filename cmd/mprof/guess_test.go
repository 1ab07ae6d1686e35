package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// lostFirmware is a program that spends its time in a function which no method
// can follow: it has no tables, and jumps to where words in memory say, into
// its loop and out of it.
func lostFirmware(t *testing.T) string {
	t.Helper()
	gcc, err := exec.LookPath("arm-none-eabi-gcc")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("arm-none-eabi-gcc is not installed")
		}
		t.Skip("arm-none-eabi-gcc is not installed")
	}
	dir := t.TempDir()
	files := map[string]string{
		"main.c": `
int lost(int);
int outer(int n) { volatile int keep[4] = {n}; return lost(n) + keep[n & 3]; }
int main(void) { volatile int sum = 0; for (;;) sum += outer(sum); }
void reset(void) { main(); for (;;) ; }
extern char top[];
__attribute__((section(".vectors"), used)) void *const vectors[16] = {top, reset, reset, reset};`,
		"lost.s": `
	.syntax unified
	.thumb
	.global lost
	.type lost, %function
lost:	push {r4, r5, r6, lr}
	sub sp, #8
	ldr r2, =0x20000000
	adr r3, leave
	adds r3, #1
	str r3, [r2, #4]
	adr r3, inside
	adds r3, #1
	str r3, [r2]
	ldr r3, [r2]
	bx r3
	.ltorg
	.balign 4
inside:	movs r4, #200
1:	subs r4, #1
	bne 1b
	ldr r2, =0x20000000
	ldr r3, [r2, #4]
	bx r3
	.balign 4
leave:	add sp, #8
	pop {r4, r5, r6, pc}
	.ltorg
	.size lost, . - lost`,
		"link.ld": `
MEMORY { FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 64K RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 16K }
ENTRY(reset)
SECTIONS { .text : { KEEP(*(.vectors)) *(.text* .rodata*) } > FLASH .bss : { *(.bss*) } > RAM top = ORIGIN(RAM) + LENGTH(RAM); }`,
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "lost.elf")
	cmd := exec.Command(gcc, "-mcpu=cortex-m4", "-mthumb", "-O1", "-g", "-fno-inline", "-ffreestanding", "-nostdlib", "-T", "link.ld", "-Wl,--no-warn-rwx-segments", "main.c", "lost.s", "-o", out)
	cmd.Dir = dir
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	return out
}

// What nobody can know is looked for on the stack, which the sampler copies for
// that, and marked in every format; with --no-guess it is cut.
func TestGuesses(t *testing.T) {
	elf, dir := lostFirmware(t), t.TempDir()
	folded, recording := filepath.Join(dir, "x.folded"), filepath.Join(dir, "run.mprof")
	run := func(args ...string) (callersOf, string) {
		t.Helper()
		s := mprof(t.Context(), nil, append(args, "--json", "-o", folded)...).callers(t)
		text, err := os.ReadFile(folded)
		if err != nil {
			t.Fatal(err)
		}
		return s, string(text)
	}
	const whole = "<guessed: no unwind information>;reset [guessed];main [guessed];outer [guessed];lost "
	got, text := run("sample", "--probe", "sim", "--duration", "2", "--seed", "1", "--record", recording, elf)
	if n := got.Stacks.Guessed.Stacks; n < 150 || got.Stacks.Cut["no unwind information"] < n || !strings.Contains(text, whole) {
		t.Errorf("%+v\n%s", got.Stacks, text)
	}
	got, text = run("convert", recording, "--no-guess")
	if got.Stacks.Guessed.Stacks > 0 || strings.Contains(text, "guessed") || !strings.Contains(text, "<cut: no unwind information>;lost ") {
		t.Errorf("--no-guess: %+v\n%s", got.Stacks, text)
	}
	got, text = run("sample", "--probe", "sim", "--duration", "1", "--seed", "1", "--method", "dwarf", elf)
	if got.Stacks.Guessed.Stacks > 0 || strings.Contains(text, "guessed") {
		t.Errorf("--method dwarf: %+v\n%s", got.Stacks, text)
	}
}
