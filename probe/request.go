package probe

// Bits of a transfer request (CMSIS-DAP, "DAP_Transfer", Transfer Request).
const (
	APnDP      byte = 1 << 0
	RnW        byte = 1 << 1
	MatchValue byte = 1 << 4 // reads: repeat until (data & mask) == Data
	MatchMask  byte = 1 << 5 // writes: Data is the mask of later matches
	Timestamp  byte = 1 << 7 // not together with a match
)

// Op bytes of the debug port registers (ADIv5.2 section B2.2; the DP bank is
// SELECT[3:0]).
const (
	ReadDPIDR     byte = 0x02
	WriteABORT    byte = 0x00
	ReadCTRLSTAT  byte = 0x06 // DP bank 0
	WriteCTRLSTAT byte = 0x04 // DP bank 0
	WriteSELECT   byte = 0x08
	ReadRDBUFF    byte = 0x0E
)

// Op bytes of the MEM-AP registers. CSW, TAR and DRW are in BankTransfer, the
// banked data registers in BankData (ADIv5.2 section C2.5): BDn is the word at
// TAR[31:4]<<4 + 4n, and using it does not change TAR.
const (
	WriteCSW byte = 0x01
	ReadCSW  byte = 0x03
	WriteTAR byte = 0x05
	ReadTAR  byte = 0x07
	WriteDRW byte = 0x0D
	ReadDRW  byte = 0x0F

	WriteBD0 byte = 0x01
	ReadBD0  byte = 0x03
	WriteBD1 byte = 0x05
	ReadBD1  byte = 0x07
	WriteBD2 byte = 0x09
	ReadBD2  byte = 0x0B
	WriteBD3 byte = 0x0D
	ReadBD3  byte = 0x0F
)

// Req is one entry of DAP_Transfer. Op holds the bits APnDP, RnW, A[3:2] at
// bits 2 and 3, MatchValue, MatchMask and Timestamp; Data is what a write or a
// match needs.
type Req struct {
	Op   byte
	Data uint32
}

// carries says whether the request has a data word.
func (r Req) carries() bool { return r.Op&RnW == 0 || r.Op&MatchValue != 0 }

// returns says whether the response has a data word.
func (r Req) returns() bool { return r.Op&RnW != 0 && r.Op&MatchValue == 0 }

// posts says whether the data of a read comes with the transfer after it.
func (r Req) posts() bool { return r.returns() && r.Op&APnDP != 0 }

// stamped says whether the response has a timestamp.
func (r Req) stamped() bool { return r.Op&Timestamp != 0 && r.Op&(MatchValue|MatchMask) == 0 }

// RequestLen is the number of bytes it takes in the request.
func (r Req) RequestLen() int {
	if r.carries() {
		return 5
	}
	return 1
}

// ResponseLen is the number of bytes it takes in the response.
func (r Req) ResponseLen() int {
	n := 0
	if r.returns() {
		n += 4
	}
	if r.stamped() {
		n += 4
	}
	return n
}

// Reg names the register as in "write DRW/BD3": the name of an AP register
// depends on the bank, which a request does not know.
func (r Req) Reg() string {
	name := [2][4]string{
		{"ABORT", "CTRL/STAT", "SELECT", "RDBUFF"},
		{"CSW/BD0", "TAR/BD1", "AP+8/BD2", "DRW/BD3"},
	}[r.Op&APnDP][r.Op>>2&3]
	switch {
	case r.Op&(APnDP|RnW|0x0C) == RnW:
		name = "DPIDR"
	case r.Op&(APnDP|RnW|0x0C) == RnW|0x08:
		name = "RESEND"
	}
	switch {
	case r.Op&RnW == 0 && r.Op&MatchMask != 0:
		return "match mask"
	case r.Op&RnW != 0 && r.Op&MatchValue != 0:
		return "match " + name
	case r.Op&RnW != 0:
		return "read " + name
	}
	return "write " + name
}
