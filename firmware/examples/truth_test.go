package examples_test

import (
	"slices"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/examples/examplestest"
	"github.com/mprof/mprof/sim/qemu"
)

const (
	enterHook = "__cyg_profile_func_enter"
	exitHook  = "__cyg_profile_func_exit"
)

// judged are the functions of an example with a length of 10 us or more, which are the same
// code with hooks and without.
var judged = map[string][]string{
	"bare": {"takes_10us", "takes_100us", "takes_1ms", "takes_10ms", "level_8", "level_7", "level_6", "level_5", "level_4", "level_3",
		"level_2", "level_1", "longer_ones", "tick_work", "board_tick", "alarm_work", "board_alarm"},
	"tasks": {"read_level", "control", "checksum", "format", "report", "sample"},
}

// all that are called, of which every call is to have a record.
var called = map[string][]string{
	"bare":  append(slices.Clone(judged["bare"]), "mixed", "calls_often", "recursion", "climbs", "short_ones", "long_one"),
	"tasks": append(slices.Clone(judged["tasks"]), "filtered", "regulated", "board_tick"),
}

// interrupts come at any moment, also where profiling begins and ends.
var interrupts = []string{"board_tick", "board_alarm", "tick_work", "alarm_work", "sample"}

func countOf(example string, hooks bool) *qemu.Count {
	c := &qemu.Count{Functions: called[example], Handlers: []string{"board_tick"}}
	if example == "bare" {
		c.Handlers = append(c.Handlers, "board_alarm")
	} else {
		c.Handlers = append(c.Handlers, "PendSV_Handler")
		c.Resume, c.Stacks = "kernel_resumes", map[uint32]string{1: "logger_stack", 2: "controller_stack"}
	}
	if hooks {
		c.Functions = append(slices.Clone(c.Functions), enterHook, exitHook, "mprof_start", "mprof_stop")
		c.Hooks = []string{enterHook, exitHook}
	}
	return c
}

// enoughCalls are those of a tenth of a second or more of an example's time.
var enoughCalls = map[string]int{"bare": 3000, "tasks": 300}

// meanTruth is how long calls take without mprof, counted: instructions of QEMU's.
func meanTruth(t *testing.T, board, example string) map[string]time.Duration {
	t.Helper()
	elf := examplestest.Build{Example: example, Board: board, NoHooks: true}.ELF(t)
	m := qemu.Start(t, qemu.Options{Board: board, ELF: elf, Count: countOf(example, false)})
	if err := m.AwaitCalls(enoughCalls[example]); err != nil {
		t.Fatal(err)
	}
	counted, err := m.Counted()
	if err != nil {
		t.Fatal(err)
	}
	n, sum := map[string]uint64{}, map[string]uint64{}
	for _, c := range counted.Calls {
		n[c.Function]++
		sum[c.Function] += c.Net()
	}
	mean := map[string]time.Duration{}
	for f := range n {
		mean[f] = time.Duration(float64(sum[f]) / float64(n[f]) * qemu.NsPerInstruction)
	}
	return mean
}

// span is one call, in instructions or in cycles.
type span struct {
	function    string
	entry, exit uint64
}

func spansOf(calls []qemu.Call) []span {
	all := make([]span, len(calls))
	for i, c := range calls {
		all[i] = span{c.Function, c.Entry, c.Exit}
	}
	return all
}

// window is the calls that began and returned while profiling ran: between the last return
// of mprof_start and the call of mprof_stop.
func window(calls []span) []span {
	var begin uint64
	end := ^uint64(0)
	for _, c := range calls {
		if c.function == "mprof_start" {
			begin = c.exit
		}
	}
	for _, c := range calls {
		if c.function == "mprof_stop" && c.entry > begin {
			end = min(end, c.entry)
		}
	}
	return slices.DeleteFunc(slices.Clone(calls), func(c span) bool { return c.entry < begin || c.exit > end })
}
