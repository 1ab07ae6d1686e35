package unwind

import (
	"bufio"
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mprof/mprof/firmware/corpus"
)

// readelfEntry is an entry of .ARM.exidx as `readelf -u` prints it: its address,
// "[cantunwind]" or its instructions, each with single spaces.
type readelfEntry struct {
	low uint32
	ops []string
}

var entryLine = regexp.MustCompile(`^0x([0-9a-f]+)( <.*>)?: (.*)$`)

func readelfEntries(t testing.TB, path string) (all []readelfEntry) {
	t.Helper()
	out, err := exec.Command(tool(t, "arm-none-eabi-readelf"), "-u", path).Output()
	if len(out) == 0 { // it exits with 1 where an instruction has no meaning
		t.Fatal(err)
	}
	scan := bufio.NewScanner(bytes.NewReader(out))
	for scan.Scan() {
		line := scan.Text()
		if m := entryLine.FindStringSubmatch(line); m != nil {
			e := readelfEntry{low: hexWord(m[1]) &^ 1}
			if strings.HasSuffix(m[3], "[cantunwind]") {
				e.ops = []string{"[cantunwind]"}
			}
			all = append(all, e)
		} else if strings.HasPrefix(line, "  0x") {
			e := &all[len(all)-1]
			e.ops = append(e.ops, strings.Join(strings.Fields(line), " "))
		}
	}
	return all
}

// asReadelf writes an instruction as readelf does.
func (op ehOp) asReadelf(p []byte) string {
	var b strings.Builder
	for _, v := range p[:op.size] {
		fmt.Fprintf(&b, "0x%02x ", v)
	}
	switch op.kind {
	case ehAdd:
		sign, n := '+', op.n
		if int32(n) < 0 {
			sign, n = '-', -n
		}
		fmt.Fprintf(&b, "vsp = vsp %c %d", sign, n)
	case ehPop:
		fmt.Fprintf(&b, "pop {%s}", namesOf("r", op.n))
	case ehSetVSP:
		fmt.Fprintf(&b, "vsp = r%d", op.n)
	case ehFinish:
		b.WriteString("finish")
	case ehRefuse:
		b.WriteString("Refuse to unwind")
	case ehPopAuth:
		b.WriteString("pop {ra_auth_code}")
	case ehUseAuth:
		b.WriteString("vsp as modifier for PAC validation")
	case ehPopVFP:
		fmt.Fprintf(&b, "pop {%s}", op.vfpNames(p))
	case ehSpare:
		b.WriteString("[spare]")
	}
	return b.String()
}

// vfpNames names the registers that the bytes popped can be.
func (op ehOp) vfpNames(p []byte) string {
	name, first, count := "D", uint32(8), op.n/8 // whole words of FSTMFDX are left over
	switch b := p[0]; {
	case b == 0xb3 || b == 0xc9:
		first = uint32(p[1] >> 4)
	case b == 0xc8:
		first = 16 + uint32(p[1]>>4)
	case b == 0xc6:
		name, first = "wR", uint32(p[1]>>4)
	case b == 0xc7:
		return namesOf("wCGR", uint32(p[1])) + strings.Repeat("?", int(op.n-4*ones(uint32(p[1]))))
	case b < 0xc6 && b >= 0xc0:
		name, first = "wR", 10
	}
	if count == 1 {
		return fmt.Sprintf("%s%d", name, first)
	}
	return fmt.Sprintf("%s%d-%s%d", name, first, name, first+count-1)
}

func namesOf(prefix string, mask uint32) string {
	var names []string
	for r := range 16 {
		if mask&(1<<r) != 0 {
			names = append(names, fmt.Sprintf("%s%d", prefix, r))
		}
	}
	return strings.Join(names, ", ")
}

var spareText = regexp.MustCompile(`\[(Spare|Reserved|unsupported opcode)\]`)

// compareExidx checks every instruction of every entry of an ELF file against
// readelf's.
func compareExidx(t *testing.T, path string) (entries, ops int) {
	t.Helper()
	p := loadProgram(t, path)
	u, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	table := &u.exidx.table
	table.read(&u.code, p.Exidx)
	if table.err != nil {
		t.Fatal(table.err)
	}
	want := readelfEntries(t, path)
	if len(want) != len(table.entries) {
		t.Fatalf("%d entries, readelf has %d", len(table.entries), len(want))
	}
	for i, w := range want {
		var got []string
		if e := table.entries[i]; e.low != w.low {
			t.Fatalf("entry %d is for 0x%08x, readelf says 0x%08x", i, e.low, w.low)
		} else if e.word == cantUnwind {
			got = []string{"[cantunwind]"}
		} else {
			code, err := table.ops(&u.code, i)
			if err != nil {
				t.Fatal(err)
			}
			for len(code) > 0 {
				op, ok := nextOp(code)
				if !ok {
					t.Fatalf("entry %d: truncated", i)
				}
				got = append(got, op.asReadelf(code))
				code = code[op.size:]
				ops++
			}
		}
		for j := range w.ops {
			w.ops[j] = spareText.ReplaceAllString(w.ops[j], "[spare]")
		}
		if !slices.Equal(got, w.ops) {
			t.Errorf("entry %d, 0x%08x:\n got %q\nwant %q", i, w.low, got, w.ops)
		}
	}
	return len(want), ops
}

func TestExidxEqualsReadelf(t *testing.T) {
	t.Run("every instruction", func(t *testing.T) {
		n, ops := compareExidx(t, compile(t, "-mcpu=cortex-m4 -nostdlib", "testdata/exidxops.s"))
		if n < 90 || ops < 200 {
			t.Errorf("only %d entries, %d instructions", n, ops)
		}
	})
	for _, flags := range []string{
		"-mcpu=cortex-m0plus -Os", "-mcpu=cortex-m3 -O0", "-mcpu=cortex-m4 -O2 -mfpu=fpv4-sp-d16 -mfloat-abi=hard",
		"-mcpu=cortex-m4 -O2 -ffunction-sections -Wl,--gc-sections -fno-omit-frame-pointer",
	} {
		t.Run(flags, func(t *testing.T) {
			path := compile(t, flags+" -fexceptions --specs=nosys.specs -Wl,--no-warn-rwx-segments -lstdc++ -lsupc++", "testdata/throws.cpp", "-lstdc++", "-Wl,--defsym=getentropy=0")
			n, ops := compareExidx(t, path)
			t.Logf("%d entries, %d instructions equal", n, ops)
			if n < 50 {
				t.Errorf("only %d entries", n)
			}
		})
	}
	t.Run("clang", func(t *testing.T) {
		path := clangProgram(t, "-mcpu=cortex-m4 -O1 -funwind-tables", "--specs=nosys.specs", "testdata/rows.c")
		n, ops := compareExidx(t, path)
		t.Logf("%d entries, %d instructions equal", n, ops)
		if n < 8 {
			t.Errorf("only %d entries", n)
		}
	})
	for _, path := range []string{"../firmware/demo/demo.elf"} {
		t.Run(filepath.Base(path), func(t *testing.T) { compareExidx(t, path) })
	}
}

// clangProgram builds a C source with clang and links it with GCC's libraries.
func clangProgram(t testing.TB, flags, link string, sources ...string) string {
	t.Helper()
	clang := tool(t, "clang")
	include := "/usr/lib/arm-none-eabi" // of newlib, in Debian
	var objects []string
	for _, source := range sources {
		object := filepath.Join(t.TempDir(), filepath.Base(source)+".o")
		args := append(strings.Fields(flags), "--target=arm-none-eabi", "-mthumb", "-g", "-isystem", include+"/include", "-c", source, "-o", object)
		if msg, err := exec.Command(clang, args...).CombinedOutput(); err != nil {
			t.Fatalf("clang %v: %v\n%s", args, err, msg)
		}
		objects = append(objects, object)
	}
	cpu, _, _ := strings.Cut(flags, " ")
	return compile(t, cpu+" "+link, objects...)
}

// Every instruction of the tables of the corpus, with the libraries that its
// programs are linked with.
func TestExidxEqualsReadelfCorpus(t *testing.T) {
	programs := corpus.All()
	if testing.Short() {
		programs = corpus.Some(true)
	}
	entries, ops := 0, 0
	for _, p := range programs {
		path := p.ELF(t)
		if loadProgram(t, path).Exidx.High == 0 {
			continue
		}
		t.Run(p.String(), func(t *testing.T) {
			n, k := compareExidx(t, path)
			entries, ops = entries+n, ops+k
		})
	}
	t.Logf("%d entries, %d instructions equal", entries, ops)
	if entries < 10 {
		t.Errorf("only %d entries", entries)
	}
}
