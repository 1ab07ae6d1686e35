package target

import (
	"fmt"
	"strconv"
	"time"
)

const longestRun = 30 * 24 * time.Hour

// ParseDuration reads what people type for a duration: 60 (seconds), 60s, 2m,
// 1m30s, 250ms. Errors: no duration, not above 0, above 30 days.
func ParseDuration(s string) (time.Duration, error) {
	var v time.Duration
	if seconds, err := strconv.ParseFloat(s, 64); err == nil {
		// Compared before the conversion: NaN and overflow fail here.
		if !(seconds > 0 && seconds <= longestRun.Seconds()) {
			return 0, fmt.Errorf("%q is not above 0 and at most %.0fh", s, longestRun.Hours())
		}
		v = time.Duration(seconds * float64(time.Second))
	} else if v, err = time.ParseDuration(s); err != nil {
		return 0, fmt.Errorf("%q is no duration: write 60, 60s, 2m or 1m30s", s)
	}
	if v <= 0 || v > longestRun {
		return 0, fmt.Errorf("%q is not above 0 and at most %.0fh", s, longestRun.Hours())
	}
	return v, nil
}
