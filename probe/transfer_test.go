package probe

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestAppend: the layouts of CMSIS-DAP, "DAP_Transfer", "DAP_TransferBlock",
// "DAP_TransferConfigure", "DAP_ExecuteCommands", "DAP_Info",
// "DAP_SWJ_Sequence", "DAP_SWJ_Pins".
func TestAppend(t *testing.T) {
	for _, c := range []struct {
		name string
		got  []byte
		want string
	}{
		{"read DPIDR", AppendTransfer(nil, []Req{{Op: ReadDPIDR}}), "05 00 01 02"},
		{"halt with timestamp, wait for S_HALT", AppendTransfer(nil, []Req{
			{WriteBD0 | Timestamp, 0xA05F0003}, {ReadBD0 | MatchValue, 0x00020000}}),
			"05 00 02  81 03 00 5F A0  13 00 00 02 00"},
		{"match mask", AppendTransfer(nil, []Req{{MatchMask, 0x00020000}}), "05 00 01 20 00 00 02 00"},
		{"read PC and check", AppendTransfer(nil, []Req{{WriteBD1, 15}, {Op: ReadBD0}, {Op: ReadBD2}}), "05 00 03 05 0F 00 00 00 03 0B"},
		{"block read", AppendTransferBlock(nil, ReadDRW, 300, nil), "06 00 2C 01 0F"},
		{"block write", AppendTransferBlock(nil, WriteDRW, 2, []uint32{1, 0x80000000}), "06 00 02 00 0D 01 00 00 00 00 00 00 80"},
		{"configure", AppendTransferConfigure(nil, 2, 64, 0x1234), "04 02 40 00 34 12"},
		{"execute", AppendExecute([]byte{0xAA}, 2), "AA 7F 02"},
		{"info", AppendInfo(nil, 0xFE), "00 FE"},
		{"line reset", appendSWJSequence(nil, lineReset), "12 40 FF FF FF FF FF FF FF 00"},
		{"JTAG to SWD", appendSWJSequence(nil, jtagToSWD), "12 88 FF FF FF FF FF FF FF 9E E7 FF FF FF FF FF FF FF 00"},
		{"nRESET low", appendSWJPins(nil, 0, PinNRESET, 5000000), "10 00 80 88 13 00 00"},
	} {
		if d := cmp.Diff(unhex(t, c.want), c.got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// TestLengths: what the planners count is what the encoder writes.
func TestLengths(t *testing.T) {
	for op := range 256 {
		r := Req{Op: byte(op)}
		if r.Op&RnW == 0 && r.Op&MatchValue != 0 || r.Op&RnW != 0 && r.Op&MatchMask != 0 {
			continue // not defined
		}
		if n := len(AppendTransfer(nil, []Req{r})) - transferHeader; n != r.RequestLen() {
			t.Errorf("op 0x%02x: request of %d bytes, RequestLen %d", op, n, r.RequestLen())
		}
		p := append([]byte{5, 1, 1}, make([]byte, r.ResponseLen())...)
		var a Answer
		if rest, err := ParseTransfer(p, []Req{r}, &a); err != nil || len(rest) != 0 {
			t.Errorf("op 0x%02x: ResponseLen %d: rest %d, %v", op, r.ResponseLen(), len(rest), err)
		}
	}
}

func TestParseTransfer(t *testing.T) {
	ap, dp := Req{Op: ReadDRW}, Req{Op: ReadCTRLSTAT}
	write, match, mask := Req{WriteTAR, 0x20000000}, Req{ReadBD0 | MatchValue, 1}, Req{MatchMask, 1}
	stamp, stampRead := Req{WriteBD0 | Timestamp, 3}, Req{Op: ReadDRW | Timestamp}
	for _, c := range []struct {
		name string
		p    string
		reqs []Req
		want Answer
		rest string
		err  string // "": none
	}{
		{"nothing", "05 00 01", nil, Answer{0, OK, nil, nil}, "", ""},
		{"reads", "05 03 01 01000000 02000000 03000000", []Req{ap, dp, ap}, Answer{3, OK, []uint32{1, 2, 3}, nil}, "", ""},
		{"padding", "05 01 01 07000000 0000", []Req{ap}, Answer{1, OK, []uint32{7}, nil}, "0000", ""},
		{"a match returns nothing", "05 04 01 0A000000", []Req{write, match, mask, ap}, Answer{4, OK, []uint32{10}, nil}, "", ""},
		{"timestamps", "05 03 01 11000000 05000000 22000000 06000000", []Req{stamp, ap, stampRead}, Answer{3, OK, []uint32{5, 6}, []uint32{0x11, 0x22}}, "", ""},
		{"mismatch", "05 02 11 11000000", []Req{stamp, write, match, ap}, Answer{2, OK | Mismatch, nil, []uint32{0x11}}, "", "match CSW/BD0: value mismatch after 2 transfers"},
		{"FAULT at once", "05 00 04", []Req{write, ap}, Answer{0, FAULT, nil, nil}, "", "write TAR/BD1: FAULT"},
		// The posted read is counted although its word never came.
		{"bus fault at the first DRW", "05 02 04", []Req{write, ap, ap, ap}, Answer{2, FAULT, nil, nil}, "", "read DRW/BD3: FAULT after 2 transfers"},
		{"bus fault at the third DRW", "05 04 04 01000000 02000000", []Req{write, ap, ap, ap, ap}, Answer{4, FAULT, []uint32{1, 2}, nil}, "", "FAULT after 4"},
		{"bus fault at the last DRW", "05 02 04 01000000", []Req{ap, ap}, Answer{2, FAULT, []uint32{1}, nil}, "", "read DRW/BD3: FAULT after 2"},
		{"failed, then the guard", "05 02 04 01000000 05 02 01 99000000", []Req{ap, ap, ap}, Answer{2, FAULT, []uint32{1}, nil}, "05 02 01 99000000", "FAULT"},
		// A write after a posted read: was it the fetch that failed, or the write?
		{"fetch failed", "05 01 04 05 02 01", []Req{ap, write}, Answer{1, FAULT, nil, nil}, "05 02 01", "FAULT"},
		{"write failed", "05 01 04 0A000000 05 02 01", []Req{ap, write}, Answer{1, FAULT, []uint32{10}, nil}, "05 02 01", "FAULT"},
		{"write failed, padded", "05 01 04 0A000000 0000", []Req{ap, write}, Answer{1, FAULT, []uint32{10}, nil}, "0000", "FAULT"},
		{"not to be told", "05 01 04 00000000 0000", []Req{ap, write}, Answer{1, FAULT, nil, nil}, "00000000 0000", "FAULT"},
		{"mask write after a posted read", "05 01 02 0A000000", []Req{ap, mask}, Answer{1, WAIT, nil, nil}, "0A000000", "match mask: WAIT"},
		{"fewer words than counted", "05 03 04 01000000", []Req{dp, dp, dp, ap}, Answer{3, FAULT, nil, nil}, "", "FAULT"},

		{"empty", "", []Req{ap}, Answer{}, "", "malformed"},
		{"unknown command", "FF", []Req{ap}, Answer{}, "", "does not know the command"},
		{"another command", "06 01 01", []Req{ap}, Answer{}, "", "malformed"},
		{"cut", "05 01 01 00 00", []Req{ap}, Answer{1, OK, nil, nil}, "", "malformed"},
		{"too many", "05 02 01 00000000 00000000", []Req{ap}, Answer{2, OK, nil, nil}, "", "2 of 1 transfers"},
		{"OK but not all", "05 01 01 00000000", []Req{ap, ap}, Answer{1, OK, nil, nil}, "", "1 of 2 transfers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := Answer{Data: make([]uint32, 9), Stamps: make([]uint32, 9)}
			rest, err := ParseTransfer(unhex(t, c.p), c.reqs, &a)
			switch {
			case err == nil && c.err != "", err != nil && (c.err == "" || !strings.Contains(err.Error(), c.err)):
				t.Fatalf("error %v, want %q", err, c.err)
			}
			var refused *TransferError
			if err != nil && errors.As(err, &refused) == errors.Is(err, ErrResponse) {
				t.Errorf("error %v is neither a refusal nor a malformed response, or both", err)
			}
			if hex.EncodeToString(rest) != strings.ReplaceAll(strings.ToLower(c.rest), " ", "") {
				t.Errorf("rest % x, want %s", rest, c.rest)
			}
			if errors.Is(err, ErrResponse) {
				return
			}
			if len(a.Data) == 0 {
				a.Data = nil
			}
			if len(a.Stamps) == 0 {
				a.Stamps = nil
			}
			if d := cmp.Diff(c.want, a); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestParseTransferBlock(t *testing.T) {
	for _, c := range []struct {
		p     string
		op    byte
		count int
		data  []uint32
		err   string
	}{
		{"06 02 00 01 01000000 02000000", ReadDRW, 2, []uint32{1, 2}, ""},
		{"06 02 00 01", WriteDRW, 2, nil, ""},
		{"06 02 00 04 01000000", ReadDRW, 9, []uint32{1}, "read DRW/BD3: FAULT after 2"},
		{"06 02 00 01 01000000", ReadDRW, 2, nil, "malformed"},
		{"06 03 00 01 01000000 02000000 03000000", ReadDRW, 2, nil, "3 of 2"},
		{"06 00", ReadDRW, 2, nil, "malformed"},
	} {
		var a Answer
		_, err := ParseTransferBlock(unhex(t, c.p), c.op, c.count, &a)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: error %v, want %q", c.p, err, c.err)
			continue
		}
		if d := cmp.Diff(c.data, a.Data); d != "" && !errors.Is(err, ErrResponse) {
			t.Errorf("%s: %s", c.p, d)
		}
	}
}

// reqsOf makes requests of bytes, for the fuzzers.
func reqsOf(ops []byte) []Req {
	reqs := make([]Req, 0, MaxTransfers)
	for _, op := range ops[:min(len(ops), MaxTransfers)] {
		reqs = append(reqs, Req{Op: op})
	}
	return reqs
}

func FuzzParseTransfer(f *testing.F) {
	f.Add(unhex(f, "05 02 04 01000000 05 02 01 99000000"), []byte{0x0F, 0x0F, 0x0F})
	f.Add(unhex(f, "05 03 01 11000000 05000000 22000000 06000000"), []byte{0x81, 0x0F, 0x8F})
	f.Add(unhex(f, "05 01 04 0A000000 0000"), []byte{0x0F, 0x05})
	f.Add(unhex(f, "05 02 01 11000000 22"), []byte{0x0F, 0x0F})
	f.Fuzz(func(t *testing.T, p, ops []byte) {
		reqs := reqsOf(ops)
		var a Answer
		rest, err := ParseTransfer(p, reqs, &a)
		used := len(p) - len(rest)
		if errors.Is(err, ErrResponse) {
			if len(rest)+len(a.Data)+len(a.Stamps) > 0 {
				t.Fatalf("%v, and still data: %+v", err, a)
			}
			return
		}
		if err == nil {
			data, n := 0, transferHeader
			for _, r := range reqs {
				n += r.ResponseLen()
				if r.returns() {
					data++
				}
			}
			if used != n || len(a.Data) != data {
				t.Fatalf("took %d bytes and %d words, want %d and %d", used, len(a.Data), n, data)
			}
		}
		if used < transferHeader || transferHeader+4*(len(a.Data)+len(a.Stamps)) > used {
			t.Fatalf("%d words of %d bytes", len(a.Data)+len(a.Stamps), used)
		}
	})
}

func FuzzParseTransferBlock(f *testing.F) {
	f.Add(unhex(f, "06 02 00 04 01000000"), byte(0x0F), 9)
	f.Fuzz(func(t *testing.T, p []byte, op byte, count int) {
		var a Answer
		_, err := ParseTransferBlock(p, op, count, &a)
		switch {
		case err == nil && op&RnW != 0 && len(a.Data) != count, 4*len(a.Data) > len(p):
			t.Fatalf("%d words of %d in %d bytes", len(a.Data), count, len(p))
		case errors.Is(err, ErrResponse) && len(a.Data) > 0:
			t.Fatalf("%v, and still data: %08x", err, a.Data)
		}
	})
}
