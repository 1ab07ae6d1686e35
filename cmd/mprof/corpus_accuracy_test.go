package main

import (
	"flag"
	"sync"
	"testing"

	"github.com/mprof/mprof/firmware/corpus"
)

var fullCorpus = flag.Bool("corpus", false, "judge every program of firmware/corpus; with -update: write the table of docs/accuracy.md")

// leastEqual is the share of stacks that must be the true one, of those whose
// return addresses exist: 99.9 % with call frame information, 98 % where it is
// missing or hand-written code is what the program is about.
func leastEqual(p corpus.Program, k knowledge) float64 {
	if k == knowAll && !p.Bare() {
		return .999
	}
	return .98
}

// mostWrong is the share of stacks that may have a frame that is false and not
// marked as guessed.
const mostWrong = .0005

// The unwound stack is compared with the shadow call stack at every instruction
// of a corpus of programs.
func TestAccuracyAtEveryInstruction(t *testing.T) {
	programs := corpus.Some(testing.Short())
	if *fullCorpus {
		programs = corpus.All()
	}
	var mu sync.Mutex
	results := map[corpus.Program][numKnowledge]verdict{}
	t.Run("programs", func(t *testing.T) {
		for _, p := range programs {
			t.Run(p.String(), func(t *testing.T) {
				t.Parallel()
				verdicts := judgeProgram(t, p.ELF(t))
				mu.Lock()
				results[p] = verdicts
				mu.Unlock()
				for k := range verdicts {
					verdicts[k].hold(t, p, knowledge(k))
				}
			})
		}
	})
	if *fullCorpus && len(results) == len(programs) {
		writeCorpusTable(t, programs, results)
	}
}

// hold checks the bounds.
func (v *verdict) hold(t *testing.T, p corpus.Program, k knowledge) {
	t.Helper()
	t.Logf("%-12s %v\n%s", knowledgeText[k], v, v.worst(6))
	if v.stacks < 50_000 {
		t.Errorf("%s: only %d instructions", knowledgeText[k], v.stacks)
	}
	if found := float64(v.equal) / float64(v.stacks-v.lost); found < leastEqual(p, k) {
		t.Errorf("%s: %.3f %% of %d stacks are the true ones, want %g %%", knowledgeText[k], 100*found, v.stacks, 100*leastEqual(p, k))
	}
	if share := float64(v.wrong) / float64(v.stacks); share > mostWrong {
		t.Errorf("%s: %.3f %% of %d stacks have a false frame, want at most %g %%", knowledgeText[k], 100*share, v.stacks, 100*mostWrong)
	}
}
