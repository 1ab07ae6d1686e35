// Package live keeps what a run has seen so far, for those who watch it. In: samples or
// calls as they come. Out: totals by call path and by function, a timeline, the hottest lines,
// and what changed since somebody looked last. The run writes from one goroutine; any number of
// others read.
package live

// Update is what changed since a revision. Values are absolute, never differences: a reader
// that misses an update loses nothing. Times are seconds of the target, durations too.
type Update struct {
	Run   uint64 `json:"run"`   // another number than before: forget everything
	Since uint64 `json:"since"` // the revision that the reader has; 0: everything is here, and replaces what the reader has
	Rev   uint64 `json:"rev"`   // the one that it has after this
	Kind  Kind   `json:"kind"`

	Functions FunctionColumns `json:"functions"` // appended to those that are known
	Nodes     NodeColumns     `json:"nodes"`     // appended
	Tracks    []string        `json:"tracks"`    // names of all: the core; of a trace tasks and interrupts
	Counts    CountColumns    `json:"counts"`    // those that changed
	Table     []Row           `json:"table"`     // rows that changed
	Events    []Event         `json:"events"`    // new ones
	Status    Status          `json:"status"`
}

// Kind is what a run collects.
type Kind string

// The kinds.
const (
	Samples Kind = "samples"
	Calls   Kind = "calls"
)

// FunctionColumns are functions number From and on.
type FunctionColumns struct {
	From  int      `json:"from"`
	Name  []string `json:"name"`
	File  []string `json:"file"`
	Line  []int    `json:"line"`
	Label []bool   `json:"label"` // no function: <exception: SysTick>, <cut: ...>
}

// NodeColumns are the nodes of the flame graph number From and on: paths of functions, whatever the
// lines; one that was found asleep and awake is two, of two categories. Parents come before their children.
type NodeColumns struct {
	From     int   `json:"from"`
	Parent   []int `json:"parent"` // -1: a root
	Function []int `json:"function"`
	Category []int `json:"category"` // profile.Category: 0 thread mode, 1 interrupt, 2 idle, 3 unknown
	Inlined  []int `json:"inlined"`  // 1: into its parent, wherever it was seen
}

// CountColumns say what ended in a node itself.
type CountColumns struct {
	Track []int     `json:"track"`
	Node  []int     `json:"node"`
	Count []uint64  `json:"count"` // samples; of a trace calls that returned
	Time  []float64 `json:"time"`  // that the samples stand for; of a trace self time
}

// Row is what is known of one function in all tracks, as the summary prints it. Shares of functions that
// no new sample found are told again when they are off by what can be seen (0.002 % of all, or 1 % of a share below
// 0.01 %), and all are exact when the run is over. A row without samples, calls and times
// is one that is no more.
type Row struct {
	Function int `json:"function"`

	// Of samples: how many, shares of them (0 to 1) and their standard errors, see profile.Entry.
	Self       uint64  `json:"self,omitempty"`
	Total      uint64  `json:"total,omitempty"`
	SelfShare  float64 `json:"selfShare,omitempty"`
	SelfError  float64 `json:"selfError,omitempty"`
	TotalShare float64 `json:"totalShare,omitempty"`
	TotalError float64 `json:"totalError,omitempty"`

	// Of calls, see profile.FunctionTimes.
	Calls     uint64  `json:"calls,omitempty"`
	SelfTime  float64 `json:"selfTime,omitempty"`
	TotalTime float64 `json:"totalTime,omitempty"`
	Min       float64 `json:"min,omitempty"`
	Mean      float64 `json:"mean,omitempty"`
	P50       float64 `json:"p50,omitempty"`
	P99       float64 `json:"p99,omitempty"`
	Max       float64 `json:"max,omitempty"`
	LongestAt float64 `json:"longestAt,omitempty"`
	Longest   float64 `json:"longest,omitempty"` // the longest call on the clock, with what interrupted it
	Open      bool    `json:"open,omitempty"`    // no function: calls that have not returned; TotalTime is what they called
	AtLeast   bool    `json:"atLeast,omitempty"` // a call lasted longer than the target's clock can tell
}

// Event is something that happened to the run: see profile.Event.
type Event struct {
	Time     float64 `json:"time"`
	Duration float64 `json:"duration"`
	Name     string  `json:"name"`
	Detail   string  `json:"detail"`
	Off      bool    `json:"off"` // nothing is known of that time: a gap
}

// Status is how the run goes.
type Status struct {
	Elapsed float64 `json:"elapsed"` // of the run, target's time
	Rate    float64 `json:"rate"`    // samples or calls per second over the last second or so; 0 when the run is over

	// Of samples.
	Asked       uint64  `json:"asked"`
	Taken       uint64  `json:"taken"`
	Cut         uint64  `json:"cut"`         // stacks that are not complete
	StolenShare float64 `json:"stolenShare"` // of the run, that the core stood still
	HaltedP50   float64 `json:"haltedP50"`   // of a sample
	HaltedP99   float64 `json:"haltedP99"`
	IdleShare   float64 `json:"idleShare"` // of the samples that found the core asleep
	IdleError   float64 `json:"idleError"`

	// Of calls.
	Calls      uint64  `json:"calls"`
	Lost       uint64  `json:"lost"` // for certain
	Bytes      uint64  `json:"bytes"`
	BufferUsed uint64  `json:"bufferUsed"` // of the target, the most so far, bytes
	Buffer     uint64  `json:"buffer"`     // its size; 0: not known
	Contexts   []Share `json:"contexts"`   // time of each track

	Resets  uint64   `json:"resets"`
	Remarks []string `json:"remarks"` // sentences for the user
}

// Share is the part of the run that a track took, 0 to 1.
type Share struct {
	Track int     `json:"track"`
	Value float64 `json:"value"`
}

// Window asks for a part of the timeline.
type Window struct {
	From   float64 `json:"from"` // seconds
	To     float64 `json:"to"`   // 0: now
	Pixels int     `json:"pixels"`
	Track  int     `json:"track"` // -1: all
	Depth  int     `json:"depth"` // rows per track at most; 0: 32
}

// Timeline is that part, no finer than the pixels.
type Timeline struct {
	Run    uint64  `json:"run"`
	From   float64 `json:"from"`
	To     float64 `json:"to"`
	Tracks []Lane  `json:"tracks"`
	Gaps   []Event `json:"gaps"` // Off events and losses in the window
	// Exact: spans are single calls or samples; else those narrower than a pixel are one.
	Exact bool `json:"exact"`
	// Since: what is older is kept in sums only: spans of several calls, the longer ago, the longer.
	// 0: all is there as it was.
	Since float64 `json:"since"`
}

// Lane is a track: rows of spans by depth, outermost first.
type Lane struct {
	Track int    `json:"track"`
	Name  string `json:"name"`
	// Columns of spans, by depth and time; those of a row do not overlap.
	Start    []float64 `json:"start"`
	Length   []float64 `json:"length"` // of several together, without what lies between them
	Depth    []int     `json:"depth"`
	Function []int     `json:"function"` // of the largest part of the span
	Count    []uint64  `json:"count"`    // calls or samples in it
}

// Lines asks for the hottest lines.
type Lines struct {
	Most     int `json:"most"`     // 0: 20
	Function int `json:"function"` // -1: of all
	Context  int `json:"context"`  // lines of source around each; 0: 3
}

// Line is one of them. Of a trace, lines are those where functions begin: Self counts their calls, and Share is that of
// the time that they took themselves, which has no error.
type Line struct {
	File   string   `json:"file"`
	Line   int      `json:"line"`
	Name   string   `json:"name"` // of the function
	Self   uint64   `json:"self"` // samples
	Share  float64  `json:"share"`
	Error  float64  `json:"error"`
	First  int      `json:"first"` // number of the first line of Source
	Source []string `json:"source"`
}
