package cortexm

// Debug registers of the core (ARMv7-M ARM C1.6; the same on v6-M and v8-M).
const (
	addrCPUID = 0xE000ED00
	addrDHCSR = 0xE000EDF0
	addrDEMCR = 0xE000EDFC

	addrDAUTHSTATUS = 0xE000EFB8 // ARMv8-M ARM D1.2; zero elsewhere
)

// DHCSR (ARMv7-M ARM C1.6.2). A write needs the key in its upper half.
const (
	dhcsrDetach uint32 = 0xA05F0000 // C_DEBUGEN off: the core runs without us
	dhcsrRun    uint32 = 0xA05F0001
	dhcsrHalt   uint32 = 0xA05F0003

	cDebugEn uint32 = 1 << 0
	cHalt    uint32 = 1 << 1
	sRegRdy  uint32 = 1 << 16
	sHalt    uint32 = 1 << 17
	sSleep   uint32 = 1 << 18
	sLockup  uint32 = 1 << 19
	sRetire  uint32 = 1 << 24 // an instruction completed; clears on read
	sResetSt uint32 = 1 << 25 // clears on read

	// dhcsrZero are bits that read as zero in every implementation: a word
	// with one of them set did not come from DHCSR.
	dhcsrZero uint32 = 0xF << 28
)

// DEMCR (ARMv7-M ARM C1.6.5): VC_CORERESET stops the core at its next reset,
// which must not happen to a core that is being sampled.
const (
	vcCoreReset uint32 = 1 << 0
	trcEna      uint32 = 1 << 24 // DWT is on
)

// DP and MEM-AP (ADIv5, cmsis-dap.md section 3).
const (
	abortClear uint32 = 0x1E // ABORT: clear STICKYERR, STICKYCMP, STICKYORUN, WDATAERR
	abortAll   uint32 = 0x1F // and cancel the AP transaction under way
	bankData   uint32 = 0x10 // SELECT.APBANKSEL 1: BD0 to BD3
	bankMemory uint32 = 0x00 // SELECT.APBANKSEL 0: CSW, TAR, DRW
	cswMask    uint32 = 0x37 // Size and AddrInc
	cswWord    uint32 = 0x12 // 32 bits, single increment

	// TAR increments for certain only inside this many bytes.
	tarWrap = 1 << 10
)
