package export

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mprof/mprof/profile"
)

// foldedRemark is what the format cannot hold.
const foldedRemark = "folded stacks hold names and numbers only: the numbers were taken for samples (of traced calls they are nanoseconds); how long they took, where the code is and how it was sampled is not known"

// looksFolded tells whether the first line of data that is no comment is a stack and a
// number.
func looksFolded(data []byte) bool {
	if !printable(data) {
		return false
	}
	for line := range strings.Lines(string(data[:min(len(data), 1<<16)])) {
		if line = foldedLine(line); line != "" {
			_, _, ok := cutFolded(line)
			return ok
		}
	}
	return false
}

// foldedLine is a line without its end, "" for a comment.
func foldedLine(line string) string {
	line = strings.TrimRight(line, " \t\r\n")
	if strings.HasPrefix(line, "#") {
		return ""
	}
	return line
}

// cutFolded splits a line into its stack and its count.
func cutFolded(line string) (stack string, count int64, ok bool) {
	at := strings.LastIndexAny(line, " \t")
	if at <= 0 {
		return "", 0, false
	}
	n, err := strconv.ParseInt(line[at+1:], 10, 64)
	return strings.TrimRight(line[:at], " \t"), n, err == nil && n >= 0
}

// readFolded reads lines of root;...;leaf and a count.
func readFolded(data []byte, in Input) (*profile.Profile, error) {
	rows := profile.NewRows()
	var samples []profile.Sample
	var sum sums
	number, stacks, twice := 0, 0, 0 // lines; those that are stacks, those with a second number
	for line := range bytes.Lines(data) {
		number++
		text := foldedLine(string(line))
		if text == "" {
			continue
		}
		stack, n, ok := cutFolded(text)
		if !ok {
			return nil, fmt.Errorf("line %d is no stack with a whole number behind it: %s", number, clip(text))
		}
		stacks++
		if _, _, two := cutFolded(stack); two {
			twice++
		}
		if n == 0 {
			continue
		}
		if sum.add(n, 0); sum.err != nil {
			return nil, fmt.Errorf("line %d: %w", number, sum.err)
		}
		names := strings.Split(stack, ";")
		if len(names) > maxReadDepth {
			return nil, fmt.Errorf("line %d: a stack of %d frames, and %d are the most", number, len(names), maxReadDepth)
		}
		samples = append(samples, profile.Sample{Count: int(n), Stack: foldedStack(rows, names)})
		if err := checkTables(rows); err != nil {
			return nil, err
		}
	}
	if twice > 1 && twice == stacks {
		return nil, errors.New("each line has two numbers: a difference of two profiles is no profile")
	}
	p := rows.Finish()
	p.Threads = []profile.ThreadTrack{{Name: defaultTrack, Samples: samples}}
	p.Sums = &profile.Sums{}
	if in.Program != nil {
		p.Mapping, p.Others = in.Program.Mappings()[0], in.Program.Mappings()[1:]
	}
	unrecorded(p, foldedRemark)
	return p, nil
}

func foldedStack(rows *profile.Rows, names []string) profile.StackIndex {
	at, category := profile.StackIndex(profile.None), profile.Thread
	for _, name := range names {
		f := profile.Function{Name: name, Label: isLabel(name)}
		if f.Name == "" {
			f.Name, f.Label = "<no name>", true
		}
		category = follow(f, category)
		at = rows.Stack(at, rows.Frame(profile.Frame{Function: rows.Function(f, 0), Symbol: profile.None, Category: category, Guessed: strings.HasSuffix(name, guessedMark)}))
	}
	return at
}

// guessedMark is at the end of the names of guessed functions.
const guessedMark = " [guessed]"

// clip shortens what is quoted in an error.
func clip(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		return strconv.Quote(string(runes[:most])) + "..."
	}
	return strconv.Quote(text)
}
