package trace

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"testing"
)

// nobody hears nothing.
type nobody struct{ records int }

func (n *nobody) Records(b Batch)   { n.records += len(b.Records) }
func (n *nobody) Metadata(Metadata) {}
func (n *nobody) Status(Status)     {}
func (n *nobody) Answer(byte, byte) {}
func (n *nobody) Loss(l Loss)       {}

// stream is what a target sends of n calls.
func stream(o EncoderOptions, functions, n int, rate, hz float64) []byte {
	var b bytes.Buffer
	e := NewEncoder(&b, o)
	for _, r := range newProgram(rand.New(rand.NewPCG(5, 6)), functions).run(n, rate, hz) {
		e.Record(r)
	}
	e.Flush()
	return b.Bytes()
}

func BenchmarkDecode(b *testing.B) {
	for version := 1; version <= 2; version++ {
		in := stream(EncoderOptions{Version: version}, 40, 1_000_000, 20e3, 168e6/16)
		b.Run(fmt.Sprintf("v%d", version), func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			var n nobody
			d := NewDecoder(&n, DecoderOptions{})
			for b.Loop() {
				d.Write(in)
			}
			b.ReportMetric(float64(n.records)/b.Elapsed().Seconds()/1e6, "Mrecords/s")
		})
	}
	in := stream(EncoderOptions{}, 40, 1_000_000, 20e3, 168e6/16)
	b.Run("v1_in_pieces_of_64", func(b *testing.B) {
		b.SetBytes(int64(len(in)))
		d := NewDecoder(&nobody{}, DecoderOptions{})
		for b.Loop() {
			for p := in; len(p) > 0; p = p[min(64, len(p)):] {
				d.Write(p[:min(64, len(p))])
			}
		}
	})
	noise := make([]byte, 4<<20)
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	b.Run("noise", func(b *testing.B) {
		b.SetBytes(int64(len(noise)))
		d := NewDecoder(&nobody{}, DecoderOptions{})
		for b.Loop() {
			d.Write(noise)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	records := newProgram(rand.New(rand.NewPCG(5, 6)), 40).run(1_000_000, 20e3, 168e6/16)
	for version := 1; version <= 2; version++ {
		b.Run(fmt.Sprintf("v%d", version), func(b *testing.B) {
			var out bytes.Buffer
			for b.Loop() {
				out.Reset()
				e := NewEncoder(&out, EncoderOptions{Version: version})
				for _, r := range records {
					e.Record(r)
				}
				e.Flush()
			}
			b.SetBytes(int64(out.Len()))
		})
	}
}

func BenchmarkCRC(b *testing.B) {
	p := make([]byte, 512)
	b.SetBytes(int64(len(p)))
	for b.Loop() {
		CCITTFalse.Sum(p)
	}
}

// BenchmarkSize is no benchmark of speed: how many calls per second a line of 921600
// baud carries (8N1: 92160 bytes), and what a call takes there. The target does
// nothing but these calls, so that fewer of them last longer and take more bytes.
func BenchmarkSize(b *testing.B) {
	const calls, line = 50_000, 92160
	for _, functions := range []int{10, 40, 160} {
		one := func(name string, o EncoderOptions, hz, rate float64) {
			b.Run(fmt.Sprintf("%d_functions/%s", functions, name), func(b *testing.B) {
				size := 5.0
				for b.Loop() {
					for range 8 {
						size = float64(len(stream(o, functions, calls, cmp.Or(rate, line/size), hz))) / calls
					}
				}
				b.ReportMetric(size, "B/call")
				b.ReportMetric(line/size, "calls/s")
				b.ReportMetric(0, "ns/op")
			})
		}
		one("v1", EncoderOptions{Version: 1}, 1e6, 0)
		for _, shift := range []int{7, 6, 4, 0} {
			hz := 168e6 / float64(int(1)<<shift)
			one(fmt.Sprintf("v2_%g_MHz", hz/1e6), EncoderOptions{Version: 2}, hz, 0)
		}
		for _, payload := range []int{128, 256, 1024} {
			one(fmt.Sprintf("v2_1.3125_MHz_payload_%d", payload), EncoderOptions{Version: 2, MaxPayload: payload}, 168e6/128, 0)
		}
		one("v2_1.3125_MHz_5000_calls_per_s", EncoderOptions{Version: 2}, 168e6/128, 5000)
	}
}
