package export

import (
	"testing"
	"time"
)

func TestDurationsInWords(t *testing.T) {
	for _, c := range []struct {
		d              time.Duration
		exact, aligned string
	}{
		{0, "0 ns", "0 ns"},
		{7, "7 ns", "7 ns"},
		{999, "999 ns", "999 ns"},
		{1000, "1 µs", "1.000 µs"},
		{30 * time.Microsecond, "30 µs", "30.00 µs"},
		{123456, "123.5 µs", "123.5 µs"},
		{999_940, "999.9 µs", "999.9 µs"},
		{999_960, "1000 µs", "1.000 ms"},
		{999_999_999, "1000 ms", "1.000 s"},
		{61 * time.Second, "61 s", "61.00 s"},
		{3600 * time.Second, "3600 s", "3600 s"},
		{100_000 * time.Second, "100000 s", "100000 s"},
		{-42, "-42 ns", "-42 ns"},
	} {
		if got := exactly(c.d); got != c.exact {
			t.Errorf("exactly(%d) = %q, want %q", c.d, got, c.exact)
		}
		if got := aligned(c.d); got != c.aligned {
			t.Errorf("aligned(%d) = %q, want %q", c.d, got, c.aligned)
		}
	}
	for at, want := range map[time.Duration]string{0: "0.000 ms", 1500: "0.002 ms", 410_258_300: "410.258 ms", 11_375_000_000: "11.375 s"} {
		if got := moment(at); got != want {
			t.Errorf("moment(%d) = %q, want %q", at, got, want)
		}
	}
	for phrase, want := range map[string]string{"packets with a wrong CRC": "packet with a wrong CRC", "stretches of bytes": "stretch of bytes", "times": "time", "gaps in it": "gap in it"} {
		if got := singular(phrase); got != want {
			t.Errorf("singular(%q) = %q", phrase, got)
		}
	}
}
