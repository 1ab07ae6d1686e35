package lockstep

// wideControl are the 32-bit branches and system instructions (DDI 0403E
// A5.3.4, A5.2.3) and the coprocessor space (A5.3.18). ARMv6-M has BL, the
// barriers, MRS, MSR and UDF of them (DDI 0419 A5.3).
var wideControl = []Pattern{
	{Name: "MSR T1", Need: V6M, Bits: "11110 0111 00z nnnn 10z0 kkzz ssssssss", Kind: toSpec, Not1315: "n", Check: checkMSR},
	{Name: "MRS T1", Need: V6M, Bits: "11110 0111 11z oooo 10z0 dddd ssssssss", Kind: fromSpec, Not1315: "d", Check: checkMRS},
	{Name: "NOP T2", Need: V7M, Bits: "11110 0111 010 oooo 10z0 z000 00000000", Kind: hint},
	{Name: "YIELD T2", Need: V7M, Bits: "11110 0111 010 oooo 10z0 z000 00000001", Kind: hint},
	{Name: "WFE T2", Need: V7M, Bits: "11110 0111 010 oooo 10z0 z000 00000010", Kind: hint},
	{Name: "WFI T2", Need: V7M, Bits: "11110 0111 010 oooo 10z0 z000 00000011", Kind: hint},
	{Name: "SEV T2", Need: V7M, Bits: "11110 0111 010 oooo 10z0 z000 00000100", Kind: hint},
	{Name: "DBG T1", Need: V7M, Bits: "11110 0111 010 oooo 10z0 z000 1111 hhhh", Kind: hint},
	{Name: "unallocated hint T2", Need: V7M, Bits: "11110 0111 010 oooo 10z0 z000 hhhhhhhh", Kind: hint},
	{Name: "CLREX T1", Need: V7M, Bits: "11110 0111 011 oooo 10z0 oooo 0010 oooo"},
	{Name: "DSB T1", Need: V6M, Bits: "11110 0111 011 oooo 10z0 oooo 0100 hhhh"},
	{Name: "DMB T1", Need: V6M, Bits: "11110 0111 011 oooo 10z0 oooo 0101 hhhh"},
	{Name: "ISB T1", Need: V6M, Bits: "11110 0111 011 oooo 10z0 oooo 0110 hhhh"},
	{Name: "UDF T2", Need: V6M, Bits: "11110 1111111 iiii 1010 iiiiiiiiiiii", Kind: faulting},
	// B T3 with a condition of 111x is the space of the instructions above.
	{Name: "B T3, cond 0xxx", Need: V7M, Bits: "11110 s 0ccc iiiiii 10 k 0 j iiiiiiiiiii", Kind: branch, IT: never},
	{Name: "B T3, cond 10xx", Need: V7M, Bits: "11110 s 10cc iiiiii 10 k 0 j iiiiiiiiiii", Kind: branch, IT: never},
	{Name: "B T3, cond 110x", Need: V7M, Bits: "11110 s 110c iiiiii 10 k 0 j iiiiiiiiiii", Kind: branch, IT: never},
	{Name: "B T4", Need: V7M, Bits: "11110 s iiiiiiiiii 10 k 1 j iiiiiiiiiii", Kind: branch, IT: last},
	{Name: "BL T1", Need: V6M, Bits: "11110 s iiiiiiiiii 11 k 1 j iiiiiiiiiii", Kind: branch, IT: last},

	// Without a coprocessor that answers, NOCP. 111x 1100 000x and 111x 1111 are
	// UNDEFINED in this space.
	{Name: "coprocessor data processing, MCR, MRC", Need: V7M, Bits: "111i 1110 iiiiiiii iiii iiiiiiii iiii", Kind: faulting, IT: never},
	{Name: "LDC, STC, P set", Need: V7M, Bits: "111i 1101 iiiiiiii iiii iiiiiiii iiii", Kind: faulting, IT: never},
	{Name: "LDC, STC, U set", Need: V7M, Bits: "111i 11001 iiiiiii iiii iiiiiiii iiii", Kind: faulting, IT: never},
	{Name: "MCRR, MRRC", Need: V7M, Bits: "111i 110001 iiiiii iiii iiiiiiii iiii", Kind: faulting, IT: never},
	{Name: "LDC, STC, W set", Need: V7M, Bits: "111i 1100001 iiiii iiii iiiiiiii iiii", Kind: faulting, IT: never},
}
