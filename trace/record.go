package trace

// Record is one call that returned, or a context switch.
type Record struct {
	Func     uint32 // address of the function as the firmware gave it; 0: a context switch
	Entry    uint32 // when it was entered, or the switch happened; see Units
	Duration uint32 // from entry to return; Saturated: that long or longer
	Context  uint16 // NoContext in version 1
	Depth    uint16 // 0: the outermost call of its context
}

// Saturated is a duration that did not fit (version 2). Exit is right then, Entry is
// not known.
const Saturated = 0xFFFFFFFF

// NoContext: the firmware does not say in which context it was.
const NoContext = 0xFFFF

// Exceptions are contexts from here on: FirstException + IPSR.
const FirstException = 256

// Switch tells whether the record is a context switch: from Entry on the
// context Context runs.
func (r *Record) Switch() bool { return r.Func == 0 }

// Exit is when the call returned, modulo 2^32.
func (r *Record) Exit() uint32 { return r.Entry + r.Duration }

// Batch is the records of one packet, or a part of them.
type Batch struct {
	Version int // 1: times are in microseconds; 2: in ticks of Metadata.TickHz
	// Number is that of the first record since START or RESET_BUFFERS, those
	// that were dropped included; Numbered is false in version 1, which has none.
	Number   uint32
	Numbered bool
	Records  []Record // valid until Records returns
}

// Sink hears what a target says, in the order of the stream.
type Sink interface {
	Records(Batch)
	Metadata(Metadata)
	Status(Status)
	// Answer is an ACK (reason 0) or a NACK.
	Answer(command, reason byte)
	Loss(Loss)
}

// LossKind says where something got lost.
type LossKind uint8

const (
	LostBytes   LossKind = iota // bytes that are no packet, or a packet with a wrong CRC
	LostRecords                 // numbers that are missing: a packet that did not arrive
	Dropped                     // records that the target had no room for
	Malformed                   // a packet whose CRC is right and whose body is not, or records without a function
	Unknown                     // a packet of a type that nobody knows
	NumLossKinds
)

// Loss is one gap in the stream.
type Loss struct {
	Kind    LossKind
	Bytes   uint64 // of the stream that held no record
	Records uint64 // that are missing for certain; 0 where nobody can know
}
