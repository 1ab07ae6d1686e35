package trace

// Commands of a host.
const (
	CommandStart       = 0x01
	CommandStop        = 0x02
	CommandStatus      = 0x03
	CommandReset       = 0x04
	CommandGetMetadata = 0x05 // body: nothing, or version and tick shift
	CommandGetGprof    = 0x06 // body: part << 14 | piece, u16
	CommandResetGprof  = 0x07 // body: 1 to ask for a reset of the counters, 0 to take that back
)

// Types of packets from a target.
const (
	TypeACK          = 0x01
	TypeNACK         = 0x02
	TypeMetadata     = 0x03
	TypeStatus       = 0x04
	TypeProfileData  = 0x05
	TypeProfileData2 = 0x06
	TypeGprof        = 0x07
)

// Reasons of a NACK.
const (
	ReasonUnknownCommand = 1
	ReasonNotNow         = 2
	ReasonWrongLength    = 3
	ReasonUnsaid         = 0xFF // the firmware gives none
)

// TickShiftAuto lets the target choose the unit of times.
const TickShiftAuto = 0xFF

// AppendCommand appends the packet of a command. Firmware of another variant wants
// Variant.AppendPacket.
func AppendCommand(dst []byte, command byte, body ...byte) []byte {
	return Variant{}.AppendPacket(dst, command, body...)
}

// CommandDecoder finds the commands of a host in a stream, as a target does. It
// takes those of the Variant that it was given.
type CommandDecoder struct {
	frames framer
}

// NewCommandDecoder calls command for each of them; body is valid until it
// returns.
func NewCommandDecoder(v Variant, command func(command byte, body []byte)) *CommandDecoder {
	d := &CommandDecoder{newFramer(maxCommand, &v)}
	d.frames.packet = func(payload []byte) { command(payload[0], payload[1:]) }
	d.frames.lost = func(int) {}
	return d
}

// maxCommand bounds the payload of a command.
const maxCommand = 64

// Write takes the next bytes of the stream. It never fails.
func (d *CommandDecoder) Write(p []byte) (int, error) {
	d.frames.write(p)
	return len(p), nil
}
