package main

import (
	"flag"
	"testing"

	"github.com/mprof/mprof/firmware/corpus"
)

var fullCorpus = flag.Bool("corpus", false, "judge every program of firmware/corpus")

// The unwound stack is compared with the shadow call stack at every instruction
// of a corpus of programs.
func TestAccuracyAtEveryInstruction(t *testing.T) {
	programs := corpus.Some(testing.Short())
	if *fullCorpus {
		programs = corpus.All()
	}
	for _, p := range programs {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			verdicts := judgeProgram(t, p.ELF(t))
			for k := range verdicts {
				v := &verdicts[k]
				t.Logf("%-12s %v\n%s", knowledgeText[k], v, v.worst(6))
			}
		})
	}
}
