package disasm

func decodeRISCV(dst []Instruction, addr uint32, code []byte, symbols Symbols) []Instruction {
	return Data(dst, addr, code)
}
