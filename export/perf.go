package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mprof/mprof/profile"
)

// mostBlocks bounds the samples that are written one by one as text.
const mostBlocks = 10_000_000

// WritePerf writes a block of lines for each sample, as perf script prints them
// (linux/tools/perf/builtin-script.c): a line with the thread, process and thread
// number, core, time in seconds, and for how many ns it stands; a line for each frame,
// innermost first, with the address in hexadecimal, function+offset and (image);
// an empty line. Of traced calls each piece of self time is a sample. Lines at the end
// that begin with # say how the samples were taken.
func WritePerf(w io.Writer, p *profile.Profile) error {
	if err := p.Check(); err != nil {
		return err
	}
	pieces := p.Trace != nil || p.Taken.Measured
	if n := p.Samples(); n > mostBlocks && !pieces {
		return fmt.Errorf("%d samples are more than the %d that are written as text, a block each: pprof and folded stacks add them up", n, mostBlocks)
	}
	t := perfText{p: p, pieces: pieces, out: bufio.NewWriterSize(w, 1<<16), stacks: map[profile.StackIndex]string{}}
	for i := range p.Threads {
		t.thread(i)
	}
	for _, c := range comments(p) {
		fmt.Fprintf(t.out, "# %s\n", oneLine.Replace(c))
	}
	return t.out.Flush()
}

var oneLine = strings.NewReplacer("\n", " ", "\r", " ")

type perfText struct {
	p      *profile.Profile
	pieces bool // rows are times that were measured
	out    *bufio.Writer
	stacks map[profile.StackIndex]string // lines that were written before
	held   int                           // bytes of them
}

// perfHeld bounds the lines that are kept for the next sample of a stack.
const perfHeld = 64 << 20

func (t *perfText) thread(i int) {
	track := &t.p.Threads[i]
	name := perfWord(track.Name)
	for n := range track.Samples {
		s := &track.Samples[n]
		blocks := s.Count
		if t.pieces {
			blocks = min(1, int(s.Weight))
		}
		before := time.Duration(0)
		for k := range blocks {
			upTo := perfPart(s.Weight, k+1, blocks)
			at := s.Time + before
			fmt.Fprintf(t.out, "%s %s/%d [%03d] %d.%09d: %10d cpu-clock: \n", name, firefoxPID, i+1, 0, at/time.Second, at%time.Second, upTo-before)
			t.out.WriteString(t.lines(s.Stack))
			t.out.WriteByte('\n')
			before = upTo
		}
	}
}

// perfPart is k/n of d, for any d.
func perfPart(d time.Duration, k, n int) time.Duration {
	whole, rest := d/time.Duration(n), d%time.Duration(n)
	return whole*time.Duration(k) + rest*time.Duration(k)/time.Duration(n)
}

// lines are the frames of a stack.
func (t *perfText) lines(at profile.StackIndex) string {
	if text, ok := t.stacks[at]; ok {
		return text
	}
	var b strings.Builder
	for _, f := range t.p.Callers(at) {
		name := perfName(t.p.Functions[f.Function].Name)
		if f.Symbol != profile.None && f.Depth == 0 && f.Addr >= t.p.Symbols[f.Symbol].Low {
			name += fmt.Sprintf("+%#x", f.Addr-t.p.Symbols[f.Symbol].Low)
		}
		image := "[unknown]"
		if i := t.p.MappingOf(f.Addr); i != profile.None && f.Addr != 0 {
			image = perfWord(t.p.Mappings()[i].Name)
		}
		fmt.Fprintf(&b, "\t%16x %s (%s)\n", f.Addr, name, image)
	}
	text := b.String()
	if t.held += len(text); t.held <= perfHeld {
		t.stacks[at] = text
	}
	return text
}

// perfName keeps a name on its line. One that begins with a bracket is that of a
// process to readers of the format, so that "(anonymous namespace)::f" has braces.
func perfName(name string) string {
	name = oneLine.Replace(name)
	if strings.HasPrefix(name, "(") {
		if inside, rest, ok := strings.Cut(name[1:], ")"); ok {
			return "{" + inside + "}" + rest
		}
		return "{" + name[1:]
	}
	return name
}

// perfWord makes one word of a name.
func perfWord(name string) string {
	word := strings.Join(strings.Fields(name), "-")
	if word == "" {
		return "[unknown]"
	}
	return word
}
