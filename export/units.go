package export

import (
	"fmt"
	"math"
	"time"
)

// exactly prints a duration of a traced call: four digits in the unit that keeps
// it readable, and whole nanoseconds below a microsecond.
func exactly(d time.Duration) string {
	switch v := d.Abs(); {
	case v < time.Microsecond:
		return fmt.Sprintf("%d ns", d.Nanoseconds())
	case v < time.Millisecond:
		return fmt.Sprintf("%.4g µs", float64(d)/1e3)
	case v < time.Second:
		return fmt.Sprintf("%.4g ms", float64(d)/1e6)
	case v < 1000*time.Second:
		return fmt.Sprintf("%.4g s", d.Seconds())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}

// aligned prints the same for a column: with all four digits, so that the points of
// values in one unit stand below each other as far as they can.
func aligned(d time.Duration) string {
	v, unit := float64(d), "ns"
	for _, u := range []string{"µs", "ms", "s"} {
		if math.Abs(v) < 999.95 && (unit != "ns" || math.Abs(v) < 1000) {
			break
		}
		v, unit = v/1000, u
	}
	digits := 0
	if unit != "ns" {
		digits = max(0, 3-int(math.Floor(math.Log10(max(math.Abs(v), 1)))))
	}
	return fmt.Sprintf("%.*f %s", digits, v, unit)
}

// moment prints a time since the start of the run to a microsecond below a
// second, else to a millisecond: what it takes to find a call on a timeline.
func moment(at time.Duration) string {
	if at < time.Second {
		return fmt.Sprintf("%.3f ms", float64(at)/1e6)
	}
	return fmt.Sprintf("%.3f s", at.Seconds())
}

// counted is a number with its noun, in the plural where it is not one.
func counted(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
