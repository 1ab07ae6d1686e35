package fit

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestAttributes puts the declarations behind the prototypes of the demo's
// sources: GCC takes them, and the section holds what they name, static functions
// among them.
func TestAttributes(t *testing.T) {
	w := newWorkshop(t)
	image, _ := w.build(t, "")
	before := runBoard(t, image, 5, 4*time.Second, 4000)
	r, err := Analyse(before.profile, before.program, Options{Budget: 2 << 10})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.WriteAttributes(&b); err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^extern __typeof__\((\w+)\).*/\* firmware/demo/(\S+?):(\d+): .*$`).FindAllStringSubmatch(b.String(), -1)
	if len(lines) < 10 || len(lines) != strings.Count(b.String(), "\n")-1 {
		t.Fatalf("%d declarations in\n%s", len(lines), b.String())
	}
	statics := 0
	for _, l := range lines {
		name, file := l[1], w.path(l[2])
		text := read(t, file)
		definition := regexp.MustCompile(`(?m)^((?:static |__attribute__\(\(\w+\)\) )*[\w \t*]+[ *]` + name + `\([^;{]*\)) \{`).FindStringSubmatch(text)
		if definition == nil {
			t.Errorf("%s is not defined in %s", name, file)
			continue
		}
		prototype := regexp.MustCompile(`__attribute__\(\(noinline\)\) `).ReplaceAllString(definition[1], "") + ";\n"
		if strings.Contains(prototype, "static") {
			statics++
		}
		write(t, file, strings.Replace(text, definition[1]+" {", prototype+l[0]+"\n"+definition[1]+" {", 1))
	}
	empty := *r
	empty.Moved = nil
	rebuilt, _ := w.build(t, fragment(t, &empty)) // its section takes *(.ramtext)
	if statics == 0 {
		t.Error("no static function among them")
	}
	if size := sectionSize(t, rebuilt, ".ramtext"); size > r.Size || size < r.Size/2 {
		t.Errorf("the section has %d bytes, %d were said", size, r.Size)
	}
	after := runBoard(t, rebuilt, 5, 4*time.Second, 4000)
	again, err := Analyse(after.profile, after.program, Options{Budget: 2 << 10})
	if err != nil {
		t.Fatal(err)
	}
	if again.InRAM.Value < r.Covered.Value/2 || after.each() > 0.85*before.each() {
		t.Errorf("%.3f of the time in RAM, of %.3f that were covered; %.3f cycles an instruction, %.3f before", again.InRAM.Value, r.Covered.Value, after.each(), before.each())
	}
}
