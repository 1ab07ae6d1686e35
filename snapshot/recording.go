package snapshot

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A recording is a file that grows by one record per sample, as the samples
// are taken, so that a run that ends badly loses nothing. docs/recording.md
// describes it byte by byte:
//
//	"mprofrec" version32 record*
//	record = length32 kind8 body crc32
//
// length counts kind and body. The CRC (IEEE 802.3) covers length, kind and
// body. Numbers are little-endian.
const (
	recordingMagic   = "mprofrec"
	recordingVersion = 1
)

// Kinds of records. A reader passes over kinds that it does not know.
const (
	recordHeader byte = 1 // fields; the first record
	recordSample byte = 2
	recordEvent  byte = 3 // time and fields
	recordEnd    byte = 4 // fields; the last record
	recordBlock  byte = 5 // PCs
	recordWide   byte = 6 // a sample with registers that recordSample has no room for
)

// mostRecord bounds length: no sample of a microcontroller comes near it, and a
// damaged file cannot ask for memory.
const mostRecord = 16 << 20

// Header says what was recorded and how. Every part may be empty.
type Header struct {
	ELF     string // path of the image as it was given
	BuildID string // of the image, hexadecimal
	Probe   string // name and serial
	Core    string // as in "Cortex-M4 r0p1"
	Start   time.Time
	// Parameters of the run and whatever else belongs to it, by name.
	Parameters map[string]string
}

// Event is something that happened between the samples.
type Event struct {
	Time     time.Duration // since the start of the run, on the clock of the run
	Duration time.Duration // 0: an instant
	Kind     string        // as in "Recovered"
	Text     string
}

// End says how a run ended.
type End struct {
	Reason string
	Facts  map[string]string // figures of the run, by name
}

// CutError says that a recording has no proper end: the run, the disk or the
// copy ended before it. What was read before is good.
type CutError struct {
	Path    string
	Offset  int64 // of the first byte that could not be used
	Samples int   // whole ones before it
	Cause   string
}

func (e *CutError) Error() string {
	return fmt.Sprintf("snapshot: %s: cut at byte %d after %d samples: %s", e.Path, e.Offset, e.Samples, e.Cause)
}

// Unwrap makes it an io.ErrUnexpectedEOF.
func (e *CutError) Unwrap() error { return io.ErrUnexpectedEOF }

// Names of the fields of Header in the file; parameters have a prefix.
const (
	fieldELF       = "elf"
	fieldBuildID   = "build-id"
	fieldProbe     = "probe"
	fieldCore      = "core"
	fieldStart     = "start"
	fieldParameter = "parameter."
	fieldKind      = "kind"
	fieldText      = "text"
	fieldDuration  = "duration" // ns, decimal
	fieldReason    = "reason"
	fieldFact      = "fact."
)

// field is a name and a value.
type field struct{ name, value string }

func (h Header) fields() []field {
	var start string
	if !h.Start.IsZero() {
		start = h.Start.Format(time.RFC3339Nano)
	}
	var f []field
	for _, x := range []field{{fieldELF, h.ELF}, {fieldBuildID, h.BuildID}, {fieldProbe, h.Probe}, {fieldCore, h.Core}, {fieldStart, start}} {
		if x.value != "" {
			f = append(f, x)
		}
	}
	return append(f, prefixed(fieldParameter, h.Parameters)...)
}

func (e End) fields() []field {
	return append([]field{{fieldReason, e.Reason}}, prefixed(fieldFact, e.Facts)...)
}

// prefixed are the entries of m, sorted, so that equal runs make equal files.
func prefixed(prefix string, m map[string]string) (f []field) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		f = append(f, field{prefix + k, m[k]})
	}
	return f
}

// headerOf is the header in f. Fields that it does not know become parameters
// under their full names.
func headerOf(f []field) (h Header, err error) {
	h.Parameters = make(map[string]string)
	for _, x := range f {
		switch x.name {
		case fieldELF:
			h.ELF = x.value
		case fieldBuildID:
			h.BuildID = x.value
		case fieldProbe:
			h.Probe = x.value
		case fieldCore:
			h.Core = x.value
		case fieldStart:
			if h.Start, err = time.Parse(time.RFC3339Nano, x.value); err != nil {
				return h, fmt.Errorf("start time %q: %w", x.value, err)
			}
		default:
			h.Parameters[strings.TrimPrefix(x.name, fieldParameter)] = x.value
		}
	}
	return h, nil
}

func endOf(f []field) (e End) {
	e.Facts = make(map[string]string)
	for _, x := range f {
		if x.name == fieldReason {
			e.Reason = x.value
			continue
		}
		e.Facts[strings.TrimPrefix(x.name, fieldFact)] = x.value
	}
	return e
}

func (e Event) fields() []field {
	f := []field{{fieldKind, e.Kind}, {fieldText, e.Text}}
	if e.Duration > 0 {
		f = append(f, field{fieldDuration, strconv.FormatInt(int64(e.Duration), 10)})
	}
	return f
}

func eventOf(at time.Duration, f []field) (e Event) {
	e.Time = at
	for _, x := range f {
		switch x.name {
		case fieldKind:
			e.Kind = x.value
		case fieldText:
			e.Text = x.value
		case fieldDuration:
			if ns, err := strconv.ParseInt(x.value, 10, 64); err == nil && ns > 0 {
				e.Duration = time.Duration(ns)
			}
		}
	}
	return e
}
