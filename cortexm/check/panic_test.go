package check

import (
	"context"
	"strings"
	"testing"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/sim"
)

// TestPanic: a mistake of ours, with the core halted, leaves it running too.
func TestPanic(t *testing.T) {
	old := all
	defer func() { all = old }()
	all = []one{{"z", "mistake", func(b *bench, ctx context.Context) (f Finding, err error) {
		err = b.halted(ctx, func(context.Context) error {
			panic("a mistake")
		})
		return f, err
	}}}
	b, err := sim.New(sim.Options{ELF: demo.ELF})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Run(t.Context(), b.Transport(), Options{Clock: b})
	if err == nil || !strings.Contains(err.Error(), "mistake: internal error") {
		t.Errorf("error %v", err)
	}
	if s := b.CoreState(); s.Halted || s.DebugEnabled {
		t.Errorf("the core is left %+v", s)
	}
}
