package disasm

import "encoding/binary"

// Data appends bytes that are no instructions to dst: whole words where addr and what is left
// allow it, else halfwords and bytes.
func Data(dst []Instruction, addr uint32, data []byte) []Instruction {
	for len(data) > 0 {
		i := Instruction{Addr: addr, Data: true}
		switch {
		case addr%4 == 0 && len(data) >= 4:
			i.Size, i.Mnemonic, i.Raw = 4, ".word", binary.LittleEndian.Uint32(data)
		case addr%2 == 0 && len(data) >= 2:
			i.Size, i.Mnemonic, i.Raw = 2, ".short", uint32(binary.LittleEndian.Uint16(data))
		default:
			i.Size, i.Mnemonic, i.Raw = 1, ".byte", uint32(data[0])
		}
		i.Operands = string(appendHex([]byte("0x"), i.Raw, 2*i.Size))
		dst = append(dst, i)
		addr += uint32(i.Size)
		data = data[i.Size:]
	}
	return dst
}
