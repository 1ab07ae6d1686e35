package snapshot

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"testing"
)

// FuzzRecordingKinds frames bodies of any kind with the right length and CRC:
// the samples that stand before a body that is none are all read, and what
// follows one of an unknown kind.
func FuzzRecordingKinds(f *testing.F) {
	whole, err := os.ReadFile(writeRecording(f, false))
	if err != nil {
		f.Fatal(err)
	}
	for kind := range byte(10) {
		f.Add(kind, appendSample(nil, testSamples()[0]))
		f.Add(kind, appendFields(nil, []field{{"reason", "duration"}}))
	}
	f.Add(byte(5), []byte{1, 0, 0, 0, 0, 4, 3, 2, 1})
	f.Fuzz(func(t *testing.T, kind byte, body []byte) {
		file := appendRecord(appendRecord(bytes.Clone(whole), kind, body), 200, nil)
		r, err := NewReader(bytes.NewReader(file), "fuzz")
		if err != nil {
			t.Fatal(err)
		}
		all, err := readAll(r)
		if err == nil || len(all) < len(testSamples()) {
			t.Fatalf("%d samples, then %v", len(all), err)
		}
	})
}

// appendRecord frames a body as docs/recording.md says.
func appendRecord(file []byte, kind byte, body []byte) []byte {
	start := len(file)
	file = binary.LittleEndian.AppendUint32(file, uint32(1+len(body)))
	file = append(append(file, kind), body...)
	return binary.LittleEndian.AppendUint32(file, crc32.ChecksumIEEE(file[start:]))
}
