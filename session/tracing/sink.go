package tracing

import (
	"time"

	"github.com/mprof/mprof/trace"
	"github.com/mprof/mprof/trace/calls"
)

// sink passes what a target says on to the builder, and tells how it goes.
type sink struct {
	builder  *calls.Builder
	progress func(Progress)         // may be nil
	arrived  func(at time.Duration) // may be nil
	begun    func()                 // may be nil
	itsOwn   bool                   // the target's time is not that of this machine, which says nothing of it
	at       time.Duration          // of the bytes that came last, since the start of the run
	first    time.Duration          // at, of the first records; valid once there are some
	last     time.Duration          // at, of the last ones
	calls    uint64
	lost     uint64 // records, for certain
	name     string // of the firmware
	buffer   uint32 // of the target, bytes; 0: not known
	used     uint32 // of it at most
	read     *int64 // bytes of a recording; nil: a port
	size     int64
}

func newSink(b *calls.Builder, progress func(Progress)) *sink {
	return &sink{builder: b, progress: progress}
}

// Arrived is when the bytes came that are decoded next, since the start of the run.
func (s *sink) Arrived(at time.Duration) {
	s.at = at
	if !s.itsOwn {
		s.builder.Arrived(at)
	}
	if s.arrived != nil {
		s.arrived(at)
	}
	s.tell()
}

// Begun is when the target records.
func (s *sink) Begun() {
	if s.begun != nil {
		s.begun()
	}
}

// Records counts calls.
func (s *sink) Records(b trace.Batch) {
	if s.calls == 0 {
		s.first = s.at
	}
	s.last = s.at
	for i := range b.Records {
		if !b.Records[i].Switch() {
			s.calls++
		}
	}
	s.builder.Records(b)
	if s.read != nil {
		s.tell()
	}
}

// Metadata keeps the name.
func (s *sink) Metadata(m trace.Metadata) {
	if m.Name != "" {
		s.name = m.Name
	}
	s.buffer = max(s.buffer, m.BufferBytes)
	s.builder.Metadata(m)
}

// Status keeps how full the buffer got.
func (s *sink) Status(st trace.Status) {
	s.used = max(s.used, st.HighWater)
	s.builder.Status(st)
}

// Answer is passed on.
func (s *sink) Answer(command, reason byte) { s.builder.Answer(command, reason) }

// Loss counts what is certain.
func (s *sink) Loss(l trace.Loss) {
	s.lost += l.Records
	s.builder.Loss(l)
}

// silence is how long nothing was recorded at the begin and the end of a run that
// took so long on the host's clock.
func (s *sink) silence(took time.Duration) time.Duration {
	return min(s.first, took) + max(0, took-s.last)
}

func (s *sink) tell() {
	if s.progress == nil {
		return
	}
	p := Progress{At: s.at, Calls: s.calls, Lost: s.lost, Buffer: s.buffer, Used: s.used, Read: -1, Size: s.size}
	if s.read != nil {
		p.Read = *s.read
	}
	s.progress(p)
}
