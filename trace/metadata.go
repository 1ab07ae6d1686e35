package trace

// Metadata is what a target says of itself. Fields that it left out are zero
// and not in Known.
type Metadata struct {
	Version     int // of the records to come, 1 or 2
	Flags       uint8
	TimerHz     uint32
	BufferBytes uint32
	BuildID     []byte
	Name        string
	TickShift   uint8
	PairCost    uint32 // of an enter/exit pair as its caller sees it, in 1/256 of a timer cycle
	InnerCost   uint32 // the part of it within the callee's own duration
	Contexts    []ContextName
	Known       MetadataFields
}

// ContextName is a task, as the firmware calls it.
type ContextName struct {
	ID   uint16
	Name string
}

// MetadataFields counts the fields that were there, in their order.
type MetadataFields uint8

const (
	KnownVersion MetadataFields = iota + 1
	KnownFlags
	KnownTimerHz
	KnownBufferBytes
	KnownBuildID
	KnownName
	KnownTickShift
	KnownCosts
	KnownContexts
)

// Flags of Metadata.
const (
	FlagRunning = 1 << 0 // profiling runs
	FlagStarted = 1 << 7 // the target has just started
)

// TickHz is the unit of times in version 2, 0 where it is not known.
func (m *Metadata) TickHz() float64 {
	return float64(m.TimerHz) / float64(uint64(1)<<min(m.TickShift, 63))
}

// Status is what a target counts. Fields that it left out are zero and not in
// Known.
type Status struct {
	Running   bool
	Dropped   uint32 // records, since START or RESET_BUFFERS
	HighWater uint32 // bytes of the buffer
	Sent      uint32 // records
	Waiting   uint32 // records in the buffer
	TooDeep   uint32 // of Dropped: calls deeper than the target can follow
	Unmatched uint32 // returns without an entry
	Known     StatusFields
}

// StatusFields counts the fields that were there, in their order.
type StatusFields uint8

const (
	KnownState StatusFields = iota + 1
	KnownDropped
	KnownHighWater
	KnownSent
	KnownWaiting
	KnownTooDeep
	KnownUnmatched
)
