package cortexm

import (
	"strings"
	"testing"
)

// PCs between looks: a to y are PCs of a core that is awake, z is what it gives
// asleep; S and W are looks at a core that sleeps and at one that does not.
func TestSleepJudge(t *testing.T) {
	for name, seen := range map[string]string{
		"no look":                           "abcabc",
		"all awake":                         "WabcWabcW",
		"a sleep around a look":             "WabzzSzzabW",
		"a value that is known by then":     "WazSzaWbzbzzW",
		"a handler between two sleeps":      "WazzSzzWzzSzz",
		"asleep from look to look":          "SzzzSzzz",
		"a loop of one instruction":         "WllllWllllW",
		"awake behind a look":               "WabzzzSzzabWabbbW",
		"a sleep that ends before the look": "WabzzSzzabWabzzabW",
	} {
		t.Run(name, func(t *testing.T) {
			j := newSleepJudge()
			judgeOnce(&j, seen)
			marks := judgeOnce(&j, seen) // as the run goes on
			for i, r := range seen {
				if asleep := marks[i] == '#'; asleep != (r == 'z') {
					t.Fatalf("%s\n%s", seen, marks)
				}
			}
		})
	}
}

// A value that nobody saw asleep is a PC.
func TestSleepJudgeKnowsNothing(t *testing.T) {
	j := newSleepJudge()
	if marks := judgeOnce(&j, "WabzzzzabW"); strings.Contains(marks, "#") {
		t.Error(marks)
	}
}

// judgeOnce returns a mark for each PC and a blank for each look.
func judgeOnce(j *sleepJudge, seen string) string {
	var out strings.Builder
	left := look{}
	j.forget()
	for at := 0; at < len(seen); {
		if c := seen[at]; c == 'S' || c == 'W' {
			left = lookOf(c)
			out.WriteByte(' ')
			at++
		}
		pcs, next := letters(seen[at:]), []uint32(nil)
		right := look{}
		if end := at + len(pcs); end < len(seen) {
			right = lookOf(seen[end])
			next = letters(seen[end+1:])
		}
		for _, m := range j.mark(pcs, left, right, next) {
			out.WriteString(map[bool]string{true: "#", false: "."}[m])
		}
		at += len(pcs)
	}
	return out.String()
}

func lookOf(c byte) look {
	if c == 'S' {
		return look{known: true, dhcsr: sSleep}
	}
	return look{known: true}
}

// letters are the PCs up to the next look.
func letters(s string) (pcs []uint32) {
	for _, c := range s {
		if c == 'S' || c == 'W' {
			break
		}
		pcs = append(pcs, uint32(c))
	}
	return pcs
}
