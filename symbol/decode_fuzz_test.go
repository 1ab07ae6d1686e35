package symbol

import "testing"

// FuzzLines decodes line tables of any bytes; what comes out is in order.
func FuzzLines(f *testing.F) {
	im, err := Open("testdata/program5.elf")
	if err != nil {
		f.Fatal(err)
	}
	line, _, _ := im.Section(".debug_line")
	str, _, _ := im.Section(".debug_line_str")
	f.Add(line, str)
	im4, err := Open("testdata/program4.elf")
	if err != nil {
		f.Fatal(err)
	}
	line4, _, _ := im4.Section(".debug_line")
	f.Add(line4, []byte(nil))
	f.Fuzz(func(t *testing.T, line, str []byte) {
		table, err := lineSections{line: line, lineStr: str, str: str}.decodeLines(0, "/dir", "file.c")
		if table == nil {
			if err == nil {
				t.Fatal("neither a table nor an error")
			}
			return
		}
		for _, s := range table.sequences {
			if s.size() == 0 || len(s.rows) == 0 {
				t.Fatalf("sequence %+v", s.Range)
			}
			for i := 1; i < len(s.rows); i++ {
				if s.rows[i].addr < s.rows[i-1].addr {
					t.Fatalf("rows out of order in %+v", s.Range)
				}
			}
			if _, ok := table.at(s.Low, s.Range); !ok {
				t.Fatalf("no row at the start of %+v", s.Range)
			}
		}
		table.file(-1)
		table.file(len(table.files.files))
		for i := range min(len(table.files.files), 100) {
			table.file(i)
		}
	})
}

// FuzzNotes feeds the small decoders.
func FuzzNotes(f *testing.F) {
	im, err := Open("testdata/program5.elf")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range []string{".ARM.attributes", ".note.gnu.build-id", ".debug_info"} {
		data, _, ok := im.Section(name)
		if !ok {
			f.Fatal(name)
		}
		f.Add(data)
	}
	f.Add([]byte(":020000040800F2\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		parseAttributes(data)
		buildIDIn(data)
		units, _ := unitHeaders(data)
		for _, u := range units {
			if u.first >= u.end || int(u.end) > len(data) || u.header >= u.first {
				t.Fatalf("unit %+v of %d bytes", u, len(data))
			}
		}
		identify(data, int64(len(data)))
		demangled(string(data))
	})
}

// Legacy Rust names keep the underscores of their identifiers.
func TestDemangled(t *testing.T) {
	for name, want := range map[string]string{
		"main":            "main",
		"foo.constprop.0": "foo.constprop.0",
		"_ZN6RP204018__cortex_m_rt_main17h39f2ec44e874f1e2E":                                   "RP2040::__cortex_m_rt_main",
		"_ZN4core3ptr85drop_in_place$LT$core..option..Option$LT$T$GT$$GT$17h0123456789abcdefE": "",
		"_ZN3foo1_17h0123456789abcdefE":                                                        "foo::_",
		"_RNvCs1234_7mycrate3foo":                                                              "mycrate::foo",
		"_ZN3dsp6FilterIiLi8EE4feedEi":                                                         "dsp::Filter<int, 8>::feed(int)",
		"_ZN12_GLOBAL__N_14pullEi.constprop.0":                                                 "(anonymous namespace)::pull(int)",
		"__in_ram_veneer":                                                                      "in_ram (veneer)",
		"___ZN3dsp4feedEi_veneer":                                                              "dsp::feed(int) (veneer)",
		"__veneer":                                                                             "__veneer",
		"__Thumbv7ABSLongThunk__ZN3dsp4feedEi":                                                 "dsp::feed(int) (veneer)",
		"_ZN":                                                                                  "_ZN",
		"_ZN99999999999999999999_17h0123456789abcdefE":                                         "_ZN99999999999999999999_17h0123456789abcdefE",
	} {
		if got := demangled(name); got != want && want != "" {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
