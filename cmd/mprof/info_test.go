package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/sim"
)

// TestInfoText holds the whole text for one probe.
func TestInfoText(t *testing.T) {
	s := mprof(t.Context(), nil, "info", "--probe", "sim:mcu-link,chip=rp2040", "--core", "1")
	if s.code != 0 {
		t.Fatalf("exit code %d: %s", s.code, s.stderr)
	}
	const golden = "testdata/info.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(s.stdout), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), s.stdout); diff != "" {
		t.Errorf("the text has changed (go test ./cmd/mprof -run InfoText -update):\n%s", diff)
	}
}

// TestInfo: every probe model and every chip, without a halt and without a
// trace left behind.
func TestInfo(t *testing.T) {
	var probes []string
	for _, model := range sim.Models() {
		probes = append(probes, "sim:"+model)
	}
	for _, chip := range []string{"rp2040", "rp2040-together", "rp2350", "two-aps"} {
		probes = append(probes, "sim:debugprobe,chip="+chip)
	}
	for _, p := range probes {
		s := mprof(t.Context(), nil, "info", "--probe", p, "--json")
		var r found
		if err := json.Unmarshal([]byte(s.stdout), &r); err != nil || s.code != 0 {
			t.Fatalf("%s: exit code %d, %v: %s%s", p, s.code, err, s.stdout, s.stderr)
		}
		m := s.board.Model()
		if r.Probe.Product != m.Product || r.Probe.PacketSize != m.PacketSize || strings.HasSuffix(r.Probe.Kind, "v1") != m.HID || r.Probe.TimestampHz != m.TimestampHz {
			t.Errorf("%s: probe %+v", p, r.Probe)
		}
		if r.Core == nil || r.Core.Core != "Cortex-M4 r0p1" || r.Core.PCSR != "yes" || r.Core.Breakpoints != 6 || r.Core.State.Halted {
			t.Errorf("%s: core %+v", p, r.Core)
		}
		if r.Components == nil || len(r.Components.Children) != 3 || r.Components.Children[1].Name != "DWT" {
			t.Errorf("%s: components %+v", p, r.Components)
		}
		if r.Costs == nil || r.Costs.TransferNs <= 0 || r.Costs.RoundTripNs <= 0 {
			t.Errorf("%s: costs %+v", p, r.Costs)
		}
		for i := range s.board.Cores() {
			state := s.board.CoreStateOf(i)
			if halted := s.board.HaltedTimeOf(i); state.Halted || state.DebugEnabled || halted != 0 {
				t.Errorf("%s: core %d is left %+v, stood for %v", p, i, state, halted)
			}
		}
	}
}

// TestInfoWithoutTarget: the probe's half is printed, then the error.
func TestInfoWithoutTarget(t *testing.T) {
	for probe, says := range map[string]string{
		"sim:debugprobe,pins-off=1us":         "the target does not answer",
		"sim:debugprobe,chip=locked":          "debug access is locked",
		"sim:debugprobe,chip=no-debug-power":  "does not power up",
		"sim:debugprobe,chip=read-protected":  "read CPUID",
		"sim:debugprobe,chip=rp2040,off=10ms": "",
	} {
		s := mprof(t.Context(), nil, "info", "--probe", probe)
		if s.code != 1 || !strings.Contains(s.stdout, "Simulated Debug Probe") || !strings.Contains(s.stderr, says) {
			t.Errorf("%s: exit code %d\n%s%s", probe, s.code, s.stdout, s.stderr)
		}
		var r found
		s = mprof(t.Context(), nil, "info", "--probe", probe, "--json")
		if err := json.Unmarshal([]byte(s.stdout), &r); err != nil || s.code != 1 || r.Error == "" || r.Probe.Serial != "MPROFSIM0002" {
			t.Errorf("%s: exit code %d, %v\n%s", probe, s.code, err, s.stdout)
		}
	}
}

// TestInfoUnderReset: a program that turns its pins off is inspected at its reset
// vector and runs afterwards.
func TestInfoUnderReset(t *testing.T) {
	for probe, by := range map[string]string{"sim:daplink-hid,pins-off=300us": "nRESET", "sim:,no-nreset": "AIRCR.SYSRESETREQ"} {
		s := mprof(t.Context(), nil, "info", "--probe", probe, "--connect-under-reset")
		if s.code != 0 || !strings.Contains(s.stdout, "reset by "+by+" and held at its reset vector") {
			t.Errorf("%s: exit code %d\n%s%s", probe, s.code, s.stdout, s.stderr)
		}
		s.leftRunning(t)
	}
}

// TestInfoOfAHaltedCore: somebody else's halt is reported and left alone.
func TestInfoOfAHaltedCore(t *testing.T) {
	s := mprof(t.Context(), func(b *sim.Board) {
		b.Core().SetDebugEnabled(true)
		b.Core().Halt()
	}, "info", "--probe", "sim")
	if s.code != 0 || !strings.Contains(s.stdout, "halted by a debugger's request") || !s.board.CoreState().Halted {
		t.Errorf("exit code %d, %+v\n%s%s", s.code, s.board.CoreState(), s.stdout, s.stderr)
	}
}

// TestInfoFPU: the board has a floating-point unit where it is asked for.
func TestInfoFPU(t *testing.T) {
	for probe, want := range map[string]string{"sim:mcu-link": "none", "sim:mcu-link,fpu=on": "single precision", "sim:mcu-link,fpu=off": "none"} {
		var got struct{ Core struct{ FPU string } }
		s := mprof(t.Context(), nil, "info", "--json", "--probe", probe)
		if err := json.Unmarshal([]byte(s.stdout), &got); s.code != 0 || err != nil || got.Core.FPU != want {
			t.Errorf("%s: exit code %d, %v, FPU %q, want %q", probe, s.code, err, got.Core.FPU, want)
		}
	}
}
