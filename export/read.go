package export

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mprof/mprof/gmon"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// Input is what a reader may know beside the file.
type Input struct {
	Program *symbol.Program // nil: no ELF file; formats that need one say so in the error
}

// ErrFormat is a file that is in none of the formats that ReadFile knows.
var ErrFormat = errors.New("neither a recording of mprof nor a profile (Firefox Profiler, pprof, folded stacks, perf script, gmon.out)")

// Bounds of what is read: sizes are those of the decompressed file. A table of pprof
// takes up to 16 times as much memory as its bytes in the file.
const (
	maxRead      = 512 << 20
	maxReadPprof = 128 << 20
	maxReadDepth = 4096    // frames of a stack
	maxReadRows  = 8 << 20 // of a table of functions, frames or stacks
)

// reader makes a profile of a whole file.
type reader func(data []byte, in Input) (*profile.Profile, error)

// ReadFile reads a profile that mprof or another program wrote, by its content,
// whatever its name. What the format cannot hold is a remark of the profile; a
// profile that mprof wrote in the format of the Firefox Profiler or of pprof says the
// same as before.
func ReadFile(path string, in Input) (*profile.Profile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("export: open %s: %w", path, openReason(err))
	}
	defer f.Close()
	p, err := Read(f, in)
	if err != nil {
		return nil, fmt.Errorf("export: read %s: %w", path, err)
	}
	return p, nil
}

// openReason drops the name of the file, which the sentence has already.
func openReason(err error) error {
	var perr *fs.PathError
	if errors.As(err, &perr) {
		return perr.Err
	}
	return err
}

// Read is ReadFile for what comes from r.
func Read(r io.Reader, in Input) (*profile.Profile, error) {
	data, err := readAll(bufio.NewReaderSize(r, 1<<16))
	if err != nil {
		return nil, err
	}
	read := recognise(data)
	if read == nil {
		return nil, ErrFormat
	}
	p, err := read(data, in)
	if err != nil {
		return nil, err
	}
	if err := p.Check(); err != nil {
		return nil, fmt.Errorf("it contradicts itself: %w", err)
	}
	return p, nil
}

// Known tells beyond doubt that r begins like a file that ReadFile knows: what is text
// or compressed. A pprof profile that is neither looks like much else.
func Known(r io.Reader) bool {
	b := bufio.NewReader(io.LimitReader(r, 1<<16))
	magic, _ := b.Peek(2)
	compressed := bytes.Equal(magic, gzipMagic)
	data, _ := readAll(b) // a cut is expected
	return len(data) > 0 && recognise(data) != nil && (compressed || printable(data))
}

var gzipMagic = []byte{0x1f, 0x8b}

// readAll decompresses what is compressed. What came before an error is returned with
// it.
func readAll(b *bufio.Reader) ([]byte, error) {
	var in io.Reader = b
	if magic, _ := b.Peek(2); bytes.Equal(magic, gzipMagic) {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("its compression (gzip): %w", err)
		}
		in = z
	}
	data, err := io.ReadAll(io.LimitReader(in, maxRead+1))
	switch {
	case len(data) > maxRead:
		return nil, fmt.Errorf("it is larger than %d MiB", maxRead>>20)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return data, fmt.Errorf("it is cut short: %w", err)
	case err != nil:
		return data, err
	}
	return data, nil
}

// recognise chooses the reader by the content; nil: there is none.
func recognise(data []byte) reader {
	text := bytes.TrimLeft(data, " \t\r\n")
	switch {
	case len(text) == 0:
		return nil
	case gmon.Recognise(data):
		return readGmon
	case text[0] == '{':
		return readFirefox
	case looksFolded(data):
		return readFolded
	case looksPerf(data):
		return readPerf
	case looksPprof(data):
		return readPprof
	case looksOldBSD(data):
		return readGmon
	}
	return nil
}

// printable tells whether the begin of data is text.
func printable(data []byte) bool {
	head := data[:min(len(data), 4096)]
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && n < 2 && len(head) >= utf8.UTFMax || r < ' ' && !strings.ContainsRune("\t\r\n", r) {
			return false
		}
		head = head[n:]
	}
	return true
}

// jsonReason says in words what is wrong with JSON.
func jsonReason(err error) error {
	var wrong *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &wrong):
		return fmt.Errorf("%s is a %s where it should not be (byte %d)", wrong.Field, wrong.Value, wrong.Offset)
	case errors.As(err, &syntax):
		return fmt.Errorf("byte %d: %s", syntax.Offset, strings.TrimPrefix(syntax.Error(), "json: "))
	}
	return err
}

// unrecorded makes p a profile of which only the samples are known.
func unrecorded(p *profile.Profile, remarks ...string) {
	old := p.Taken
	p.Taken = profile.Acquisition{
		Unrecorded: true, Asked: uint64(p.Samples()), Command: old.Command, Version: old.Version, Device: old.Device, Remarks: remarks,
	}
	for _, t := range p.Threads {
		for i := range t.Samples {
			if t.Samples[i].State&snapshot.Sleeping != 0 {
				p.Taken.Sleeping += uint64(t.Samples[i].Count)
			}
		}
	}
}

// isLabel tells labels from functions where a file does not: by the brackets that
// mprof puts around them.
func isLabel(name string) bool {
	return strings.HasPrefix(name, "<") && strings.HasSuffix(name, ">") || strings.HasPrefix(name, "0x")
}

// follow is the category of a frame of that function above a frame of category below
// (towards the leaf is above), where a file does not say it.
func follow(f profile.Function, below profile.Category) profile.Category {
	switch {
	case f.Label && f.Exception() != "":
		return profile.Interrupt
	case f.Label:
		return profile.Unknown
	case below == profile.Interrupt:
		return profile.Interrupt
	}
	return profile.Thread
}

// sums adds up what must stay within 63 bits.
type sums struct {
	samples, weight int64
	err             error
}

func (s *sums) add(samples, weight int64) {
	switch {
	case s.err != nil:
	case samples < 0 || weight < 0:
		s.err = fmt.Errorf("a row counts %d samples and %d ns: a difference of two profiles is no profile", samples, weight)
	case s.samples > math.MaxInt64-samples || s.weight > math.MaxInt64-weight:
		s.err = errors.New("its samples add up to more than 63 bits hold")
	}
	s.samples += samples
	s.weight += weight
}

// inOrder puts the samples of each thread one after the other, each as wide as its
// weight: for a file that does not say when they were taken.
func inOrder(p *profile.Profile) {
	for _, t := range p.Threads {
		at := time.Duration(0)
		for i := range t.Samples {
			t.Samples[i].Time = at
			at += t.Samples[i].Weight
		}
		p.Duration = max(p.Duration, at)
	}
}

// byTime puts samples in the order of their times.
func byTime(samples []profile.Sample) []profile.Sample {
	slices.SortStableFunc(samples, func(a, b profile.Sample) int { return cmp.Compare(a.Time, b.Time) })
	return samples
}

// checkRows bounds a table.
func checkRows(n int, what string) error {
	if n > maxReadRows {
		return fmt.Errorf("more than %d %s", maxReadRows, what)
	}
	return nil
}

// note adds remarks that are not there yet.
func note(p *profile.Profile, remarks ...string) {
	for _, r := range remarks {
		if !slices.Contains(p.Taken.Remarks, r) {
			p.Taken.Remarks = append(p.Taken.Remarks, r)
		}
	}
}
