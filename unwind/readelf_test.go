package unwind

import (
	"bufio"
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mprof/mprof/firmware/corpus"
)

// readelfRow is a line of `readelf --debug-dump=frames-interp`.
type readelfRow struct {
	loc   uint32
	cfa   string
	rules map[string]string
}

type readelfFDE struct {
	offset, low, high uint32
	rows              []readelfRow
}

var (
	fdeLine = regexp.MustCompile(`^([0-9a-f]+) [0-9a-f]+ [0-9a-f]+ FDE cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+)`)
	cieLine = regexp.MustCompile(`^([0-9a-f]+) [0-9a-f]+ [0-9a-f]+ CIE `)
)

// readelfFrames parses the output: a head for each FDE, a line of column
// names, then rows. An FDE without instructions has no row of its own there:
// it gets that of its CIE.
func readelfFrames(t *testing.T, path string) map[string][]readelfFDE {
	t.Helper()
	out, err := exec.Command(tool(t, "arm-none-eabi-readelf"), "--debug-dump=frames-interp", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]readelfFDE{}
	section, columns, current := "", []string(nil), (*readelfFDE)(nil)
	initial, cie, inCIE := map[string]readelfRow{}, "", false
	flush := func() {
		if current != nil {
			if len(current.rows) == 0 {
				r := initial[section+cie]
				r.loc = current.low
				current.rows = append(current.rows, r)
			}
			all[section] = append(all[section], *current)
		}
		current, inCIE = nil, false
	}
	scan := bufio.NewScanner(bytes.NewReader(out))
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		line := scan.Text()
		fields := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "Contents of the "):
			flush()
			section = fields[3]
		case fdeLine.MatchString(line):
			flush()
			m := fdeLine.FindStringSubmatch(line)
			current, cie = &readelfFDE{offset: hexWord(m[1]), low: hexWord(m[3]), high: hexWord(m[4])}, m[2]
			columns = nil
		case cieLine.MatchString(line):
			flush()
			cie, inCIE = cieLine.FindStringSubmatch(line)[1], true
		case len(fields) > 1 && fields[0] == "LOC":
			columns = fields[2:]
		case len(fields) > 1 && inCIE:
			initial[section+cie] = readelfRow{cfa: fields[1], rules: map[string]string{}}
		case len(fields) > 1 && current != nil && columns != nil:
			r := readelfRow{loc: hexWord(fields[0]), cfa: fields[1], rules: map[string]string{}}
			for i, name := range columns {
				r.rules[name] = fields[2+i]
			}
			current.rows = append(current.rows, r)
		}
	}
	flush()
	return all
}

func hexWord(s string) uint32 {
	v, err := strconv.ParseUint(s, 16, 32)
	if err != nil {
		panic(err)
	}
	return uint32(v)
}

// asReadelf writes a row as readelf does.
func asReadelf(r row, f *fde, columns map[string]string) readelfRow {
	out := readelfRow{loc: r.loc, cfa: "exp", rules: map[string]string{}}
	if r.cfa.how == fromRegister {
		out.cfa = fmt.Sprintf("r%d%+d", r.cfa.reg, r.cfa.n)
	}
	for name := range columns {
		var column uint64
		if name == "ra" {
			column = uint64(f.cie.ra)
		} else {
			column, _ = strconv.ParseUint(name[1:], 10, 32)
		}
		x := r.rule(uint32(column))
		text := save{how: x.how, n: x.n}.text()
		if x.how == unspecified {
			text = "u"
		}
		out.rules[name] = text
	}
	return out
}

// compareReadelf checks every row of every FDE of an ELF file and returns how
// many there were.
func compareReadelf(t *testing.T, path string) (rows int) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := readelfFrames(t, path)
	for _, name := range []string{".debug_frame", ".eh_frame"} {
		s := f.Section(name)
		if s == nil || s.Type == elf.SHT_NOBITS {
			continue
		}
		data, err := s.Data()
		if err != nil {
			t.Fatal(err)
		}
		sec := section{name: name, data: data, addr: uint32(s.Addr), eh: name == ".eh_frame"}
		rows += compareSection(t, sec, want[name])
	}
	return rows
}

func compareSection(t *testing.T, sec section, want []readelfFDE) (rows int) {
	t.Helper()
	i := 0
	err := sec.each(func(f fde) {
		if i >= len(want) {
			t.Fatalf("%s: more FDEs than readelf's %d", sec.name, len(want))
		}
		w := want[i]
		i++
		if uint32(f.offset) != w.offset || f.low != w.low || f.high != w.high {
			t.Fatalf("%s+0x%x: [0x%08x, 0x%08x), readelf says +0x%x [0x%08x, 0x%08x)", sec.name, f.offset, f.low, f.high, w.offset, w.low, w.high)
		}
		n := 0
		err := sec.rows(&f, func(r row, _ uint32) bool {
			if n >= len(w.rows) {
				t.Fatalf("%s+0x%x: more rows than readelf's %d", sec.name, f.offset, len(w.rows))
			}
			got := asReadelf(r, &f, w.rows[n].rules)
			if fmt.Sprint(got) != fmt.Sprint(w.rows[n]) {
				t.Fatalf("%s+0x%x row %d: %v, readelf says %v", sec.name, f.offset, n, got, w.rows[n])
			}
			n++
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		if n != len(w.rows) {
			t.Fatalf("%s+0x%x: %d rows, readelf has %d", sec.name, f.offset, n, len(w.rows))
		}
		rows += n
	})
	if err != nil {
		t.Fatal(err)
	}
	if i != len(want) {
		t.Fatalf("%s: %d FDEs, readelf has %d", sec.name, i, len(want))
	}
	return rows
}

func TestRowsEqualReadelf(t *testing.T) {
	for _, path := range captures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			if n := compareReadelf(t, path); n < 100 {
				t.Fatalf("only %d rows", n)
			} else {
				t.Logf("%d rows equal", n)
			}
		})
	}
}

func TestRowsEqualReadelfDemo(t *testing.T) {
	const path = "../firmware/demo/demo.elf"
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not built", path)
	}
	t.Logf("%d rows equal", compareReadelf(t, path))
}

// Programs of two compilers, and the libraries that they are linked with.
func TestRowsEqualReadelfCorpus(t *testing.T) {
	programs := corpus.All()
	if testing.Short() {
		programs = corpus.Some(true)
	}
	for _, p := range programs {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			if n := compareReadelf(t, p.ELF(t)); n < 20 {
				t.Fatalf("only %d rows", n)
			} else {
				t.Logf("%d rows equal", n)
			}
		})
	}
}

func TestRowsEqualReadelfCompiled(t *testing.T) {
	for _, flags := range []string{
		"-mcpu=cortex-m0plus -O0", "-mcpu=cortex-m3 -Os", "-mcpu=cortex-m4 -O2 -mfpu=fpv4-sp-d16 -mfloat-abi=hard",
		"-mcpu=cortex-m4 -O3 -fasynchronous-unwind-tables -funwind-tables",
		"-mcpu=cortex-m4 -O2 -fno-dwarf2-cfi-asm", "-mcpu=cortex-m4 -O1 -gdwarf-3 -fno-omit-frame-pointer",
	} {
		t.Run(flags, func(t *testing.T) {
			elf := compile(t, flags+" --specs=nosys.specs", "testdata/rows.c")
			if n := compareReadelf(t, elf); n < 20 {
				t.Fatalf("only %d rows", n)
			} else {
				t.Logf("%d rows equal", n)
			}
		})
	}
}
