package probe

import "encoding/binary"

// AppendDelay appends DAP_Delay (09 us16): the probe waits.
func AppendDelay(dst []byte, micros uint16) []byte {
	return binary.LittleEndian.AppendUint16(append(dst, cmdDelay), micros)
}

// ParseDelay takes the response of DAP_Delay (09 00) from the front of p.
func ParseDelay(p []byte) (rest []byte, err error) {
	if err := parseStatus("DAP_Delay", cmdDelay, p); err != nil {
		return nil, err
	}
	return p[2:], nil
}
