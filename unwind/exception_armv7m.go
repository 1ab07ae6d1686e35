package unwind

// ARMv6-M ARM, table B1-4: to handler mode, to a thread on either stack.
var armv6mExceptions = exceptionModel{"ARMv6-M", []excValues{{0xf1, 0}, {0xf9, excSPSEL}}}

// ARMv7-M ARM, table B1-9: and the same with the floating-point extension.
var armv7mExceptions = exceptionModel{"ARMv7-M", []excValues{
	{0xf1, 0}, {0xf9, excSPSEL},
	{0xe1, 0}, {0xe9, excSPSEL},
}}

// The frame of ARMv7-M (B1.5.6): R0-R3, R12, LR, ReturnAddress, xPSR; with the
// floating-point extension S0-S15, FPSCR and a reserved word above.
const (
	basicWords    = 8
	extendedWords = 26
	lrWord        = 5
	pcWord        = 6
	xpsrWord      = 7
)

// Fields of the stacked xPSR.
const (
	ipsrMask     = 0x1ff
	alignBit     = 1 << 9     // a padding word was left above the frame
	reservedXPSR = 0x00c00000 // 0 in every architecture, 8.1-M included
)
