package dap

import (
	"testing"
	"time"

	"github.com/mprof/mprof/sim/wire"
)

// Byte tables after the CMSIS-DAP command descriptions.
func TestCommands(t *testing.T) {
	for _, c := range []struct{ name, request, response, wire string }{
		{"HostStatus", "01 00 01", "01 00", ""},
		{"HostStatus of nothing", "01 05 01", "01 ff", ""},
		{"Connect default", "02 00", "02 01", "connect true"},
		{"Connect JTAG", "02 02", "02 00", ""},
		{"Disconnect", "03", "03 00", "connect false"},
		{"TransferConfigure", "04 02 40 00 40 00", "04 00", ""},
		{"WriteABORT", "08 00 1e 00 00 00", "08 00", "w0=1e"},
		{"Delay", "09 e8 03", "09 00", ""},
		{"ResetTarget", "0a", "0a 00 00", ""},
		{"SWJ_Pins", "10 00 80 00 00 00 00", "10 7f", ""},
		{"SWJ_Clock", "11 80 96 98 00", "11 00", "clock 10000000"},
		{"SWJ_Clock 0", "11 00 00 00 00", "11 ff", ""},
		{"SWJ_Sequence", "12 10 9e e7", "12 00", "out 16 9ee7"},
		{"SWJ_Sequence odd", "12 03 05", "12 00", "out 3 05"},
		{"SWD_Configure", "13 07", "13 00", "configure 4 true"},
		{"SWD_Configure 0", "13 00", "13 00", "configure 1 false"},
		{"SWD_Sequence", "1d 03 08 99 85 21 01 02 03 04 00", "1d 00 05", "out 8 99 in 5 out 33 0102030400"},
		{"JTAG_Sequence", "14 01 08 ff", "14 ff", ""},
		{"JTAG_Configure", "15 01 04", "15 ff", ""},
		{"JTAG_IDCODE", "16 00", "16 ff", ""},
		{"SWO_Transport", "17 01", "ff", ""},
		{"SWO_Data", "1c 10 00", "ff", ""},
		{"UART_Transport", "1f 01", "ff", ""},
		{"QueueCommands", "7e 01 00 fe", "ff", ""},
		{"Vendor", "80 01", "ff", ""},
		{"unknown", "55", "ff", ""},
		{"ExecuteCommands", "7f 02 00 fe 11 40 42 0f 00", "7f 02 00 01 02 11 00", "clock 1000000"},
		{"ExecuteCommands of nothing", "7f 00", "7f 00", ""},
		{"ExecuteCommands nested", "7f 02 7f 03", "7f 02 ff 03 00", "connect false"},
		{"ExecuteCommands of unknown", "7f 02 0b 0a", "7f 02 ff 0a 00 00", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, full)
			b.lines.in = []byte{5}
			b.expect(c.request, c.response)
			b.wire(c.wire)
		})
	}
}

func TestInfo(t *testing.T) {
	plain := full
	plain.TimestampHz, plain.ExecuteCommands, plain.Firmware = 0, false, "1.3.0"
	for _, c := range []struct {
		model             wire.Model
		request, response string
	}{
		{full, "00 01", "00 06 6d 70 72 6f 66 00"},
		{full, "00 02", "00 02 50 00"},
		{full, "00 03", "00 02 53 00"},
		{full, "00 04", "00 06 32 2e 31 2e 31 00"},
		{full, "00 05", "00 00"}, {full, "00 06", "00 00"}, {full, "00 07", "00 00"}, {full, "00 08", "00 00"},
		{full, "00 09", "00 06 32 2e 31 2e 31 00"},
		{full, "00 f0", "00 02 31 00"},
		{full, "00 f1", "00 04 40 42 0f 00"},
		{full, "00 fb", "00 00"}, {full, "00 fc", "00 00"}, {full, "00 fd", "00 00"},
		{full, "00 fe", "00 01 02"},
		{full, "00 ff", "00 02 40 00"},
		{full, "00 77", "00 00"},
		{plain, "00 f0", "00 01 01"},
		{plain, "00 f1", "00 00"},
		{plain, "7f 01 00 fe", "ff"},
	} {
		newBench(t, c.model).expect(c.request, c.response)
	}
}

func TestTransferAbortHasNoResponse(t *testing.T) {
	if r := newBench(t, full).Execute([]byte{7}); r != nil {
		t.Errorf("answered % x", r)
	}
	m := full
	m.TransferAbort = false
	newBench(t, m).expect("07", "ff")
}

// Without a port everything is parsed and nothing executed.
func TestDisconnected(t *testing.T) {
	b := newBench(t, full)
	b.expect("03", "03 00")
	b.lines.log = nil
	b.expect("7f 02 05 00 02 02 06 05 00 01 02", "7f 02 05 00 00 05 00 00")
	b.expect("06 00 02 00 0f", "06 00 00 00")
	b.expect("08 00 1e 00 00 00", "08 ff")
	b.wire("")
}

func TestDelayAndPinWait(t *testing.T) {
	b := newBench(t, full)
	b.lines.time = 0
	b.expect("09 e8 03", "09 00")
	if b.lines.time != time.Millisecond {
		t.Errorf("DAP_Delay of 1000 us took %v", b.lines.time)
	}
	b.lines.time, b.lines.stuck = 0, 0x80
	b.expect("10 80 80 0a 00 00 00", "10 7f")
	if b.lines.time != 10*time.Microsecond {
		t.Errorf("waited %v for a pin that stays low, want 10us", b.lines.time)
	}
	b.lines.time, b.lines.stuck = 0, 0
	b.expect("10 80 80 0a 00 00 00", "10 ff")
	if b.lines.time != 0 {
		t.Errorf("waited %v for a pin that is high", b.lines.time)
	}
	b.lines.time, b.lines.stuck = 0, 0x80
	b.expect("10 80 80 ff ff ff ff", "10 7f")
	if b.lines.time != 3*time.Second {
		t.Errorf("waited %v, the limit is 3s", b.lines.time)
	}
}

// The idle cycles and the retries of DAP_TransferConfigure hold for all that
// follows.
func TestTransferConfigure(t *testing.T) {
	b := newBench(t, full)
	b.expect("04 03 02 00 00 00", "04 00")
	b.answers(reply{ackWAIT, 0}, reply{ackWAIT, 0}, reply{ackWAIT, 0}, reply{ackWAIT, 0})
	b.expect("05 00 01 02", "05 00 02")
	b.wire("r2+3 r2+3 r2+3")
}

// The response never exceeds the packet; what is beyond is dropped, and the
// transfers happen all the same.
func TestResponseDoesNotFit(t *testing.T) {
	b := newBench(t, full)
	r := b.Execute(unhex("06 00 40 00 0f"))
	if len(r) != 64 || string(r[:4]) != "\x06\x40\x00\x01" {
		t.Errorf("answered % x", r)
	}
	if n := len(b.lines.log); n != 65 {
		t.Errorf("%d transfers, want 65", n)
	}
}

// A count beyond the packet runs on into what the buffer held before (there are
// two buffers) and then into zeros.
func TestRequestRunsOn(t *testing.T) {
	b := newBench(t, full) // the connect took buffer 0
	b.expect("05 00 01 02", "05 01 01 11 00 00 00")
	b.expect("05 00 02 06 0e", "05 02 01 12 00 00 00 13 00 00 00") // buffer 0
	b.lines.log = nil
	b.expect("05 00 03 06 02", "05 03 01 14 00 00 00 15 00 00 00") // buffer 1: then a write of zeros
	b.wire("r6 r2 w0=0 re")
}
