package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/corpus"
	"github.com/mprof/mprof/sim/qemu"
)

// askGDB has gdb unwind each moment: the words of testdata/points.py.
func askGDB(t *testing.T, path string, moments []moment) [][]string {
	t.Helper()
	qemu.Require(t, "gdb-multiarch", qemu.Command)
	var file []byte
	for _, m := range moments {
		for _, r := range m.registers {
			file = binary.LittleEndian.AppendUint32(file, r)
		}
		file = binary.LittleEndian.AppendUint32(file, uint32(len(m.changed)))
		for _, c := range m.changed {
			file = binary.LittleEndian.AppendUint32(file, c.addr)
			file = binary.LittleEndian.AppendUint32(file, uint32(len(c.data)))
			file = append(file, c.data...)
		}
	}
	points := filepath.Join(t.TempDir(), "points")
	if err := os.WriteFile(points, file, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "gdb-multiarch", "-nx", "-batch", "-iex", "set remotetimeout 60", "-iex", "set debuginfod enabled off",
		"-ex", "set osabi none", "-ex", "set architecture armv7e-m", "-ex", "set width 0", "-ex", "set backtrace past-main on", "-ex", "set confirm off",
		"-ex", "target remote "+serveBanked(t, path),
		"-x", "testdata/points.py", path)
	cmd.Env = append(os.Environ(), "POINTS="+points)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		t.Fatalf("gdb: %v\n%s%s", err, stdout.String(), stderr.String())
	}
	var out [][]string
	for line := range strings.Lines(stdout.String()) {
		if words := strings.Fields(line); len(words) > 0 && words[0] == "POINT" {
			out = append(out, words[1:])
			if len(words) < 3 {
				t.Fatalf("gdb says %q", line)
			}
		}
	}
	if len(out) != len(moments) {
		t.Fatalf("gdb answered %d of %d points\n%s%s", len(out), len(moments), stdout.String(), stderr.String())
	}
	return out
}

// opinion is how a debugger's stack compares with the true one.
type opinion int

const (
	isEqual  opinion = iota
	isCut            // what is there is true, outer frames are missing
	isLonger         // all is true, but it goes on where there is nothing
	isWrong          // a frame is not the true one
	numOpinions
)

var opinionText = [numOpinions]string{"equal", "cut", "longer", "wrong"}

// judge compares what gdb says of a moment. same is the number of true frames.
func (m *moment) judge(words []string) (o opinion, same int) {
	for same < min(len(words), len(m.want)) {
		w, f := words[same], m.want[same]
		if (w == "X") != (f.Exception != 0) {
			break
		}
		if pc, err := strconv.ParseUint(w, 16, 32); w != "X" && (err != nil || uint32(pc) != f.PC) {
			break
		}
		same++
	}
	switch {
	case same == len(words) && same == len(m.want):
		return isEqual, same
	case same == len(words):
		return isCut, same
	case same == len(m.want):
		return isLonger, same
	}
	return isWrong, same
}

// beside counts the opinions on one program, or on several.
type beside struct {
	points, ours int
	gdb          [numOpinions]int
	onlyOurs     int // equal in mprof and not in gdb
	onlyGDB      int
}

func (b *beside) add(c beside) {
	b.points, b.ours, b.onlyOurs, b.onlyGDB = b.points+c.points, b.ours+c.ours, b.onlyOurs+c.onlyOurs, b.onlyGDB+c.onlyGDB
	for i := range b.gdb {
		b.gdb[i] += c.gdb[i]
	}
}

func (b beside) row(name string) string {
	s := fmt.Sprintf("| %s | %d | %s | %s |", name, b.points, percent(b.ours, b.points), percent(b.gdb[isEqual], b.points))
	for _, n := range b.gdb[1:] {
		s += fmt.Sprintf(" %d |", n)
	}
	return s + fmt.Sprintf(" %d | %d |", b.onlyOurs, b.onlyGDB)
}

// TestAccuracyBesideGDB compares gdb's backtrace with the shadow call stack, at
// points where the every-instruction judge compares mprof's: the simulated core's
// registers and RAM are put into QEMU by its gdb server.
func TestAccuracyBesideGDB(t *testing.T) {
	programs, points := corpus.Some(testing.Short()), 2100
	if *fullCorpus {
		programs, points = corpus.All(), 3000
	} else if testing.Short() {
		points = 160
	}
	var total beside
	bySource := map[string]*beside{}
	t.Run("programs", func(t *testing.T) {
		for _, p := range programs {
			t.Run(p.String(), func(t *testing.T) {
				c := compareWithGDB(t, p.ELF(t), points/len(programs)+1)
				t.Log(c.row(p.String()))
				total.add(c)
				if bySource[p.Source] == nil {
					bySource[p.Source] = &beside{}
				}
				bySource[p.Source].add(c)
			})
		}
	})
	if total.points == 0 {
		t.Skip("gdb was asked nothing")
	}
	writeBesideTable(t, besideTable(total, bySource))
	if total.points < points {
		t.Errorf("%d points, want %d", total.points, points)
	}
	// Less than that would be a fault of this test.
	if total.gdb[isEqual]*10 < total.points*4 || total.ours < total.gdb[isEqual] {
		t.Errorf("gdb has %d of %d stacks, mprof %d", total.gdb[isEqual], total.points, total.ours)
	}
}

// besideMark is where the table stands in docs/accuracy.md.
var besideMark = regexp.MustCompile(`(?s)(<!-- table of gdb: make accuracy -->\n).*?(<!-- end of table of gdb -->)`)

// writeBesideTable prints the table and, with -update, writes it into the document.
func writeBesideTable(t *testing.T, table string) {
	t.Helper()
	t.Log("\n" + table)
	if !*update {
		return
	}
	const document = "../../docs/accuracy.md"
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if !besideMark.Match(text) {
		t.Fatalf("%s has no place for gdb's table", document)
	}
	if err := os.WriteFile(document, besideMark.ReplaceAll(text, []byte("${1}\n"+table+"\n${2}")), 0o644); err != nil {
		t.Fatal(err)
	}
}

func besideTable(total beside, bySource map[string]*beside) string {
	var s strings.Builder
	fmt.Fprintf(&s, "| program | points | mprof equal | gdb equal | gdb %s | only mprof equal | only gdb equal |\n|---|", strings.Join(opinionText[1:], " | gdb "))
	s.WriteString(strings.Repeat("---|", 5+len(opinionText)) + "\n")
	for _, source := range slices.Sorted(func(yield func(string) bool) {
		for k := range bySource {
			if !yield(k) {
				return
			}
		}
	}) {
		s.WriteString(bySource[source].row(source) + "\n")
	}
	s.WriteString(total.row("all") + "\n")
	return s.String()
}

func compareWithGDB(t *testing.T, path string, n int) (c beside) {
	t.Helper()
	moments := pickMoments(t, path, n)
	seen := map[string]int{}
	for i, words := range askGDB(t, path, moments) {
		m, end := &moments[i], words[len(words)-1]
		words = words[:len(words)-1]
		o, same := m.judge(words)
		c.points++
		c.gdb[o]++
		if m.ours {
			c.ours++
		}
		switch {
		case m.ours && o != isEqual:
			c.onlyOurs++
		case !m.ours && o == isEqual:
			c.onlyGDB++
		}
		if o == isEqual && !m.ours {
			t.Logf("instruction %d: gdb alone is right: %s", m.at, wantText(m.want))
		}
		if o == isEqual {
			continue
		}
		where := m.want[max(0, same-1)].Function
		if key := opinionText[o] + " after " + where; seen[key] < 1 {
			seen[key]++
			t.Logf("instruction %d: gdb %s (%s): %s\n    true: %s", m.at, key, end, strings.Join(words[:min(len(words), 12)], " "), wantText(m.want))
		}
	}
	return c
}
