package truth_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/firmware/shares"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/truth"
)

// run lets a program run on a board for some seconds of 16 MHz.
func run(t testing.TB, program []byte, seconds float64) *sim.Board {
	t.Helper()
	b, err := sim.New(sim.Options{ELF: program})
	if err != nil {
		t.Fatal(err)
	}
	b.Core().Run(uint64(seconds * demo.CoreHz))
	return b
}

// minute is the board after 60 s of the demo.
func minute(t *testing.T) *sim.Board {
	t.Helper()
	if afterMinute == nil {
		afterMinute = run(t, demo.ELF, 60)
	}
	return afterMinute
}

var afterMinute *sim.Board

// accountedFor checks that no cycle is lost or counted twice.
func accountedFor(t *testing.T, b *sim.Board) {
	t.Helper()
	tr, c := b.Truth(), b.Core()
	var self, paths, asleep uint64
	for _, n := range tr.Self() {
		self += n
	}
	for _, p := range tr.Paths() {
		paths += p.Cycles
	}
	for _, n := range tr.Asleep() {
		asleep += n
	}
	if ran := c.Cycles() - c.HaltedCycles(); self != ran || paths != ran || tr.RunningCycles() != ran {
		t.Errorf("the core ran %d cycles; functions %d, paths %d, in all %d", ran, self, paths, tr.RunningCycles())
	}
	if asleep != c.SleepCycles() {
		t.Errorf("the core slept %d cycles, functions %d", c.SleepCycles(), asleep)
	}
	// newlib's strcmp returns through two instructions before its symbol.
	if n := tr.Self()[truth.Unknown]; float64(n) > 1e-4*float64(self) {
		t.Errorf("%d of %d cycles in unknown code", n, self)
	}
}

func TestKnownShares(t *testing.T) {
	b := run(t, shares.ELF, 5)
	accountedFor(t, b)
	all := float64(b.Truth().RunningCycles())
	self, total := b.Truth().Self(), b.Truth().Total()
	for name, want := range shares.Self() {
		if got := float64(self[name]) / all; math.Abs(got-want) > shares.Tolerance {
			t.Errorf("%s: self %.4f, want %.4f", name, got, want)
		}
	}
	for name, want := range shares.Total() {
		if got := float64(total[name]) / all; math.Abs(got-want) > shares.Tolerance {
			t.Errorf("%s: total %.4f, want %.4f", name, got, want)
		}
	}
	path := strings.Repeat("night ", shares.NightDepth()+1)
	if !slices.ContainsFunc(b.Truth().Paths(), func(p truth.Path) bool {
		return strings.Join(p.Frames, " ") == "ebony "+path+"main Reset_Handler"
	}) {
		t.Error("ebony was not called by night in all its depth")
	}
}

// callers is what may call what in the demo, by its sources: leaf to root. ""
// is the outermost function.
var callers = map[string][]string{
	"Reset_Handler":   {""},
	"task_start":      {""},
	"main":            {"Reset_Handler"},
	"idle":            {"main"},
	"sensor_task":     {"task_start"},
	"navigation_task": {"task_start"},
	"telemetry_task":  {"task_start"},
	"SysTick_Handler": {"<exception 15>"},
	"PendSV_Handler":  {"<exception 14>"},
	"kernel_switch":   {"PendSV_Handler"},
	"kernel_tick":     {"SysTick_Handler"},
	"acquire":         {"SysTick_Handler"},
	"receive":         {"SysTick_Handler"},
	"follow_schedule": {"SysTick_Handler"},
	"mission_update":  {"SysTick_Handler", "follow_schedule"},
	"synthetic_axis":  {"acquire"},
	"process_block":   {"sensor_task"},
	"filter_reading":  {"process_block"},
	"chain_run":       {"filter_reading"},
	"fir_apply":       {"chain_run"},
	"biquad_apply":    {"chain_run"},
	"attitude_update": {"process_block"},
	"integrate":       {"attitude_update", "process_block"}, // a tail call
	"normalize":       {"attitude_update"},
	"record_spectrum": {"sensor_task"},
	"transform":       {"spectrum_magnitudes", "transform"},
	"butterflies":     {"transform"},
	"sort_range":      {"sort", "sort_range"},
	"partition":       {"sort_range"},
	"by_value":        {"partition", "insertion_sort", "sort_range"},
	"nmea_parse":      {"navigation_task"},
	"report":          {"telemetry_task"},
	"upload":          {"telemetry_task"},
	"lz_compress":     {"journal_upload"},
	"match_length":    {"lz_compress"},
	// parse_value and parse_member end in tail calls.
	"parse_object":       {"parse_object", "parse_array", "json_parse"},
	"parse_array":        {"parse_object", "parse_array"},
	"parse_member":       {"parse_object"},
	"vsniprintf":         {"journal_log"},
	"__ieee754_sqrtf":    {"sqrtf"},
	"__ieee754_atan2f":   {"atan2f", "attitude_euler"},
	"semaphore_take":     {"sensor_task", "navigation_task"},
	"task_sleep_until":   {"telemetry_task"},
	"settings_apply":     {"upload", "main"},
	"sensors_init":       {"main"},
	"kernel_start":       {"main"},
	"kernel_adopt":       {"kernel_start"},
	"journal_scrub":      {"telemetry_task"},
	"sensors_statistics": {"report"},
}

// Every path of the demo is one that its sources allow.
func TestDemoPaths(t *testing.T) {
	b := minute(t)
	accountedFor(t, b)
	met := map[string]bool{}
	for _, p := range b.Truth().Paths() {
		for i, name := range p.Frames {
			caller := ""
			if i+1 < len(p.Frames) {
				caller = p.Frames[i+1]
			}
			met[name] = true
			if allowed, ok := callers[name]; ok && !slices.Contains(allowed, caller) {
				t.Fatalf("%s called by %q in %v", name, caller, p.Frames)
			}
			if caller == "" && !slices.Contains(callers[name], "") {
				t.Fatalf("%s is outermost in %v", name, p.Frames)
			}
		}
	}
	for name := range callers {
		if !met[name] {
			t.Errorf("%s never ran", name)
		}
	}
}

// The demo is what it says: tasks, interrupts, sleep, and work spread over many
// functions.
func TestDemoIsWorthLookingAt(t *testing.T) {
	tr := minute(t).Truth()
	all := float64(tr.RunningCycles())
	if share := float64(tr.AsleepCycles()) / all; share < .35 || share > .60 {
		t.Errorf("%.1f %% asleep", 100*share)
	}
	asleep, large := tr.Asleep(), 0
	for name, n := range tr.Self() {
		if float64(n-asleep[name]) > .02*all {
			large++
		}
	}
	if large < 8 {
		t.Errorf("%d functions have more than 2 %%", large)
	}
	if total := tr.Total(); float64(total["<exception 15>"])/all < .03 {
		t.Errorf("the tick takes %d of %.0f cycles", total["<exception 15>"], all)
	}
}

func BenchmarkDemo(b *testing.B) {
	board := run(b, demo.ELF, 1)
	c := board.Core()
	instructions := c.Instructions()
	b.ResetTimer()
	for b.Loop() {
		c.Run(c.Cycles() + demo.CoreHz/10)
	}
	b.ReportMetric(float64(c.Instructions()-instructions)/b.Elapsed().Seconds()/1e6, "Minstr/s")
	b.ReportMetric(float64(b.N)/10/b.Elapsed().Seconds(), "target-s/s")
}
