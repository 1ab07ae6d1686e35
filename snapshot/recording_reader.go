package snapshot

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"time"
)

// Reader reads a recording. It is a Source: a recording that was finished ends
// with io.EOF, any other with a *CutError after its last whole sample.
type Reader struct {
	r       *bufio.Reader
	close   func() error
	path    string
	header  Header
	events  []Event
	end     *End
	offset  int64 // of the next record
	samples int
	err     error // how the recording ended
}

// Open opens a recording and reads its header.
func Open(path string) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("snapshot: open the recording: %w", err)
	}
	r, err := NewReader(f, path)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.close = f.Close
	return r, nil
}

// NewReader reads a recording from a stream; path is its name in errors.
func NewReader(in io.Reader, path string) (*Reader, error) {
	r := &Reader{r: bufio.NewReader(in), path: path}
	var start [len(recordingMagic) + 4]byte
	n, err := io.ReadFull(r.r, start[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, fmt.Errorf("snapshot: read %s: %w", path, err)
	}
	if string(start[:min(n, len(recordingMagic))]) != recordingMagic[:min(n, len(recordingMagic))] || n == 0 {
		return nil, fmt.Errorf("snapshot: %s: not a recording of mprof", path)
	}
	if err != nil {
		return nil, r.cut("the header is incomplete")
	}
	if v := binary.LittleEndian.Uint32(start[len(recordingMagic):]); v != recordingVersion {
		return nil, fmt.Errorf("snapshot: %s: recording format %d, this program reads %d", path, v, recordingVersion)
	}
	r.offset = int64(n)
	if err := r.readHeader(); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Reader) readHeader() error {
	kind, body, err := r.record()
	if err == io.EOF {
		err = r.cut("the header is missing")
	}
	if err != nil {
		return err
	}
	if kind != recordHeader {
		return r.cut(fmt.Sprintf("it begins with a record of kind %d", kind))
	}
	c := cursor{p: body}
	fields, err := c.fields()
	if err == nil {
		r.header, err = headerOf(fields)
	}
	if err != nil {
		return r.cut("header: " + err.Error())
	}
	return nil
}

// Header is the recording's.
func (r *Reader) Header() Header { return r.header }

// Events are those before the sample that was read last.
func (r *Reader) Events() []Event { return r.events }

// End says how the run ended; false as long as the end was not read, and for a
// recording that has none.
func (r *Reader) End() (End, bool) {
	if r.end == nil {
		return End{}, false
	}
	return *r.end, true
}

// Close closes the file.
func (r *Reader) Close() error {
	if r.close == nil {
		return nil
	}
	return r.close()
}

// Next returns the next sample. See Reader for how it ends.
func (r *Reader) Next(ctx context.Context) (*Snapshot, error) {
	for r.err == nil {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := r.offset
		kind, body, err := r.record()
		if err == io.EOF {
			err = r.cut("the run was not finished")
		}
		if err != nil {
			r.err = err
			break
		}
		s, err := r.use(kind, body)
		if errors.Is(err, errBody) {
			r.offset = at
			err = r.cut(err.Error())
		}
		if r.err = err; s != nil && err == nil {
			r.samples += s.Samples()
			return s, nil
		}
	}
	return nil, r.err
}

// use decodes one record; the snapshot is nil for anything but a sample.
func (r *Reader) use(kind byte, body []byte) (*Snapshot, error) {
	c := cursor{p: body}
	switch kind {
	case recordSample, recordWide:
		return c.sample(kind)
	case recordBlock:
		return c.block()
	case recordEvent:
		at := c.varint()
		fields, err := c.fields()
		if err == nil {
			r.events = append(r.events, eventOf(time.Duration(at), fields))
		}
		return nil, err
	case recordEnd:
		fields, err := c.fields()
		if err != nil {
			return nil, err
		}
		end := endOf(fields)
		r.end = &end
		return nil, io.EOF
	}
	return nil, nil
}

// record reads one whole record and checks it. io.EOF means that the file ends
// between two records.
func (r *Reader) record() (kind byte, body []byte, err error) {
	var head [4]byte
	switch _, err := io.ReadFull(r.r, head[:]); err {
	case nil:
	case io.EOF:
		return 0, nil, io.EOF
	case io.ErrUnexpectedEOF:
		return 0, nil, r.cut("the record is incomplete")
	default:
		return 0, nil, fmt.Errorf("snapshot: read %s: %w", r.path, err)
	}
	length := binary.LittleEndian.Uint32(head[:])
	if length == 0 || length > mostRecord {
		return 0, nil, r.cut(fmt.Sprintf("a record of %d bytes", length))
	}
	rest, err := io.ReadAll(io.LimitReader(r.r, int64(length)+4))
	if err != nil {
		return 0, nil, fmt.Errorf("snapshot: read %s: %w", r.path, err)
	}
	if len(rest) < int(length)+4 {
		return 0, nil, r.cut("the record is incomplete")
	}
	sum := crc32.Update(crc32.ChecksumIEEE(head[:]), crc32.IEEETable, rest[:length])
	if got := binary.LittleEndian.Uint32(rest[length:]); got != sum {
		return 0, nil, r.cut(fmt.Sprintf("CRC 0x%08x, computed 0x%08x", got, sum))
	}
	r.offset += int64(length) + 8
	return rest[0], rest[1:length], nil
}

func (r *Reader) cut(cause string) error {
	return &CutError{Path: r.path, Offset: r.offset, Samples: r.samples, Cause: cause}
}

// MagicSize is how many bytes IsRecording looks at.
const MagicSize = len(recordingMagic)

// IsRecording tells whether a file that begins with head is a recording, or the begin of
// one.
func IsRecording(head []byte) bool {
	n := min(len(head), MagicSize)
	return n > 0 && string(head[:n]) == recordingMagic[:n]
}
