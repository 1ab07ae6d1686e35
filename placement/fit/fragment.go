package fit

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// symbolName is how the section's name goes into symbols: .ramtext -> ramtext.
func (r *Report) symbolName() string {
	return strings.ReplaceAll(strings.TrimPrefix(r.Section, "."), ".", "_")
}

// WriteFragment writes a piece of a linker script for GNU ld, to be included or
// pasted into SECTIONS before .text. (INSERT would need a script of its own that
// is read before the memory regions are declared.)
func (r *Report) WriteFragment(w io.Writer) error {
	b := bufio.NewWriter(w)
	name := r.symbolName()
	fmt.Fprintf(b, `/* %d bytes of %d: functions to run from RAM, by mprof report --fit.
 *
 * Put   INCLUDE this.ld   into SECTIONS of the linker script, before .text (the first that names an input
 * section gets it), or paste this there. Each function needs an input section of its own: -ffunction-sections.
 *
 * The code lies in %s (its load address, LMA) and runs in %s (VMA). Copy it at startup, as .data is,
 * before any of it is called:
 *
 *   extern uint32_t _si%s[], _s%s[], _e%s[];
 *   for (uint32_t i = 0; i < (uint32_t)(_e%s - _s%s); i++)
 *       ((volatile uint32_t *)_s%s)[i] = ((volatile uint32_t *)_si%s)[i];
 *   (volatile: else GCC may make it a call of memcpy, which may be among what it copies)
 *   Cortex-M: __DSB(); __ISB();  with a data cache, clean it first.   RISC-V: __asm volatile(".word 0x100f"); (FENCE.I)
 *
 * Calls between flash and RAM that BL does not reach go over veneers that the linker makes (Arm), or take
 * AUIPC and JALR (RISC-V): nothing to do, and no -mlong-calls. A no-execute MPU region must not cover it. */
%s : ALIGN(8)
{
	_s%s = .;
	*(%s %s.*)
`, r.Size, r.Budget, r.Regions[1], r.Regions[0], name, name, name, name, name, name, name, r.Section, name, r.Section, r.Section)
	for _, i := range r.Moved {
		u := &r.Units[i]
		for _, p := range u.Patterns {
			fmt.Fprintf(b, "\t%s /* %s: %s, %d bytes */\n", p, comment(u.Name), r.amount(u.Samples), u.Size)
		}
	}
	fmt.Fprintf(b, `	. = ALIGN(8);
} > %s AT > %s
_si%s = LOADADDR(%s);
_e%s = ADDR(%s) + SIZEOF(%s); /* behind the veneers */
`, r.Regions[0], r.Regions[1], name, r.Section, name, r.Section, r.Section)
	return b.Flush()
}

// comment keeps a name from ending the comment that it stands in.
func comment(s string) string { return strings.ReplaceAll(s, "*/", "* /") }

// WriteAttributes writes the same for the compiler: declarations of C to put
// behind the prototypes and before the definitions. A function that has no
// source or is none of C is only named.
func (r *Report) WriteAttributes(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "/* Functions to run from RAM, by mprof report --fit: each line before the definition, behind a prototype. */\n")
	for _, i := range r.Moved {
		u := &r.Units[i]
		where := "source not known"
		if u.File != "" {
			where = fmt.Sprintf("%s:%d", u.File, u.Line)
		}
		if u.Linkage != u.Name || u.File == "" || !isC(u.File) {
			fmt.Fprintf(b, "/* %s: %s; put __attribute__((section(\"%s\"))) there */\n", comment(where), comment(u.Name), r.Section)
			continue
		}
		fmt.Fprintf(b, "extern __typeof__(%s) %s __attribute__((section(\"%s\"))); /* %s: %s */\n", u.Linkage, u.Linkage, r.Section, comment(where), r.amount(u.Samples))
	}
	return b.Flush()
}

func isC(file string) bool { return strings.HasSuffix(file, ".c") || strings.HasSuffix(file, ".h") }
