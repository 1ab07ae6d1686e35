package diff

import (
	"testing"

	"github.com/mprof/mprof/profile"
)

// sampled is a profile without anything.
var sampled = &profile.Profile{}

func withFunctions(build byte, functions ...profile.Function) *profile.Profile {
	return &profile.Profile{Functions: functions, Mapping: profile.Mapping{BuildID: []byte{build}}}
}

// A function is found again after another link, whatever it was renamed to on the way.
func TestMatch(t *testing.T) {
	f := func(name, linkage, file string, line int) profile.Function {
		return profile.Function{Name: name, Linkage: linkage, File: file, Line: line}
	}
	label := func(name string) profile.Function { return profile.Function{Name: name, Label: true} }
	for _, c := range []struct {
		what     string
		old, new profile.Function
		same     bool
	}{
		{"another line", f("main", "main", "/a/main.c", 3), f("main", "main", "/a/main.c", 9), true},
		{"another folder of the build", f("main", "main", "/home/ci/1/fw/main.c", 3), f("main", "main", "/home/ci/2/fw/main.c", 3), true},
		{"moved to another file", f("main", "main", "/a/main.c", 3), f("main", "main", "/a/app.c", 30), true},
		{"a clone", f("crc", "crc.constprop.0", "/a/crc.c", 3), f("crc", "crc", "/a/crc.c", 3), true},
		{"a clone without debug information", f("crc.isra.0.cold", "crc.isra.0.cold", "", 0), f("crc", "crc", "", 0), true},
		{"made static by LTO", f("crc.lto_priv.7", "crc.lto_priv.7", "", 0), f("crc", "crc", "", 0), true},
		{"the hash of rustc", f("app::run", "_ZN3app3run17h0123456789abcdefE", "/a/main.rs", 3), f("app::run", "_ZN3app3run17hfedcba9876543210E", "/a/main.rs", 3), true},
		{"only one is told apart by its file", f("init (uart.c)", "init", "/a/uart.c", 3), f("init", "init", "/a/uart.c", 3), true},
		{"told apart by its line", f("init (uart.c:3)", "init", "/a/uart.c", 3), f("init", "init", "/a/uart.c", 5), true},
		{"Windows", f("init", "init", `C:\fw\uart.c`, 3), f("init", "init", "/fw/uart.c", 3), true},
		{"another parameter", f("put(int)", "_Z3puti", "/a/p.cc", 3), f("put(long)", "_Z3putl", "/a/p.cc", 3), false},
		{"another name", f("red", "red", "/a/p.c", 3), f("blue", "blue", "/a/p.c", 3), false},
		{"an exception", label("<exception: SysTick>"), label("<exception: SysTick>"), true},
		{"an address of another build", label("0x08000100"), label("0x08000100"), false},
		{"a label and a function", label("main"), f("main", "main", "/a/main.c", 3), false},
		{"a guess is none that is known", f("main [guessed]", "main", "/a/main.c", 3), f("main [guessed]", "main", "/a/main.c", 4), true},
		{"an alias of a handler", f("Default_Handler (TIM2_IRQHandler)", "Default_Handler", "/a/s.c", 3), f("Default_Handler (TIM2_IRQHandler)", "Default_Handler", "/a/s.c", 3), true},
	} {
		want := profile.FunctionIndex(profile.None)
		if c.same {
			want = 0
		}
		if got := match(withFunctions(1, c.old), withFunctions(2, c.new)); got[0] != want {
			t.Errorf("%s: %v, want %d", c.what, got, want)
		}
	}
	if got := match(withFunctions(1, label("0x08000100")), withFunctions(1, label("0x08000100"))); got[0] != 0 {
		t.Error("an address of the same build is not found")
	}
}

// Static functions of one name are told apart by their files; the one that moves is the one
// that is left; those that cannot be told apart stay alone.
func TestMatchSameNames(t *testing.T) {
	f := func(file string, line int) profile.Function {
		return profile.Function{Name: "init (" + file + ")", Linkage: "init", File: "/fw/" + file, Line: line}
	}
	plain := profile.Function{Name: "init", Linkage: "init", File: "/fw/can.c", Line: 1}
	for _, c := range []struct {
		what     string
		old, new []profile.Function
		want     []profile.FunctionIndex
	}{
		{"the same files", []profile.Function{f("uart.c", 1), f("spi.c", 1)}, []profile.Function{f("spi.c", 5), f("uart.c", 7)}, []profile.FunctionIndex{1, 0}},
		{"one is gone", []profile.Function{f("uart.c", 1), f("can.c", 1)}, []profile.Function{plain}, []profile.FunctionIndex{-1, 0}},
		{"one has moved", []profile.Function{f("uart.c", 1), f("spi.c", 1)}, []profile.Function{f("uart.c", 1), f("i2c.c", 1)}, []profile.FunctionIndex{0, 1}},
		{"in doubt", []profile.Function{f("uart.c", 1), f("spi.c", 1)}, []profile.Function{f("can.c", 1), f("i2c.c", 1)}, []profile.FunctionIndex{-1, -1}},
		{"two of one file, by their lines", []profile.Function{f("uart.c", 9), f("uart.c", 2)}, []profile.Function{f("uart.c", 3), f("uart.c", 12)}, []profile.FunctionIndex{1, 0}},
	} {
		got := match(withFunctions(1, c.old...), withFunctions(2, c.new...))
		for i := range c.want {
			if got[i] != c.want[i] {
				t.Errorf("%s: %v, want %v", c.what, got, c.want)
				break
			}
		}
	}
}
