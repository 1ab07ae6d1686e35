package fit

import (
	"strings"
	"testing"
)

const aMap = `Archive member included to satisfy reference by file (symbol)

Discarded input sections

 .text.gone     0x00000000       0x10 build/main.o

Memory Configuration

Linker script and memory map

.text           0x08000000      0x200
 *(.text .text.*)
 .text.main     0x08000000       0x24 build/main.o
                0x08000000                main
 .text.a_long_name_that_stands_alone
                0x08000024       0x1c build/uart.c.o
 *fill*         0x08000040        0x4 00
 .text          0x08000044       0x80 /usr/lib/libc.a(memcpy.o)
 .text.init     0x080000c4       0x10 a/drv.o
 .text.init     0x080000d4       0x10 b/drv.o
 .text.empty    0x080000e4        0x0 build/main.o
 .text.one      0x080000f0       0x10 /tmp/ccah8DGS.o
 .text.two      0x08000100       0x10 /tmp/ccQz01xY.ltrans0.ltrans.o
 .text.three    0x08000110       0x10 /tmp/main-9e5fd9.o
 .text.four     0x08000120       0x10 ccdriver.o

.debug_info     0x00000000     0x1000
 .debug_info    0x00000000     0x1000 build/main.o
`

func TestReadMap(t *testing.T) {
	m, err := ReadMap(strings.NewReader(aMap))
	if err != nil {
		t.Fatal(err)
	}
	for addr, want := range map[uint32]string{
		0x08000000: "*main.o(.text.main)",
		0x08000030: "*uart.c.o(.text.a_long_name_that_stands_alone)",
		0x08000044: "*libc.a:memcpy.o(.text)",
		0x080000c4: "a/drv.o(.text.init)",
		0x080000d8: "b/drv.o(.text.init)",
		0x080000f0: "*cc??????.o(.text.one)",
		0x08000100: "*cc??????.ltrans0.ltrans.o(.text.two)",
		0x08000110: "*main-??????.o(.text.three)",
		0x08000120: "*ccdriver.o(.text.four)",
		0x08000041: "",
		0x080000e4: "",
		0x00000004: "",
	} {
		got := ""
		if s, ok := m.at(addr); ok {
			got = m.pattern(s)
		}
		if got != want {
			t.Errorf("0x%08x: %q, want %q", addr, got, want)
		}
	}
	for _, text := range []string{"", "no map", strings.Repeat("x", maxMapLine+1), "Linker script and memory map\n .text 0x0 0x10\n"} {
		if _, err := ReadMap(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), "fit: map: ") {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

func FuzzReadMap(f *testing.F) {
	f.Add(aMap)
	f.Add("Linker script and memory map\n .text\n  0xffffffff 0xffffffff a(b\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ReadMap(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, s := range m.sections {
			if s.High <= s.Low {
				t.Fatalf("%+v", s)
			}
			if _, ok := m.at(s.Low); ok {
				_ = m.pattern(s)
			}
		}
	})
}
