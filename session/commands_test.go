package session

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestManyCommands: pages that do not know of each other press all buttons. Every command
// ends, refusals are sentences, and the session can be used afterwards.
func TestManyCommands(t *testing.T) {
	s := newSession(t)
	connects := []Connect{{Kind: Samples, Probe: "sim", Rate: 500}, {Kind: Samples, Probe: "sim:debugprobe,unplug=300ms", Rate: 500}, {Kind: Calls, Port: "sim"}, {Kind: Samples, Probe: "sim:none"}}
	var pages sync.WaitGroup
	for page := range uint64(4) {
		random := rand.New(rand.NewPCG(page, 1))
		pages.Go(func() {
			for range 25 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(2000))*time.Millisecond)
				var err error
				switch random.IntN(8) {
				case 0, 1:
					err = s.Connect(ctx, connects[random.IntN(len(connects))])
				case 2, 3:
					err = s.Start(ctx, Start{Duration: time.Duration(random.IntN(3)) * time.Second})
				case 4:
					err = s.Stop(ctx)
				case 5:
					err = s.Reset(ctx)
				case 6:
					_, err = s.Profile(ctx)
				case 7:
					err = s.Disconnect(ctx)
				}
				cancel()
				if err != nil && (err.Error() == "" || strings.Contains(err.Error(), "internal error")) {
					t.Errorf("%v", err)
				}
				s.Source("main.c")
				s.State()
			}
		})
	}
	pages.Wait()
	must(t, s.Disconnect(t.Context()))
	if st := s.State(); st.Phase != Idle {
		t.Errorf("in the end: %+v", st)
	}
	must(t, s.Connect(t.Context(), connects[0]))
	must(t, s.Start(t.Context(), Start{Duration: time.Second}))
	if st := waitFor(t, s, "the end", in(Ready)); st.Err != nil {
		t.Errorf("the last run: %+v", st)
	}
}
