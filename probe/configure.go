package probe

import (
	"context"
	"encoding/binary"
)

// AppendTransferConfigure appends DAP_TransferConfigure (04 idle wait16
// match16): SWCLK cycles after each transfer, retries after WAIT, retries of a
// value match. Probes start with match 0, which makes every match a single
// try.
func AppendTransferConfigure(dst []byte, idle byte, waitRetry, matchRetry uint16) []byte {
	dst = append(dst, cmdTransferConfigure, idle)
	dst = binary.LittleEndian.AppendUint16(dst, waitRetry)
	return binary.LittleEndian.AppendUint16(dst, matchRetry)
}

// AppendExecute appends the header of DAP_ExecuteCommands (7F n): the n
// commands that follow run in order whatever happens to those before.
func AppendExecute(dst []byte, n int) []byte {
	return append(dst, cmdExecute, byte(n))
}

// ParseExecute takes the header of a DAP_ExecuteCommands response off p and
// returns the responses of its n commands.
func ParseExecute(p []byte, n int) (rest []byte, err error) {
	if len(p) < 2 || p[0] != cmdExecute || int(p[1]) != n {
		return nil, badResponse("DAP_ExecuteCommands", p)
	}
	return p[2:], nil
}

// SetMatchRetry sets how often a value match is tried again (0: compared
// once), from now on and after Recover. Each try is one SWD transfer.
func (p *Probe) SetMatchRetry(ctx context.Context, retries uint16) error {
	o := &p.options
	o.MatchRetry = retries
	return p.status(ctx, AppendTransferConfigure(p.scratch[:0], o.IdleCycles, o.WaitRetry, o.MatchRetry))
}
