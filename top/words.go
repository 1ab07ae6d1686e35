package top

import "fmt"

// moment is a time of the run, as the summary prints it.
func moment(at float64) string {
	if at < 1 {
		return fmt.Sprintf("%.3f ms", at*1e3)
	}
	return fmt.Sprintf("%.3f s", at)
}

// counted is a number with its noun.
func counted(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// size is a size as people say it.
func size(n uint64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d bytes", n)
	case n < 10_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
