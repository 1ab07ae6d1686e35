package calls

import (
	"bytes"
	"runtime"
	"sync"
	"testing"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/trace"
)

// tenMillion is a recording of 10 million calls in two tasks, which never return, and
// three interrupts.
var tenMillion = sync.OnceValues(func() ([]byte, uint64) {
	s := newSimulator(4)
	s.tasks, s.exceptions, s.length, s.depth, s.pair, s.inner, s.now = 2, 3, 200_000, 10, 3, 1, 0
	s.run()
	for i := range s.records {
		if r := &s.records[i]; r.Context < trace.FirstException && !r.Switch() {
			r.Depth++
		}
	}
	var out bytes.Buffer
	e := trace.NewEncoder(&out, trace.EncoderOptions{Version: 2})
	e.Metadata(s.metadata())
	length, calls := uint32(s.now+100), uint64(0)
	for round := uint32(0); calls < 10_000_000; round++ {
		for _, r := range s.records {
			r.Entry += round * length
			e.Record(r)
		}
		calls += uint64(len(s.ended))
	}
	e.Flush()
	return out.Bytes(), calls
})

// BenchmarkTenMillionCalls is from the bytes of a recording to the profile. Run with
// -benchtime 1x.
func BenchmarkTenMillionCalls(b *testing.B) {
	recording, calls := tenMillion()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for b.Loop() {
		builder := NewBuilder(names{}, Options{})
		d := trace.NewDecoder(builder, trace.DecoderOptions{})
		for rest := recording; len(rest) > 0; {
			n := min(len(rest), 4096)
			d.Write(rest[:n])
			rest = rest[n:]
		}
		d.Close()
		runtime.ReadMemStats(&after)
		p := builder.Finish(profile.Acquisition{}, 0)
		if p.Trace.Calls != calls {
			b.Fatalf("%d of %d calls", p.Trace.Calls, calls)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(calls), "ns/call")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(b.N)/float64(calls), "allocs/call")
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB")
	b.ReportMetric(float64(len(recording))/float64(calls), "B/call")
}
