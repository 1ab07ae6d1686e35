package export

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/mprof/mprof/gmon"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/symbol"
)

// Input is what a reader may know beside the file.
type Input struct {
	Program *symbol.Program // nil: no ELF file; formats that need one say so in the error
}

// ErrFormat is a file that is in none of the formats that ReadFile knows.
var ErrFormat = errors.New("neither a recording of mprof nor a profile (Firefox Profiler, pprof, folded stacks, perf script, gmon.out, speedscope, Chrome trace, Callgrind)")

// Bounds of what is read: sizes are those of the decompressed file. A table of pprof
// takes up to 16 times as much memory as its bytes in the file.
const (
	maxRead      = 512 << 20
	maxReadPprof = 128 << 20
	maxReadDepth = 4096    // frames of a stack
	maxReadRows  = 8 << 20 // of a table of functions, frames or stacks
	maxReadNames = 1 << 20 // functions where a file has no tables: a row of its own for each name takes a KiB
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
		return nil, openReason(err)
	}
	read := recognise(data)
	switch {
	case len(data) == 0:
		return nil, errors.New("it is empty")
	case bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")):
		return nil, errors.New("it is text in UTF-16, as PowerShell's > writes it: write it with -o, or as UTF-8")
	case bytes.HasPrefix(data, []byte("PERFILE")):
		return nil, errors.New("it is what perf record writes, which only perf reads: perf script > run.perf makes text of it, and mprof reads that")
	case read == nil && isPicture(data):
		return nil, errors.New("it is a page or a picture to look at: name the profile that it was made of")
	case read == nil:
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

// isPicture tells whether data is HTML or SVG.
func isPicture(data []byte) bool {
	head := bytes.ToLower(data[:min(len(data), 512)])
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html")) || bytes.HasPrefix(head, []byte("<")) && bytes.Contains(head, []byte("<svg"))
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
	return bytes.TrimPrefix(data, []byte("\ufeff")), nil // the mark that editors of Windows put in front of UTF-8
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
		return jsonReader(data)
	case text[0] == '[' && bytes.Contains(text[:min(len(text), 1<<12)], []byte(`"ph"`)):
		return readChrome
	case looksCallgrind(data):
		return readCallgrind
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
		if r == utf8.RuneError && n < 2 && len(head) >= utf8.UTFMax || r < ' ' && !strings.ContainsRune("\t\r\n\f\a\b\x1b", r) {
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
