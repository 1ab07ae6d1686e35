package gmon

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"
)

// benchmarked is a histogram of 1 MiB of code in which every bucket of 2 bytes was hit, with calls.
func benchmarked() *Data {
	d := &Data{Rate: 1000}
	for i := range uint32(1 << 19) {
		d.Buckets = append(d.Buckets, Bucket{0x08000000 + 2*i, 2, uint64(1 + i%1000)})
	}
	for i := range uint32(10_000) {
		d.Arcs = append(d.Arcs, Arc{0x08000000 + 100*i, 0x08000000 + 90*i&^1, uint64(1 + i)})
	}
	return d
}

// BenchmarkEncode and BenchmarkDecode are of 1.2 MB of gmon.out.
func BenchmarkEncode(b *testing.B) {
	d := benchmarked()
	var file bytes.Buffer
	if err := d.Encode(&file, binary.LittleEndian); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(file.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if err := d.Encode(io.Discard, binary.LittleEndian); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	var file bytes.Buffer
	if err := benchmarked().Encode(&file, binary.LittleEndian); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(file.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Decode(file.Bytes()); err != nil {
			b.Fatal(err)
		}
	}
}
