//go:build cgo && linux

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mprof/mprof/cortexm/check"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/usbfs"
)

// TestProbeCheckThroughLibusb: the command as users run it, on a probe that the
// real libusb finds, whose board keeps pace with the wall clock. Figures that
// depend on how busy this machine is are not compared.
func TestProbeCheckThroughLibusb(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a quarter of a minute of real time")
	}
	if _, err := usbfs.Preload(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	for _, model := range []string{"mcu-link", "daplink-hid"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel() // they wait more than they work
			board, err := sim.New(sim.Options{ELF: demo.ELF, Model: model, CoreHz: 4_000_000})
			if err != nil {
				t.Fatal(err)
			}
			bus, err := usbfs.NewBus()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := bus.Close(); err != nil {
					t.Error(err)
				}
			})
			if _, err := bus.Plug(usbfs.ConfigOf(board.Model()), board.PacedTransport()); err != nil {
				t.Fatal(err)
			}
			environ, err := bus.Environ()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), os.Args[0], "probe", "check", "--probe", board.Model().Serial, "--json")
			cmd.Env = append(append(os.Environ(), environ...), "MPROF_TEST_AS_COMMAND=1")
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			checkRealReport(t, board, out)
		})
	}
}

func checkRealReport(t *testing.T, board *sim.Board, out []byte) {
	t.Helper()
	var c struct{ checked }
	c.Report = &check.Report{}
	if err := json.Unmarshal(out, &c); err != nil {
		t.Fatal(err)
	}
	want := map[string]check.Verdict{
		"capabilities": check.OK, "packet sizes": check.OK, "packets in flight": check.OK, "DAP_TransferAbort": check.OK,
		"banked data registers": check.OK, "FAULT": check.OK, "guard packet": check.OK, "S_REGRDY": check.OK, "memory while running": check.OK,
	}
	stalls := 0 // of this machine, each for longer than a probe may take to answer
	for _, f := range c.Findings {
		if strings.Contains(strings.Join(f.Facts, " "), "no response in time") && f.Verdict == check.CannotTell && !f.Unsafe {
			stalls++
			t.Logf("this machine did not get to run for a second: %s: %q", f.Name, f.Facts)
		} else if v, ok := want[f.Name]; ok && f.Verdict != v || f.Unsafe {
			t.Errorf("%s: %s: %q", f.Name, f.Verdict, f.Facts)
		}
		delete(want, f.Name)
	}
	if stalls > 2 {
		t.Errorf("%d findings are not known", stalls)
	}
	if len(want) > 0 || c.Error != "" || c.Probe == "" {
		t.Errorf("not checked: %v; error %q; probe %q", want, c.Error, c.Probe)
	}
	if state := board.CoreState(); state.Halted || state.DebugEnabled {
		t.Errorf("the core is left %+v", state)
	}
	t.Logf("%d halts, %v at most by the clock of this machine; the board lagged %v", c.Halts, c.HaltedLongest, board.Lag())
}
