package profile

import "time"

// MethodTrace is Acquisition.Method of a profile of traced calls.
const MethodTrace = "trace"

// Call is one call that was traced from its entry to its return.
type Call struct {
	Stack    StackIndex    // of the function that was called, above its callers
	Time     time.Duration // of the entry, since the start of the run
	Duration time.Duration // entry to return, on the clock, less what tracing cost
	Net      time.Duration // of it, without interrupts and other contexts that were seen to run meanwhile
	AtLeast  bool          // it lasted that long or longer
}

// Trace is what a profile of traced calls has beyond samples. In such a
// profile a track is a context (a task, an interrupt); a Sample is a piece of
// time in the leaf itself: Time is where it begins, Weight how long it is, Count how many of
// its calls returned in it, which may be 0. Between pieces of a track other contexts ran, or
// nothing is known (see Pieces).
type Trace struct {
	Functions []FunctionTimes // by total, longest first
	Calls     uint64          // that returned, all of them
	Kept      uint64          // of them, on the timeline (ThreadTrack.Calls)

	Firmware  string  // what it calls itself, "" where it does not say
	Version   int     // of the records
	TickHz    float64 // resolution of the times
	Bytes     uint64  // of the stream
	LostCalls uint64  // calls that are known to be missing, context switches among them: dropped by the target, or lost on the way
	Losses    []Loss
	Resets    uint64
	// TooDeep and Unmatched are what the target counted: calls too deep to follow,
	// returns without an entry.
	TooDeep, Unmatched uint64
	HighWater          uint64 // of the target's buffer, bytes
	Buffer             uint64 // its size, bytes; 0: not known

	// Calibrated: PairCost was taken from the callers and InnerCost from the
	// calls themselves.
	Calibrated          bool
	PairCost, InnerCost time.Duration // 0: the target does not say
}

// Loss is what got lost for one reason.
type Loss struct {
	What   string // "packets with a wrong CRC", in words that stand behind a number
	Pieces uint64
	Bytes  uint64
	Calls  uint64 // that it cost for certain
}

// FunctionTimes is the statistics of one function in all its contexts. All
// times are those of Call.Net, so that they add up.
type FunctionTimes struct {
	Function  FunctionIndex
	Calls     uint64
	Total     time.Duration // of the outermost calls: recursion counts once
	Self      time.Duration // without what it called
	Min, Mean time.Duration
	P50, P99  time.Duration // within 1 % (log-linear buckets)
	Max       time.Duration
	LongestAt time.Duration // entry of the longest call, since the start of the run
	Longest   time.Duration // of that call, entry to return on the clock
	Open      bool          // its calls were still running at the end, and are not counted
	AtLeast   bool          // a call lasted longer than the target's clock can tell
}
