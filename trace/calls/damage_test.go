package calls

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/trace"
)

// small is a recording of a few calls in a task and an interrupt, the last of which come
// behind the ACK of STOP, and how long each call of them took.
func small(t *testing.T, version int) (recording []byte, truth map[string]int, ends []int) {
	t.Helper()
	var out bytes.Buffer
	e := trace.NewEncoder(&out, trace.EncoderOptions{Version: version})
	m := microseconds()
	m.Version = version
	_ = e.Metadata(m)
	_ = e.Answer(trace.CommandStart, 0)
	truth = map[string]int{}
	now := uint32(5000)
	call := func(context uint16, depth uint16, f int, duration uint32) {
		if version == 1 {
			context = trace.NoContext
		}
		if err := e.Record(trace.Record{Func: address(f), Entry: now - duration, Duration: duration, Context: context, Depth: depth}); err != nil {
			t.Fatal(err)
		}
		truth[fmt.Sprint(leaf(address(f)), " ", duration)]++
	}
	for round := range 6 {
		k := uint32(round)
		now += 40
		call(0, 2, leaf1, 20+k)
		now += 8
		call(trace.FirstException+15, 0, irq, 2)
		now += 40
		call(0, 1, work, 80+k)
		now += 20
		call(0, 0, main_, 130+k)
		now += 100
		_ = e.Flush()
		ends = append(ends, out.Len())
		if round == 3 {
			_ = e.Answer(trace.CommandStop, 0)
		}
	}
	_ = e.Status(trace.Status{Sent: 24, Known: trace.KnownUnmatched})
	return out.Bytes(), truth, ends
}

// played is the profile of a recording, and what is said of it; nil: an error.
func played(t *testing.T, recording []byte) (*profile.Profile, error) {
	t.Helper()
	b := NewBuilder(names{}, Options{})
	var said []string
	err := trace.Replay(t.Context(), bytes.NewReader(recording), b, trace.ReplayOptions{Remark: func(text string) { said = append(said, text) }})
	return b.Finish(profile.Acquisition{Remarks: said}, 0), err
}

// judgeDamaged wants no call that did not happen, none that took another time, and a word
// where one is missing, unless the recording had begun later.
func judgeDamaged(t *testing.T, what string, recording []byte, truth map[string]int, begun bool) {
	t.Helper()
	p, err := played(t, recording)
	seen, all, calls := map[string]int{}, 0, 0
	for _, track := range p.Threads {
		for _, c := range track.Calls {
			key := ""
			for _, f := range p.Callers(c.Stack) {
				key = fmt.Sprint(p.Functions[f.Function].Name, " ", c.Duration.Microseconds())
				break
			}
			if seen[key]++; seen[key] > truth[key] || c.Duration%time.Microsecond != 0 || c.AtLeast {
				t.Fatalf("%s: %s took %v: nothing like that happened", what, key, c.Duration)
			}
			calls++
		}
	}
	for _, n := range truth {
		all += n
	}
	words := slices.DeleteFunc(slices.Clone(p.Taken.Remarks), func(r string) bool { return strings.HasPrefix(r, "version 1 does not say") })
	if err == nil && calls > 0 && calls < all && !begun && p.Trace.LostCalls == 0 && len(p.Trace.Losses) == 0 && len(words) == 0 {
		t.Fatalf("%s: %d of %d calls are missing, and nothing is said", what, all-calls, all)
	}
	if uint64(calls)+p.Trace.LostCalls > uint64(all) {
		t.Fatalf("%s: %d calls and %d lost, of %d", what, calls, p.Trace.LostCalls, all)
	}
	var self time.Duration
	for _, f := range p.Trace.Functions {
		self += f.Self
	}
	for _, track := range p.Threads {
		for _, s := range track.Samples {
			self -= s.Weight
		}
	}
	if self != 0 {
		t.Fatalf("%s: statistics and samples differ by %v", what, self)
	}
}

// A recording that ends anywhere, begins anywhere, has a wrong bit anywhere, or lacks a
// byte or a packet anywhere.
func TestDamage(t *testing.T) {
	for _, version := range []int{1, 2} {
		whole, truth, ends := small(t, version)
		for i := range whole {
			judgeDamaged(t, fmt.Sprintf("version %d, cut at %d", version, i), whole[:i], truth, false)
			judgeDamaged(t, fmt.Sprintf("version %d, without byte %d", version, i), append(append([]byte{}, whole[:i]...), whole[i+1:]...), truth, false)
			for bit := range 8 {
				b := bytes.Clone(whole)
				b[i] ^= 1 << bit
				judgeDamaged(t, fmt.Sprintf("version %d, bit %d of %d", version, bit, i), b, truth, false)
			}
		}
		for i := range ends[1:] {
			judgeDamaged(t, fmt.Sprintf("version %d, without packet %d", version, i), append(append([]byte{}, whole[:ends[i]]...), whole[ends[i+1]:]...), truth, false)
		}
	}
}

// A recording that begins in the middle.
func TestDamageBegin(t *testing.T) {
	for _, version := range []int{1, 2} {
		whole, truth, _ := small(t, version)
		for i := range whole {
			judgeDamaged(t, fmt.Sprintf("version %d, from %d on", version, i), whole[i:], truth, true)
		}
	}
}
