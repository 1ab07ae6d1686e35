package probe

import "fmt"

// Command identifiers (CMSIS-DAP, "Commands").
const (
	cmdInfo              byte = 0x00
	cmdHostStatus        byte = 0x01
	cmdConnect           byte = 0x02
	cmdDisconnect        byte = 0x03
	cmdTransferConfigure byte = 0x04
	cmdTransfer          byte = 0x05
	cmdTransferBlock     byte = 0x06
	cmdDelay             byte = 0x09
	cmdSWJPins           byte = 0x10
	cmdSWJClock          byte = 0x11
	cmdSWJSequence       byte = 0x12
	cmdSWDConfigure      byte = 0x13
	cmdSWDSequence       byte = 0x1D
	cmdExecute           byte = 0x7F
	cmdInvalid           byte = 0xFF
)

// commandName is the name of a command in the specification.
func commandName(id byte) string {
	switch id {
	case cmdInfo:
		return "DAP_Info"
	case cmdHostStatus:
		return "DAP_HostStatus"
	case cmdConnect:
		return "DAP_Connect"
	case cmdDisconnect:
		return "DAP_Disconnect"
	case cmdTransferConfigure:
		return "DAP_TransferConfigure"
	case cmdTransfer:
		return "DAP_Transfer"
	case cmdTransferBlock:
		return "DAP_TransferBlock"
	case cmdDelay:
		return "DAP_Delay"
	case cmdSWJPins:
		return "DAP_SWJ_Pins"
	case cmdSWJClock:
		return "DAP_SWJ_Clock"
	case cmdSWJSequence:
		return "DAP_SWJ_Sequence"
	case cmdSWDConfigure:
		return "DAP_SWD_Configure"
	case cmdSWDSequence:
		return "DAP_SWD_Sequence"
	case cmdExecute:
		return "DAP_ExecuteCommands"
	}
	return fmt.Sprintf("DAP command 0x%02x", id)
}

// badResponse says what came instead of a response.
func badResponse(command string, p []byte) error {
	const most = 8
	if len(p) == 1 && p[0] == cmdInvalid {
		return fmt.Errorf("%s: the probe does not know the command: %w", command, ErrResponse)
	}
	if len(p) > most {
		return fmt.Errorf("%s: answered % x... (%d bytes): %w", command, p[:most], len(p), ErrResponse)
	}
	return fmt.Errorf("%s: answered [% x]: %w", command, p, ErrResponse)
}

// refused is a command that the probe answered with an error.
type refused string

func (r refused) Error() string { return string(r) + ": the probe refuses" }

// parseStatus takes the response of a command that answers with one status
// byte (00 is DAP_OK).
func parseStatus(command string, id byte, p []byte) error {
	if len(p) < 2 || p[0] != id || p[1] != 0 && p[1] != 0xFF {
		return badResponse(command, p)
	}
	if p[1] != 0 {
		return refused(command)
	}
	return nil
}
