package probe

import "testing"

func TestAckNames(t *testing.T) {
	for a, want := range map[Ack]string{
		OK:                  "OK",
		WAIT:                "WAIT",
		FAULT:               "FAULT",
		NoAck:               "no acknowledge",
		Protocol:            "protocol or parity error",
		NoAck | Protocol:    "protocol or parity error",
		OK | Mismatch:       "value mismatch",
		WAIT | Mismatch:     "WAIT",
		FAULT | Mismatch:    "FAULT",
		NoAck | Mismatch:    "no acknowledge",
		Protocol | Mismatch: "protocol or parity error",
		0:                   "not tried",
		3:                   "acknowledge 0x03",
	} {
		if got := a.String(); got != want {
			t.Errorf("0x%02x is %q, want %q", uint8(a), got, want)
		}
	}
}

// A match that a WAIT ended keeps the words before it from being lost in the
// transfer behind which it stands.
func TestMatchThatWaits(t *testing.T) {
	read := Req{Op: ReadDRW}
	var a Answer
	rest, err := ParseTransfer(unhex(t, "05 01 04 AABBCCDD 05 00 12"), []Req{read, {Op: ReadDPIDR}}, &a)
	if err == nil || len(a.Data) != 1 || a.Data[0] != 0xDDCCBBAA || len(rest) != 3 {
		t.Errorf("%08x, rest % x, %v", a.Data, rest, err)
	}
}
