package pagetest

// An invented firmware: call paths, how much of the time each takes, and how long one call does.

type function struct {
	name string
	file string
	line int
}

var functions = []function{
	{"main", "src/main.c", 40},
	{"idle", "src/main.c", 30},
	{"wait_for_interrupt", "src/cpu.h", 31},
	{"process_block", "src/sensors.c", 78},
	{"filter_step", "src/filter.c", 12},
	{"fir", "src/filter.c", 33},
	{"memcpy", "", 0},
	{"report", "src/telemetry.c", 67},
	{"format_number", "src/telemetry.c", 21},
	{"crc32", "src/crc.c", 9},
	{"<exception: SysTick>", "", 0},
	{"SysTick_Handler", "src/timer.c", 28},
	{"run_timers", "src/timer.c", 22},
	{"receive", "src/navigation.c", 45},
	{"ring_push", "src/ring.h", 31},
	{"<exception: ADC>", "", 0},
	{"ADC_IRQHandler", "src/adc.c", 14},
	{"isr_adc", "src/adc.c", 31},
}

// node is a call path: a function above another node.
type node struct {
	parent, function int
	category         int
	inlined          int
	share            float64 // of the samples, that end here
	track            int     // of a trace
	length           float64 // of a call, seconds
}

var nodes = []node{
	{parent: -1, function: 0, share: 0.01},
	{parent: 0, function: 1, share: 0.01, category: 2},
	{parent: 1, function: 2, share: 0.37, category: 2, inlined: 1},
	{parent: 0, function: 3, share: 0.06, length: 0.00679},
	{parent: 3, function: 4, share: 0.11, length: 0.00031},
	{parent: 4, function: 5, share: 0.14, inlined: 1},
	{parent: 3, function: 6, share: 0.02, length: 0.00002},
	{parent: 0, function: 7, share: 0.02, length: 0.0149},
	{parent: 7, function: 8, share: 0.07, length: 0.0004},
	{parent: 7, function: 9, share: 0.05, length: 0.001},
	{parent: 0, function: 10, category: 1, track: 1},
	{parent: 10, function: 11, category: 1, share: 0.01, track: 1, length: 0.0001},
	{parent: 11, function: 12, category: 1, share: 0.02, inlined: 1, track: 1, length: 0.00008},
	{parent: 12, function: 13, category: 1, share: 0.03, track: 1, length: 0.00005},
	{parent: 13, function: 14, category: 1, share: 0.01, inlined: 1, track: 1},
	{parent: 0, function: 15, category: 1, track: 2},
	{parent: 15, function: 16, category: 1, share: 0.03, track: 2, length: 0.00003},
	{parent: 16, function: 17, category: 1, share: 0.04, inlined: 1, track: 2, length: 0.00002},
}

// depth is how many callers a node has.
func depth(n int) (d int) {
	for nodes[n].parent >= 0 {
		n = nodes[n].parent
		d++
	}
	return d
}

// below tells whether a function is on the path to a node.
func below(n, function int) bool {
	for ; n >= 0; n = nodes[n].parent {
		if nodes[n].function == function {
			return true
		}
	}
	return false
}
