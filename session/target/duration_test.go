package target_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/session/target"
)

// says tells whether an error is there and has all of these words.
func says(err error, words ...string) bool {
	if err == nil {
		return false
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			return false
		}
	}
	return true
}

func isUsage(err error) bool { return errors.As(err, new(*target.UsageError)) }

func TestParseDuration(t *testing.T) {
	const month = 30 * 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"60": time.Minute, "60s": time.Minute, "2m": 2 * time.Minute, "1m30s": 90 * time.Second, "250ms": 250 * time.Millisecond,
		"0.25": 250 * time.Millisecond, "1e-9": 1, "2592000": month, "720h": month,
	} {
		if got, err := target.ParseDuration(text); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "no duration", "abc": "no duration", "5 minutes": "no duration", "1d": "no duration",
		"0": "not above 0 and at most 720h", "-1": "not above 0 and at most 720h", "0s": "not above 0 and at most 720h", "-3s": "not above 0 and at most 720h", "1e-10": "not above 0 and at most 720h",
		"2592001": "not above 0 and at most 720h", "721h": "not above 0 and at most 720h", "1e300": "not above 0 and at most 720h", "inf": "not above 0 and at most 720h", "-Inf": "not above 0 and at most 720h", "NaN": "not above 0 and at most 720h",
		"9999999h": "no duration", // more than a time.Duration has room for
	} {
		if got, err := target.ParseDuration(text); !says(err, fmt.Sprintf("%q", text), want) || got != 0 {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// FuzzParseDuration: what is accepted lies within the bounds that the error names, and its
// text means the same.
func FuzzParseDuration(f *testing.F) {
	for _, s := range []string{"60", "1m30s", "NaN", "1e400", "-0", "0x1p-9", "٣"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := target.ParseDuration(s)
		if err != nil {
			if d != 0 {
				t.Errorf("%q: %v beside %v", s, d, err)
			}
			return
		}
		if d <= 0 || d > 30*24*time.Hour {
			t.Errorf("%q: %v", s, d)
		}
		if again, err := target.ParseDuration(d.String()); err != nil || again != d {
			t.Errorf("%q: %v, read again %v, %v", s, d, again, err)
		}
	})
}

// TestEndReason: the error of a run stands above why its context ended, and a duration is no
// error.
func TestEndReason(t *testing.T) {
	over, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	<-over.Done()
	stopped, stop := context.WithCancelCause(t.Context())
	stop(errors.New("stopped by the user"))
	cancelled, end := context.WithCancel(t.Context())
	end()
	lost := errors.New("the probe is gone")
	for _, c := range []struct {
		name string
		ctx  context.Context
		err  error
		want string
	}{
		{"still going", t.Context(), nil, "duration reached"},
		{"deadline", over, nil, "duration reached"},
		{"cancelled without a cause", cancelled, nil, "duration reached"},
		{"stopped", stopped, nil, "stopped by the user"},
		{"failed", t.Context(), lost, "the probe is gone"},
		{"failed as it was stopped", stopped, lost, "the probe is gone"},
	} {
		if got := target.EndReason(c.ctx, c.err); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
