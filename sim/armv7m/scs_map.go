package armv7m

// Offsets in the System Control Space, DDI 0403E B3.2.2, B3.3, B3.4.
const (
	regICTR    = 0x004
	regACTLR   = 0x008
	regSYSTCSR = 0x010
	regSYSTRVR = 0x014
	regSYSTCVR = 0x018
	regCALIB   = 0x01c
	regISER    = 0x100
	regICER    = 0x180
	regISPR    = 0x200
	regICPR    = 0x280
	regIABR    = 0x300
	regIPR     = 0x400
	regCPUID   = 0xd00
	regICSR    = 0xd04
	regVTOR    = 0xd08
	regAIRCR   = 0xd0c
	regSCR     = 0xd10
	regCCR     = 0xd14
	regSHPR1   = 0xd18
	regSHPR3   = 0xd20
	regSHCSR   = 0xd24
	regCFSR    = 0xd28
	regHFSR    = 0xd2c
	regDFSR    = 0xd30
	regMMFAR   = 0xd34
	regBFAR    = 0xd38
	regAFSR    = 0xd3c
	regIDPFR0  = 0xd40
	regIDISAR4 = 0xd70
	regCPACR   = 0xd88
	regDEMCR   = 0xdfc
	regSTIR    = 0xf00
	regFPCCR   = 0xf34
	regFPCAR   = 0xf38
	regFPDSCR  = 0xf3c
	regMVFR0   = 0xf40
	regMVFR1   = 0xf44
)

// demcrMONEN is DEMCR.MON_EN (C1.6.5); the register belongs to the debug unit.
const demcrMONEN = 1 << 16

const (
	scrSLEEPONEXIT = 1 << 1
	scrSLEEPDEEP   = 1 << 2
	scrSEVONPEND   = 1 << 4

	ccrNONBASETHRDENA = 1 << 0
	ccrUSERSETMPEND   = 1 << 1
	ccrUNALIGNTRP     = 1 << 3
	ccrDIV0TRP        = 1 << 4
	ccrBFHFNMIGN      = 1 << 8
	ccrSTKALIGN       = 1 << 9

	icsrNMIPENDSET   = 1 << 31
	icsrPENDSVSET    = 1 << 28
	icsrPENDSVCLR    = 1 << 27
	icsrPENDSTSET    = 1 << 26
	icsrPENDSTCLR    = 1 << 25
	icsrISRPREEMPT   = 1 << 23
	icsrISRPENDING   = 1 << 22
	icsrRETTOBASE    = 1 << 11
	aircrSYSRESET    = 1 << 2
	aircrVECTCLR     = 1 << 1
	aircrVECTRESET   = 1 << 0
	aircrVECTKEY     = 0x05fa
	aircrVECTKEYSTAT = 0xfa05
)
