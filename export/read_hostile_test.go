package export_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
)

// firefoxWith is a small file in the processed format, with parts replaced.
func firefoxWith(replace ...string) string {
	return strings.NewReplacer(replace...).Replace(`{"meta":{"version":36,"preprocessedProfileVersion":64,"interval":1,"product":"x","categories":[{"name":"Idle","subcategories":["Other"]}]},
"libs":[],"threads":[{"name":"t","samples":{"stack":[0,1,null],"time":[1,2.5,3],"weight":null,"weightType":"samples"}}],
"shared":{"stringArray":["main","work"],"stackTable":{"frame":[0,1],"prefix":[null,0]},"frameTable":{"address":[-1,-1],"category":[0,0],"func":[0,1],"line":[null,3]},
"funcTable":{"name":[0,1],"lineNumber":[1,null]}}}`)
}

// hostileFirefox are files that cannot be right; hostileWords is what is said of them.
var hostileFirefox = []string{
	firefoxWith(`"prefix":[null,0]`, `"prefix":[1,0]`),
	firefoxWith(`"prefix":[null,0]`, `"prefix":[null,1]`),
	firefoxWith(`"prefix":[null,0]`, `"prefix":[null,-7]`),
	firefoxWith(`"frame":[0,1]`, `"frame":[0,9]`),
	firefoxWith(`"func":[0,1]`, `"func":[0,-1]`),
	firefoxWith(`"func":[0,1]`, `"func":[0,null]`),
	firefoxWith(`"name":[0,1],"lineNumber"`, `"name":[0,2],"lineNumber"`),
	firefoxWith(`"stack":[0,1,null]`, `"stack":[0,5,null]`),
	firefoxWith(`"stack":[0,1,null]`, `"stack":[0,1]`),
	firefoxWith(`"time":[1,2.5,3]`, `"time":[1,null,3]`),
	firefoxWith(`"time":[1,2.5,3]`, `"time":[1,1e300,3]`),
	firefoxWith(`"time":[1,2.5,3]`, `"time":"soon"`),
	firefoxWith(`"time":[1,2.5,3]`, `"time":[1,"2",3]`),
	firefoxWith(`"weight":null`, `"weight":[1,-2,0]`),
	firefoxWith(`"weight":null`, `"weight":[1,0.5,0]`),
	firefoxWith(`"weight":null`, `"weight":[9007199254740993,1e19,0]`),
	firefoxWith(`"weight":null`, `"weight":[1]`),
	firefoxWith(`"weightType":"samples"`, `"weightType":"bytes"`),
	firefoxWith(`"stringArray":["main","work"]`, `"stringArray":{"a":1}`),
	firefoxWith(`"stringArray":["main","work"]`, `"stringArray":["main"]`),
	firefoxWith(`"threads":[`, `"threads":[3,`),
	firefoxWith(`"shared":{`, `"mprof":{"Version":99},"shared":{`),
	firefoxWith(`"shared":{`, `"mprof":"yes","shared":{`),
	firefoxWith(`"preprocessedProfileVersion":64,`, ``),
	firefoxWith(`"shared":{`, `"mprof":{"Version":1,"Samples":2,"Threads":[{"Weights":[-5,1]}]},"shared":{`),
	firefoxWith(`"shared":{`, `"mprof":{"Version":1,"Samples":2,"Duration":-1},"shared":{`),
	firefoxWith(`"shared":{`, `"mprof":{"Version":1,"Samples":3,"Trace":{}},"shared":{`),
	firefoxWith(`"shared":{`, `"mprof":{"Version":1,"Samples":2,"Trace":{"Functions":[{"Name":"work","Calls":77}]}},"shared":{`),
	`{"meta":`, `{}`, `{"meta":{"version":27},"threads":[]}`, `{"meta":{"preprocessedProfileVersion":64}}`, `{"meta":[]}`,
}

var hostileWords = []string{
	"stack 0: its caller, stack 1", "stack 1: its caller, stack 1", "stack -7", "frame 9 of 2", "function -1 of 2", "function null of 2", "string 2 of 2",
	"stack 5 of 2", "2 samples and 3 times", "NaN ms", "1e+300 ms", "column of numbers", "\"\\\"2\\\"\"", "weight of -2", "weight of 0.5", "weight of", "3 samples and 1 weights",
	"bytes", "damaged JSON", "string 1 of 1", "damaged JSON", "newer mprof", "damaged", "raw profile of Gecko", "-5 ns", "-1ns", "2 of the 3 calls", "work", "damaged JSON",
	"no profile of the Firefox Profiler", "raw profile of Gecko", "no thread", "damaged JSON",
}

// Each costs one sentence.
func TestReadHostileFirefox(t *testing.T) {
	if _, err := export.Read(strings.NewReader(firefoxWith()), export.Input{}); err != nil {
		t.Fatal(err)
	}
	for i, text := range hostileFirefox {
		p, err := export.Read(strings.NewReader(text), export.Input{})
		if err == nil {
			t.Errorf("%d: no error, %d samples: %s", i, p.Samples(), text)
			continue
		}
		if !strings.Contains(err.Error(), hostileWords[i]) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%d: %q, want %q", i, err, hostileWords[i])
		}
	}
}

// A chain of samples each below the other is refused before anybody walks all of it.
func TestReadDeepStacks(t *testing.T) {
	const depth = 20_000
	var frames, prefixes, samples, times strings.Builder
	for i := range depth {
		sep := ","
		if i == 0 {
			sep = ""
		}
		fmt.Fprint(&frames, sep, 0)
		prefix := fmt.Sprint(i - 1)
		if i == 0 {
			prefix = "null"
		}
		fmt.Fprint(&prefixes, sep, prefix)
		fmt.Fprint(&samples, sep, i)
		fmt.Fprint(&times, sep, i)
	}
	text := firefoxWith(`"frame":[0,1],"prefix":[null,0]`, `"frame":[`+frames.String()+`],"prefix":[`+prefixes.String()+`]`,
		`"stack":[0,1,null],"time":[1,2.5,3]`, `"stack":[`+samples.String()+`],"time":[`+times.String()+`]`)
	if _, err := export.Read(strings.NewReader(text), export.Input{}); err == nil || !strings.Contains(err.Error(), "more than 4096 frames") {
		t.Errorf("error %v", err)
	}
	if _, err := export.Read(strings.NewReader(strings.Repeat("a;", 5000)+"b 1\n"), export.Input{}); err == nil || !strings.Contains(err.Error(), "5001 frames") {
		t.Errorf("error %v", err)
	}
}

// endless is a stream that decompresses to more than anybody reads.
type endless struct{ left int64 }

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), e.left))
	for i := range p[:n] {
		p[i] = ' '
	}
	e.left -= int64(n)
	return n, nil
}

// A small file that decompresses to very much is refused, and takes a bounded amount of
// memory.
func TestReadBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("decompresses 600 MB")
	}
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	if _, err := io.Copy(z, &endless{600 << 20}); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := export.Read(&bomb, export.Input{})
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "larger than 512 MiB") {
		t.Errorf("error %v", err)
	}
	if took := (after.Sys - before.Sys) >> 20; took > 2<<10 {
		t.Errorf("%d MiB of memory", took)
	}
}

// Whatever is cut off a file, it is an error or, of folded stacks, fewer lines.
func TestReadCut(t *testing.T) {
	p := randomProfile(2)
	for _, ext := range []string{".json", ".json.gz", ".pb.gz"} {
		f, _ := export.ByPath("x" + ext)
		var out bytes.Buffer
		if err := f.Write(&out, p); err != nil {
			t.Fatal(err)
		}
		whole := out.Bytes()
		for _, n := range []int{1, 2, 3, 10, len(whole) / 4, len(whole) / 2, len(whole) - 5} {
			if _, err := export.Read(bytes.NewReader(whole[:n]), export.Input{}); err == nil {
				t.Errorf("%s: no error for %d of %d bytes", ext, n, len(whole))
			}
		}
	}
}

// token is a value in JSON that is no text.
var token = regexp.MustCompile(`-?\b\d+(\.\d+)?(e[+-]?\d+)?\b|null|true|false`)

// Whatever single value of a file is another one, the file is read or refused in a
// sentence, and what was read holds together.
func TestReadDamagedFirefox(t *testing.T) {
	values := []string{"-1", "0", "1", "7", "4294967296", "9223372036854775807", "-9223372036854775808", "1e308", "-0.5", "null", `"x"`, "[]", "{}", "true"}
	r := rand.New(rand.NewPCG(5, 6))
	for _, p := range []*profile.Profile{randomProfile(1), randomProfile(3), lossy(t)} {
		var out bytes.Buffer
		if err := export.WriteFirefox(&out, p); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		tokens := token.FindAllStringIndex(text, -1)
		refused := 0
		for range 200 {
			at := tokens[r.IntN(len(tokens))]
			damaged := text[:at[0]] + values[r.IntN(len(values))] + text[at[1]:]
			back, err := export.Read(strings.NewReader(damaged), export.Input{})
			if err != nil {
				refused++
				if strings.Contains(err.Error(), "\n") {
					t.Errorf("%q", err)
				}
				continue
			}
			for _, ext := range []string{".json", ".pb.gz"} {
				f, _ := export.ByPath("x" + ext)
				if err := f.Write(io.Discard, back); err != nil {
					t.Fatalf("%v, after %q in %s", err, text[max(0, at[0]-40):at[1]], damaged[at[0]:at[0]+25])
				}
			}
			if err := export.Summary(io.Discard, back, export.SummaryOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := export.SummaryJSON(io.Discard, back); err != nil {
				t.Fatalf("%v, after %q in %s", err, text[max(0, at[0]-40):at[1]], damaged[at[0]:at[0]+25])
			}
		}
		if refused < 20 {
			t.Errorf("%d of 200 refused", refused)
		}
	}
}

// Text that names another function in each frame makes a profile many times as large as itself: it is refused while it is read.
func TestReadManyFunctions(t *testing.T) {
	for name, text := range map[string]func(i int) string{
		"p.folded": func(i int) string { return fmt.Sprintf("f%x 1\n", i) },
		"p.perf":   func(i int) string { return fmt.Sprintf("a 1/1 [000] 0.000001: 1 cpu-clock: \n\t 1 f%x (a)\n\n", i) },
	} {
		var b strings.Builder
		for i := range 1<<20 + 1 {
			b.WriteString(text(i))
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := export.ReadFile(path, export.Input{}); err == nil || !strings.Contains(err.Error(), "different functions") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
