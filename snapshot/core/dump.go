// Package core reads cores that somebody else halted. In: a dump, which is an
// ELF core file (gdb's generate-core-file, probe-rs) or a capture in JSON. Out:
// one snapshot per thread of the dump, and in sentences what the dump lacks.
package core

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/mprof/mprof/snapshot"
)

// Kind is what a file is, by its content.
type Kind uint8

const (
	Unknown   Kind = iota
	ELF            // an ELF core file
	Capture        // JSON
	Recording      // a recording of mprof, which snapshot.Open reads
	Program        // an ELF that is no core file
	NumKinds
)

var kindNames = [NumKinds]string{"unknown file", "ELF core file", "JSON capture", "a recording of mprof", "an ELF that is no core file"}

func (k Kind) String() string {
	if k < NumKinds {
		return kindNames[k]
	}
	return kindNames[Unknown]
}

// Dump is one halted processor.
type Dump struct {
	Kind Kind
	Arch snapshot.Arch
	// Threads are those that the dump has registers of, the one that was
	// running first. They share their memory.
	Threads []Thread
	BuildID []byte   // NT_GNU_BUILD_ID in the dump, nil where it has none
	Remarks []string // sentences: what is missing or was left out

	notes int // bytes of notes met
}

// Thread is one set of registers.
type Thread struct {
	ID       uint32 // as whoever wrote the dump numbered it, 0 where it did not
	Snapshot snapshot.Snapshot
}

// head is how many bytes of a file tell its kind.
const head = 64

// Identify tells what a file is by its first bytes; 64 are enough.
func Identify(p []byte) Kind {
	p = p[:min(len(p), head)]
	switch {
	case bytes.HasPrefix(p, []byte(elfMagic)):
		if len(p) >= 18 && le.Uint16(p[16:]) == typeCore {
			return ELF
		}
		return Program
	case bytes.HasPrefix(p, []byte("mprofrec")):
		return Recording
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(p, []byte("\ufeff")), " \t\r\n")
	if len(text) > 0 && text[0] == '{' {
		return Capture
	}
	return Unknown
}

// mostFile bounds what is read into memory, in bytes. A microcontroller with
// external RAM stays below.
const mostFile = 512 << 20

// Open reads the dump at path. A recording is no dump: see Identify.
func Open(path string) (*Dump, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("core: %w", err)
	}
	defer f.Close()
	return ReadFrom(f, path)
}

// ReadFrom reads a dump up to the end of in, which may be a pipe; path is its name
// in errors.
func ReadFrom(in io.Reader, path string) (*Dump, error) {
	p, err := io.ReadAll(io.LimitReader(in, mostFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("core: %w", err)
	case len(p) > mostFile:
		return nil, fmt.Errorf("core: %s: more than %d MiB", path, mostFile>>20)
	}
	return Read(p, path)
}

// Read reads a dump that is in memory; path is its name in errors. The
// snapshots of an ELF core file keep p.
func Read(p []byte, path string) (*Dump, error) {
	var d *Dump
	var err error
	switch kind := Identify(p); {
	case kind == ELF:
		d, err = readELF(p)
	case kind == Capture:
		d, err = readCapture(p)
	case len(p) == 0:
		return nil, fmt.Errorf("core: %s: is empty", path)
	case kind == Unknown:
		return nil, fmt.Errorf("core: %s: is neither an ELF core file nor a capture in JSON nor a recording", path)
	default:
		return nil, fmt.Errorf("core: %s: is no dump of a core (%s)", path, kind)
	}
	if err != nil {
		return nil, fmt.Errorf("core: %s: %w", path, err)
	}
	return d, nil
}

// maxRemarks bounds what a damaged file can have said about it.
const maxRemarks = 20

func (d *Dump) remark(format string, args ...any) {
	if len(d.Remarks) < maxRemarks {
		d.Remarks = append(d.Remarks, fmt.Sprintf(format, args...))
	}
}
