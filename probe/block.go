package probe

import (
	"encoding/binary"
	"fmt"
)

// MaxBlock is how many words one DAP_TransferBlock can hold.
const MaxBlock = 0xFFFF

// AppendTransferBlock appends DAP_TransferBlock (06 00 count16 op {data32}):
// one register, many times. For a read data is nil; for a write count is
// len(data).
func AppendTransferBlock(dst []byte, op byte, count int, data []uint32) []byte {
	if count > MaxBlock || op&RnW == 0 && count != len(data) {
		panic(fmt.Sprintf("probe: DAP_TransferBlock of %d with %d words", count, len(data)))
	}
	dst = append(dst, cmdTransferBlock, 0, byte(count), byte(count>>8), op)
	if op&RnW == 0 {
		for _, v := range data {
			dst = binary.LittleEndian.AppendUint32(dst, v)
		}
	}
	return dst
}

// ParseTransferBlock takes one DAP_TransferBlock response (06 count16 ack
// {data32}) from the front of p. Errors are those of ParseTransfer; the words
// that came before a refused transfer are in a.Data. In a padded HID report
// they are not told from padding: use them when the error is nil.
func ParseTransferBlock(p []byte, op byte, count int, a *Answer) (rest []byte, err error) {
	a.reset()
	if len(p) < 4 || p[0] != cmdTransferBlock {
		return nil, badResponse("DAP_TransferBlock", p)
	}
	a.Count, a.Ack = int(p[1])|int(p[2])<<8, Ack(p[3])
	if a.Count > count || a.Ack == OK && a.Count < count {
		err := fmt.Errorf("DAP_TransferBlock: %d of %d transfers done with %s: %w", a.Count, count, a.Ack, ErrResponse)
		a.reset()
		return nil, err
	}
	c := words{p: p[4:]}
	if op&RnW != 0 {
		n := a.Count
		if a.Ack != OK {
			n = min(n, len(c.p)/4)
		}
		for range n {
			a.Data = append(a.Data, c.next())
		}
	}
	if c.short {
		a.reset()
		return nil, badResponse("DAP_TransferBlock", p)
	}
	if a.Ack != OK {
		return c.p, &TransferError{Reg: Req{Op: op}.Reg(), Ack: a.Ack, N: a.Count}
	}
	return c.p, nil
}
