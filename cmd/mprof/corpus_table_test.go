package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/mprof/mprof/firmware/corpus"
)

// corpusTable stands in docs/accuracy.md between these lines.
var corpusTable = regexp.MustCompile(`(?s)(<!-- table: make accuracy -->\n).*?(<!-- end of table -->)`)

// writeCorpusTable prints the table of all programs and, with -update, writes it
// into the document.
func writeCorpusTable(t *testing.T, programs []corpus.Program, results map[corpus.Program][numKnowledge]verdict) {
	t.Helper()
	table := renderCorpusTable(programs, results)
	t.Log("\n" + table)
	if !*update {
		return
	}
	const document = "../../docs/accuracy.md"
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if !corpusTable.Match(text) {
		t.Fatalf("%s has no place for the table", document)
	}
	text = corpusTable.ReplaceAll(text, []byte("${1}\n"+table+"\n${2}"))
	if err := os.WriteFile(document, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func renderCorpusTable(programs []corpus.Program, results map[corpus.Program][numKnowledge]verdict) string {
	var rows, sums strings.Builder
	for _, b := range []*strings.Builder{&sums, &rows} {
		b.WriteString("| program | instructions | equal | lost | cut | guessed | wrong | no CFI: equal | lost | cut | guessed | wrong | symbols only: equal | lost | cut | guessed | wrong |\n")
		b.WriteString(strings.Repeat("|---", 17) + "|\n")
	}
	bySource := map[string]*[numKnowledge]verdict{}
	var sources []string
	for _, p := range programs {
		verdicts := results[p]
		rows.WriteString(corpusRow(p.String(), &verdicts))
		sum := bySource[p.Source]
		if sum == nil {
			sum = &[numKnowledge]verdict{}
			bySource[p.Source] = sum
			sources = append(sources, p.Source)
		}
		for k := range sum {
			sum[k].join(&verdicts[k])
		}
	}
	var all [numKnowledge]verdict
	for _, source := range sources {
		sums.WriteString(corpusRow(source, bySource[source]))
		for k := range all {
			all[k].join(&bySource[source][k])
		}
	}
	sums.WriteString(corpusRow("all", &all))
	return sums.String() + "\n" + rows.String()
}

// join adds the counts of another verdict.
func (v *verdict) join(w *verdict) {
	v.stacks, v.equal, v.lost, v.cut = v.stacks+w.stacks, v.equal+w.equal, v.lost+w.lost, v.cut+w.cut
	v.guessed, v.wrong = v.guessed+w.guessed, v.wrong+w.wrong
}

func corpusRow(name string, verdicts *[numKnowledge]verdict) string {
	row := fmt.Sprintf("| %s | %d |", name, verdicts[0].stacks)
	for k := range verdicts {
		v := &verdicts[k]
		for _, n := range []int{v.equal, v.lost, v.cut, v.guessed, v.wrong} {
			row += fmt.Sprintf(" %.3f |", 100*float64(n)/float64(v.stacks))
		}
	}
	return row + "\n"
}
