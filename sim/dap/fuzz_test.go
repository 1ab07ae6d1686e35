package dap

import (
	"testing"

	"github.com/mprof/mprof/sim/wire"
)

// Whatever bytes come, the processor answers within the packet size and lives.
func FuzzExecute(f *testing.F) {
	f.Add(unhex("7f 02 05 00 03 81 03 00 5f a0 13 00 00 02 00 0b 05 00 02 00 1e 00 00 00 81 01 00 5f a0"), uint8(1))
	f.Add(unhex("06 00 ff ff 0f"), uint8(2))
	f.Add(unhex("1d ff 80 80 80"), uint8(4))
	f.Add(unhex("7f ff 00 f0 14 ff"), uint8(7))
	f.Fuzz(func(t *testing.T, b []byte, ack uint8) {
		for _, overrun := range []bool{false, true} {
			m := full
			m.CancelOverrun = overrun
			checkExecute(t, m, b, ack)
		}
	})
}

func checkExecute(t *testing.T, m wire.Model, b []byte, ack uint8) {
	l := &lines{limit: 1000, replies: []reply{{ackOK, 1}, {ackOK, 2}, {ack & 0x1f, 3}}}
	p := New(m, l)
	p.Execute([]byte{2, 1})
	for range 3 {
		r := p.Execute(b)
		if len(r) > m.PacketSize {
			t.Fatalf("response of %d bytes", len(r))
		}
		if len(r) == 0 && (len(b) == 0 || b[0] != IDTransferAbort) {
			t.Fatalf("no response to % x", b)
		}
		if len(r) > 0 && len(b) > 0 && r[0] != b[0] && r[0] != idInvalid {
			t.Fatalf("% x answered % x", b, r)
		}
	}
}
