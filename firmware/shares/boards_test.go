package shares_test

import (
	"os"
	"testing"

	"github.com/mprof/mprof/firmware/shares"
)

// Every board's program has the workers of the others, with equal bodies, and the counter.
func TestBoards(t *testing.T) {
	for _, b := range shares.Boards() {
		t.Run(b.Name, func(t *testing.T) {
			data, err := os.ReadFile(b.ELF(t))
			if err != nil {
				t.Fatal(err)
			}
			checkBodies(t, data)
			total := 0.
			for _, share := range b.Self(128) {
				total += share
			}
			if total < 1-1e-12 || total > 1+1e-12 || b.Self(128)["flash"] < .001 || b.Self(128)["flash"] > .01 {
				t.Errorf("shares %v", b.Self(128))
			}
		})
	}
}
