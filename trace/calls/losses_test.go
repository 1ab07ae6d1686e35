package calls

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/trace"
)

// packets keeps each packet that an encoder writes.
type packets [][]byte

func (p *packets) Write(b []byte) (int, error) {
	*p = append(*p, slices.Clone(b))
	return len(b), nil
}

// lossy is a simulated run of which not all records arrive.
type lossy struct {
	*simulator
	arrived []bool // by record
	first   uint64 // entry of the first call that arrived
	begin   int    // the first record of the recording
	unnamed bool   // contexts are not told, nor where something is missing: a call that arrived may be missing in its caller
}

func (s *lossy) name(c uint16) string {
	if s.unnamed {
		return ""
	}
	if c >= trace.FirstException {
		return fmt.Sprintf("Exception %d", c-trace.FirstException)
	}
	if s.tasks > 1 {
		return fmt.Sprintf("Task %d", c)
	}
	return "Thread mode"
}

func leaf(f uint32) string { return fmt.Sprintf("f%d", (f-address(0))/0x20) }

// judge compares a profile with the truth: every call is one that happened and arrived, every caller
// is the true one, or a label stands where the caller did not arrive; and where nothing
// got lost within a call, its times are true.
func (s *lossy) judge(t *testing.T, p *profile.Profile) {
	t.Helper()
	byName := map[string][]*truth{}
	arrived := uint64(0)
	s.first = 1 << 63
	for _, k := range s.ended {
		if s.arrived[k.record] {
			s.first = min(s.first, k.entry)
			arrived++
		}
	}
	for _, k := range s.ended {
		if s.arrived[k.record] {
			id := fmt.Sprint(s.name(k.context), " ", leaf(k.function), " ", k.entry-s.first)
			byName[id] = append(byName[id], k)
		}
	}
	if p.Trace.Calls != arrived || p.Trace.Kept != arrived {
		t.Fatalf("%d calls, %d of them kept, %d arrived", p.Trace.Calls, p.Trace.Kept, arrived)
	}
	for _, track := range p.Threads {
		for _, c := range track.Calls {
			var path []string
			for _, f := range p.Callers(c.Stack) {
				if name := p.Functions[f.Function].Name; !strings.HasPrefix(name, "<exception") {
					path = append(path, name)
				}
			}
			name := track.Name
			if s.unnamed {
				name = ""
			}
			id := fmt.Sprint(name, " ", path[0], " ", c.Time.Microseconds())
			i, why := slices.IndexFunc(byName[id], func(k *truth) bool { return s.fits(k, c, path) == "" }), ""
			if i < 0 {
				for _, k := range byName[id] {
					why += "\n" + s.fits(k, c, path)
				}
				t.Fatalf("seed %d: %s, %v took %v (%v): nothing like that happened%s", s.seed, id, path, c.Duration, c.Net, why)
			}
			byName[id] = slices.Delete(byName[id], i, i+1)
		}
	}
}

// fits tells why a call with a path, leaf first, cannot be the call k.
func (s *lossy) fits(k *truth, c profile.Call, path []string) string {
	if !s.unnamed && !s.lostWithin(k) {
		if net := time.Duration(k.net) * time.Microsecond; net != c.Net {
			return fmt.Sprintf("its time is %v", net)
		}
		if longest := time.Duration(k.exit-k.entry-s.inner) * time.Microsecond; c.Duration > longest {
			return fmt.Sprintf("it took %v at most", longest)
		}
	}
	return s.callers(k, path[1:])
}

// callers tells why callers, innermost first, cannot be those of call k.
func (s *lossy) callers(k *truth, path []string) string {
	switch {
	case len(path) == 0 && k.caller != nil:
		return "it has a caller"
	case len(path) == 0:
		return ""
	case !strings.HasPrefix(path[0], "<"):
		if k.caller == nil || leaf(k.caller.function) != path[0] {
			return "wrong caller " + path[0]
		}
		return s.callers(k.caller, path[1:])
	case k.caller == nil:
		return "it has no caller"
	case !s.unnamed && s.arrived[k.caller.record] && (k.caller.entry != k.entry || !slices.Contains(s.arrived[k.record:k.caller.record], false)):
		return "its caller is known"
	case len(path) == 1:
		return ""
	}
	for at := k.caller.caller; at != nil; at = at.caller {
		if leaf(at.function) == path[1] && s.arrived[at.record] && s.callers(at, path[2:]) == "" {
			return ""
		}
	}
	return "no such caller " + path[1]
}

// lostWithin tells whether a record is missing of what happened during a call, or of before, so
// that nobody knows that it was before.
func (s *lossy) lostWithin(k *truth) bool {
	for i := k.record; i >= s.begin; i-- {
		r := &s.records[i]
		if !s.arrived[i] {
			return true
		}
		if at := r.Exit(); int32(at-uint32(k.entry)) < 0 {
			return false
		}
	}
	return false
}

func newLossy(seed uint64) *lossy {
	s := &lossy{simulator: newSimulator(seed)}
	if seed%2 == 0 {
		s.tasks = 2 + int(seed/2)%3
	}
	s.run()
	s.arrived = make([]bool, len(s.records))
	return s
}

func (s *lossy) builder(seed uint64) *Builder {
	b := NewBuilder(names{}, Options{})
	if seed%5 == 0 {
		b.most.waiting = 50
	}
	return b
}

// A recording that begins or ends in the middle: what ran at its ends has no record.
func TestTruncated(t *testing.T) {
	for seed := range seeds(300) {
		s := newLossy(seed)
		from := s.random.IntN(len(s.records) / 2)
		to := from + s.random.IntN(len(s.records)-from)
		start := s.records[from].Exit()
		var sent []trace.Record
		s.begin = from
		for i, r := range s.records[from:to] {
			if s.arrived[from+i] = int32(r.Entry-start) >= 0; s.arrived[from+i] {
				sent = append(sent, r)
			}
		}
		b := NewBuilder(names{}, Options{})
		b.Metadata(s.metadata())
		s.feed(b, 2, sent)
		if p := finish(t, b); p.Trace.Calls > 0 {
			s.judge(t, p)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// encode sends the records in packets, of which some do not arrive; the target has dropped some
// records before.
func (s *lossy) encode(version int) []byte {
	var sent packets
	e := trace.NewEncoder(&sent, trace.EncoderOptions{Version: version, MaxPayload: 4096})
	e.Metadata(s.metadata())
	e.Answer(trace.CommandStart, 0)
	var status trace.Status
	for i := 0; i < len(s.records); {
		from, packet := i, len(sent)
		for n := 1 + s.random.IntN(40); n > 0 && i < len(s.records); n-- {
			if s.random.IntN(50) == 0 {
				k := min(1+s.random.IntN(5), len(s.records)-i)
				e.Dropped(uint32(k))
				status.Dropped += uint32(k)
				i += k
				continue
			}
			e.Record(s.records[i])
			if version == 2 || !s.records[i].Switch() {
				status.Sent++
			}
			s.arrived[i] = true
			i++
		}
		e.Flush()
		switch s.random.IntN(8) {
		case 0: // it does not arrive
			sent = sent[:packet]
			clear(s.arrived[from:i])
		case 1: // or with an error
			for _, p := range sent[packet:] {
				p[s.random.IntN(len(p))] ^= 0x10
			}
			clear(s.arrived[from:i])
		}
	}
	status.Known = trace.KnownUnmatched
	e.Status(status)
	return slices.Concat(sent...)
}

// Packets that are lost, and records that the target dropped: what arrived is there,
// what did not is counted.
func TestLosses(t *testing.T) {
	for seed := range seeds(300) {
		s := newLossy(seed)
		stream := s.encode(2)
		b := s.builder(seed)
		d := trace.NewDecoder(b, trace.DecoderOptions{Variant: &trace.Variant{}})
		for len(stream) > 0 {
			n := min(len(stream), 1+s.random.IntN(200))
			d.Write(stream[:n])
			stream = stream[n:]
		}
		d.Close()
		p := finish(t, b)
		s.judge(t, p)
		lost := uint64(0)
		for i := range s.records {
			if !s.arrived[i] {
				lost++
			}
		}
		if p.Trace.LostCalls != lost {
			t.Errorf("%d records are lost, %d known: %+v", lost, p.Trace.LostCalls, p.Trace.Losses)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// What a target counts begins with its START. Where that is not in the stream, what was
// before does not belong to it.
func TestCountsBegin(t *testing.T) {
	for _, begun := range []bool{false, true} {
		b := NewBuilder(names{}, Options{})
		b.Metadata(microseconds())
		if begun {
			b.Answer(trace.CommandStart, 0)
		}
		status := trace.Status{Sent: 1000, Dropped: 50, TooDeep: 7, Unmatched: 1, HighWater: 80, Known: trace.KnownUnmatched}
		b.Status(status)
		records(b, at(0, 0, work, 100, 200), at(0, 0, work, 300, 400))
		status.Sent, status.Dropped, status.TooDeep = 1003, 52, 8
		b.Status(status)
		want := [4]uint64{3, 1, 0, 80} // one on the way, two dropped
		if begun {
			want = [4]uint64{1053, 8, 1, 80}
		}
		b.Answer(trace.CommandReset, 0)
		b.Answer(trace.CommandStop, 0)
		b.Answer(trace.CommandStart, 1)
		tr := finish(t, b).Trace
		if got := [4]uint64{tr.LostCalls, tr.TooDeep, tr.Unmatched, tr.HighWater}; got != want {
			t.Errorf("start in the stream %v: %v, want %v", begun, got, want)
		}
	}
}

// In version 1, too, a caller is the true one or a label, as long as there is one context;
// what the target dropped is known from STATUS alone.
func TestDroppedInVersion1(t *testing.T) {
	for seed := range seeds(100) {
		s := &lossy{simulator: newSimulator(seed), unnamed: true}
		s.exceptions = 0
		s.run()
		s.arrived = make([]bool, len(s.records))
		b := NewBuilder(names{}, Options{})
		b.Metadata(s.metadata())
		b.Answer(trace.CommandStart, 0)
		status := trace.Status{Known: trace.KnownUnmatched}
		for i := 0; i < len(s.records); i++ {
			if s.random.IntN(20) == 0 {
				status.Dropped++
				continue
			}
			s.arrived[i] = true
			r := s.records[i]
			r.Context = trace.NoContext
			b.Records(trace.Batch{Version: 1, Records: []trace.Record{r}})
			if status.Sent++; i%100 == 0 {
				b.Status(status)
			}
		}
		b.Status(status)
		p := finish(t, b)
		s.judge(t, p)
		if p.Trace.LostCalls != uint64(status.Dropped) || len(p.Trace.Losses) != 1 || p.Trace.Losses[0].Calls != uint64(status.Dropped) {
			t.Errorf("seed %d: %d lost, %d dropped, %+v", seed, p.Trace.LostCalls, status.Dropped, p.Trace.Losses)
		}
	}
}
