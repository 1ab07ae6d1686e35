package trace

// CRC is a polynomial with its initial value. None of them has a final XOR.
// Names and parameters: Greg Cook, Catalogue of parametrised CRC algorithms.
type CRC uint8

const (
	CCITTFalse CRC = iota // 0x1021, initial value 0xFFFF (CRC-16/IBM-3740)
	XMODEM                // 0x1021, initial value 0
	MODBUS                // 0x8005 reflected, initial value 0xFFFF
	KERMIT                // 0x1021 reflected, initial value 0
	numCRCs
)

// crcState is a remainder whose low byte meets the next byte of the message: as
// it is for a reflected CRC, its bytes swapped for the others. So all CRCs run
// in one loop.
type crcState uint16

// crcTable[k][b] is the remainder after byte b and k zero bytes.
type crcTable [16][256]crcState

var (
	table1021 = makeTable(func(b byte) crcState { return crcState(swap(divide(b))) })
	table8005 = makeTable(func(b byte) crcState { return crcState(divideReflected(b, 0xA001)) })
	table8408 = makeTable(func(b byte) crcState { return crcState(divideReflected(b, 0x8408)) })
)

var crcs = [numCRCs]struct {
	name      string
	table     *crcTable
	initial   crcState
	reflected bool
}{
	CCITTFalse: {"ccitt-false", table1021, 0xFFFF, false},
	XMODEM:     {"xmodem", table1021, 0, false},
	MODBUS:     {"modbus", table8005, 0xFFFF, true},
	KERMIT:     {"kermit", table8408, 0, true},
}

// String is the name that ParseVariant takes.
func (c CRC) String() string {
	if c >= numCRCs {
		return "crc?"
	}
	return crcs[c].name
}

func swap(v uint16) uint16 { return v<<8 | v>>8 }

// divide is the remainder of b * x^16 by x^16 + x^12 + x^5 + 1.
func divide(b byte) uint16 {
	r := uint16(b) << 8
	for range 8 {
		r = r<<1 ^ 0x1021*(r>>15)
	}
	return r
}

// divideReflected is the same with all bits mirrored, polynomial included.
func divideReflected(b byte, polynomial uint16) uint16 {
	r := uint16(b)
	for range 8 {
		r = r>>1 ^ polynomial*(r&1)
	}
	return r
}

func makeTable(first func(byte) crcState) *crcTable {
	var t crcTable
	for b := range 256 {
		t[0][b] = first(byte(b))
	}
	for k := 1; k < len(t); k++ {
		for b := range 256 {
			s := t[k-1][b]
			t[k][b] = s>>8 ^ t[0][byte(s)]
		}
	}
	return &t
}

// update runs s over p, 16 bytes at a time: the remainder of a sum is the sum of
// the remainders, so each byte has its own table and none waits for another.
func (t *crcTable) update(s crcState, p []byte) crcState {
	for len(p) >= 16 {
		b := (*[16]byte)(p)
		s = t[15][b[0]^byte(s)] ^ t[14][b[1]^byte(s>>8)] ^ t[13][b[2]] ^ t[12][b[3]] ^
			t[11][b[4]] ^ t[10][b[5]] ^ t[9][b[6]] ^ t[8][b[7]] ^
			t[7][b[8]] ^ t[6][b[9]] ^ t[5][b[10]] ^ t[4][b[11]] ^
			t[3][b[12]] ^ t[2][b[13]] ^ t[1][b[14]] ^ t[0][b[15]]
		p = p[16:]
	}
	for _, b := range p {
		s = s>>8 ^ t[0][byte(s)^b]
	}
	return s
}

// Sum is the CRC of p.
func (c CRC) Sum(p []byte) uint16 {
	k := &crcs[c]
	s := uint16(k.table.update(k.initial, p))
	if k.reflected {
		return s
	}
	return swap(s)
}
