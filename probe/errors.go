package probe

import (
	"errors"
	"fmt"
)

// What a transport reports, for callers that branch on it with errors.Is.
var (
	// ErrNotFound: no probe matches what was asked for.
	ErrNotFound = errors.New("no probe found")
	// ErrDisconnected: the probe was unplugged or its connection is gone.
	ErrDisconnected = errors.New("the probe is disconnected")
	// ErrPermission: the operating system does not let this user open the probe.
	ErrPermission = errors.New("no permission to open the probe")
	// ErrBusy: another program has the probe.
	ErrBusy = errors.New("the probe is in use by another program")
	// ErrNoUSB: this binary cannot reach USB at all.
	ErrNoUSB = errors.New("no USB support in this binary")
	// ErrResponse: the probe answered with something that is not the response
	// to the command. The connection needs Recover before it can be trusted.
	ErrResponse = errors.New("malformed response")
	// ErrTimeout: no response came within Options.Timeout.
	ErrTimeout = errors.New("no response in time")
)

// Ack is the acknowledge byte of DAP_Transfer and DAP_TransferBlock (CMSIS-DAP,
// "DAP_Transfer", Transfer Response): bits 0-2 are the three SWD acknowledge
// bits, bit 3 a protocol error, bit 4 a value mismatch.
type Ack uint8

const (
	OK       Ack = 1    // done
	WAIT     Ack = 2    // the port was busy for all retries
	FAULT    Ack = 4    // refused: a sticky error is set
	NoAck    Ack = 7    // nobody drove the wire
	Protocol Ack = 8    // parity or protocol error
	Mismatch Ack = 0x10 // flag: the value match did not come true
)

// String names what happened. A match that ended because the port refused to be
// read comes with Mismatch set, too (CMSIS-DAP's reference implementation
// compares once more what it read last): the refusal is the cause.
func (a Ack) String() string {
	switch {
	case a == OK|Mismatch:
		return "value mismatch"
	case a&Mismatch != 0:
		return (a &^ Mismatch).String()
	case a&Protocol != 0:
		return "protocol or parity error"
	}
	switch a {
	case 0:
		return "not tried"
	case OK:
		return "OK"
	case WAIT:
		return "WAIT"
	case FAULT:
		return "FAULT"
	case NoAck:
		return "no acknowledge"
	}
	return fmt.Sprintf("acknowledge 0x%02x", uint8(a))
}

// TransferError says that the target did not accept a transfer.
type TransferError struct {
	Reg string // the register of the transfer that failed, "" if none was tried
	Ack Ack
	N   int // transfers that the probe counts as done before it
}

func (e *TransferError) Error() string {
	reg := e.Reg
	if reg == "" {
		reg = "transfer"
	}
	switch e.N {
	case 0:
		return fmt.Sprintf("%s: %s", reg, e.Ack)
	case 1:
		return fmt.Sprintf("%s: %s after 1 transfer", reg, e.Ack)
	}
	return fmt.Sprintf("%s: %s after %d transfers", reg, e.Ack, e.N)
}
