package trace

import (
	"bytes"
	"testing"
)

// FuzzReplay makes packets of what comes, each of a type and a length byte, so that
// METADATA, STATUS, answers and records come in any order, and takes it as a stream, too. There are
// no more records than bytes, and no more are missing than numbers can say.
func FuzzReplay(f *testing.F) {
	f.Add([]byte("\x01\x01\x01\x05\x0e\x00\x01\x00\x08\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00\x02\x01\x02\x04\x11\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("\x03\x02\x02\x80\x01\x01\x01\x06\x08\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("plain text of a console\r\n"))
	f.Fuzz(func(t *testing.T, script []byte) {
		var stream []byte
		for rest := script; len(rest) >= 2; {
			kind, n := rest[0], min(int(rest[1]), len(rest)-2)
			stream = Variant{}.AppendPacket(stream, kind, rest[2:2+n]...)
			rest = rest[2+n:]
		}
		for _, b := range [][]byte{stream, script} {
			var sink heardRun
			var remarks int
			o := ReplayOptions{BuildID: []byte{1}, Remark: func(string) { remarks++ }}
			err := Replay(t.Context(), bytes.NewReader(b), &sink, o)
			if len(b) == 0 && err == nil {
				t.Error("nothing is no recording")
			}
			for _, l := range sink.losses {
				if l.Kind == LostRecords && l.Records > 1<<32 {
					t.Errorf("%d records are missing", l.Records)
				}
			}
			if len(sink.records) > len(b) {
				t.Errorf("%d records in %d bytes", len(sink.records), len(b))
			}
		}
	})
}
