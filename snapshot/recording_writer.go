package snapshot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
)

// Writer appends to a recording. Every call writes whole records in one write,
// so that a process that is killed leaves all of them to the reader.
type Writer struct {
	f   *os.File
	buf []byte
	err error // the first failure: nothing is written behind a broken record
}

// Create begins a recording and writes its header. A file of that name is
// overwritten.
func Create(path string, h Header) (*Writer, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("snapshot: create the recording: %w", err)
	}
	w := &Writer{f: f}
	w.buf = append(w.buf, recordingMagic...)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, recordingVersion)
	start := w.begin(recordHeader)
	w.buf = appendFields(w.buf, h.fields())
	if err := w.write(start); err != nil {
		f.Close()
		return nil, err
	}
	return w, nil
}

// Append writes one sample, taken or missed, or a block of them.
func (w *Writer) Append(s *Snapshot) error {
	if s.Block != nil {
		return w.appendBlock(s)
	}
	start := w.begin(sampleKind(s))
	w.buf = appendSample(w.buf, s)
	return w.write(start)
}

func (w *Writer) appendBlock(s *Snapshot) error {
	if n := s.Samples(); n > mostBlock {
		return fmt.Errorf("snapshot: block of %d PCs, at most %d", n, mostBlock)
	}
	start := w.begin(recordBlock)
	w.buf = appendBlock(w.buf, s)
	return w.write(start)
}

// AppendEvent writes an event. Events are read in the order of writing.
func (w *Writer) AppendEvent(e Event) error {
	start := w.begin(recordEvent)
	w.buf = binary.AppendVarint(w.buf, int64(e.Time))
	w.buf = appendFields(w.buf, e.fields())
	return w.write(start)
}

// Finish writes why the run ended, brings the file to the disk and closes it.
// The names of facts must differ; a repeated one keeps its last value.
func (w *Writer) Finish(reason string, facts ...[2]string) error {
	e := End{Reason: reason, Facts: make(map[string]string)}
	for _, f := range facts {
		e.Facts[f[0]] = f[1]
	}
	start := w.begin(recordEnd)
	w.buf = appendFields(w.buf, e.fields())
	err := w.write(start)
	if err == nil {
		err = w.f.Sync()
	}
	return errors.Join(err, w.f.Close())
}

// begin starts a record in the buffer and returns where.
func (w *Writer) begin(kind byte) (start int) {
	start = len(w.buf)
	w.buf = append(w.buf, 0, 0, 0, 0, kind)
	return start
}

// write ends the record that begins at start and writes the buffer.
func (w *Writer) write(start int) error {
	record := w.buf[start:]
	length := len(record) - 4
	if length > mostRecord {
		w.buf = w.buf[:0]
		return fmt.Errorf("snapshot: record of %d bytes, at most %d", length, mostRecord)
	}
	binary.LittleEndian.PutUint32(record, uint32(length))
	w.buf = binary.LittleEndian.AppendUint32(w.buf, crc32.ChecksumIEEE(record))
	if w.err == nil {
		if _, err := w.f.Write(w.buf); err != nil {
			w.err = fmt.Errorf("snapshot: write the recording: %w", err)
		}
	}
	w.buf = w.buf[:0]
	return w.err
}
