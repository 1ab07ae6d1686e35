package export

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/mprof/mprof/profile"
)

// The words of the summary, for other reports on a profile: the same number looks the same everywhere.

// Percent prints a share, 0 to 1: two decimals below 10 %, one above, as many digits as it takes to tell a
// small one from nothing.
func Percent(share float64) string { return percent(share) }

// PercentPoints prints a standard error of a share, 0 to 1, to go behind one.
func PercentPoints(err float64) string { return errorText(profile.Share{Error: err}) }

// Duration prints a time for a column: four digits, and its unit.
func Duration(d time.Duration) string { return aligned(d) }

// Length prints how long a run was, as the summary begins with it.
func Length(d time.Duration) string { return seconds(d) }

// FactGroup says something about how a profile was taken and how far to trust it.
type FactGroup struct {
	Title string
	Facts []Fact
}

// Fact is one statement, in words.
type Fact struct{ Label, Text string }

// Facts lists what is known of how samples or calls were taken.
func Facts(p *profile.Profile) (all []FactGroup) {
	for _, g := range facts(p) {
		group := FactGroup{Title: g.title}
		for _, f := range g.facts {
			group.Facts = append(group.Facts, Fact{f.label, f.text()})
		}
		all = append(all, group)
	}
	return all
}

// Program is the short name of the program that was profiled.
func Program(p *profile.Profile) string { return processName(p) }

// Printable is a text with a mark in place of each character that a terminal would obey: a name in a file of
// somebody else may hold escape sequences and line ends.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// Place is where a function is defined: the file without its folders, and the line where that is known.
func Place(file string, line int) string {
	file = file[strings.LastIndexAny(file, `/\`)+1:]
	if line <= 0 {
		return Printable(file)
	}
	return fmt.Sprintf("%s:%d", Printable(file), line)
}
