package tcp

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// FuzzReadPacket: what is taken for packets is the stream itself, frame by
// frame, and nothing beyond its end.
func FuzzReadPacket(f *testing.F) {
	f.Add([]byte("DAP\x00\x02\x00\x02\x00\x00\xffDAP\x00\x00\x00\x02\x00"))
	f.Add([]byte("DAP\x00\xff\xff\x02\x00\x00"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		r := bytes.NewReader(stream)
		for {
			at := len(stream) - r.Len()
			p, err := readPacket(r)
			if err != nil {
				return
			}
			if n := int(binary.LittleEndian.Uint16(stream[at+4:])); n != len(p) || !bytes.Equal(p, stream[at+headerSize:at+headerSize+n]) {
				t.Fatalf("at %d: % x", at, p)
			}
		}
	})
}
