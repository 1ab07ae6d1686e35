package symbol

import "testing"

func TestRustName(t *testing.T) {
	for _, c := range []struct{ linkage, plain, want string }{
		{"_ZN4core3ptr14write_volatile17h7c2f4f666ab2b46bE", "write_volatile<u32>", "core::ptr::write_volatile<u32>"},
		{"_RINvNtCs7ldSeZOOJos_4core3ptr13read_volatilemECs7ADEmsHet7C_8cortex_m", "read_volatile<u32>", "core::ptr::read_volatile<u32>"},
		{"_ZN53_$LT$rich..Guard$u20$as$u20$core..ops..drop..Drop$GT$4drop17h7f1b4865b9189391E", "drop", "<rich::Guard as core::ops::drop::Drop>::drop"},
		{"_ZN44_$LT$$RF$T$u20$as$u20$core..fmt..Display$GT$3fmt17hb95ffee7edd76cdfE", "fmt<str>", "<&T as core::fmt::Display>::fmt<str>"},
		{"_ZN4rich5outer28_$u7b$$u7b$closure$u7d$$u7d$17hd325af150f456bd4E", "{async_fn#0}", "rich::outer::{async_fn#0}"},
		{"_ZN4core3ptr32drop_in_place$LT$rich..Guard$GT$17h744ca6ef2b0324dfE", "drop_in_place<rich::Guard>", "core::ptr::drop_in_place<rich::Guard>"},
		{"_RNCNvMs1_NtNtCseold96UKqg_4core3fmt8buildersNtB7_11DebugStruct5field0Bb_", "{closure#0}", "<core::fmt::builders::DebugStruct>::field::{closure#0}"},
		{"_RNvMsa_NtCseold96UKqg_4core3fmtNtB5_9Formatter9write_str", "", "<core::fmt::Formatter>::write_str"},
	} {
		if got := rustName(demangled(c.linkage), c.plain); got != c.want {
			t.Errorf("%s, %s: %s, want %s", c.linkage, c.plain, got, c.want)
		}
	}
	for path, want := range map[string]string{
		"a::b::<fn(&u8) -> c::D>": "<fn(&u8) -> c::D>", "main": "main", "": "", "<a::B>::c": "c", "::": "", "x>::y": "y", "->": "->", ":": ":",
		"a::{closure#0}": "{closure#0}", "a::<impl b::C for d::E>::f": "f",
	} {
		if got := path[lastPart(path):]; got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
	if got := rustName("<x>", "y"); got != "y" {
		t.Errorf("%q", got)
	}
}
