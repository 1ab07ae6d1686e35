package armv7m

// cpuid is that of a Cortex-M4 r0p1, M3 r2p1 or M0+ r0p1 (their TRMs).
func (c *Core) cpuid() uint32 {
	switch c.arch {
	case V7EM:
		return 0x410fc241
	case V7M:
		return 0x412fc231
	}
	return 0x410cc601
}

// idRegister reads ID_PFR0 to ID_ISAR4 as those processors have them: no MPU,
// no floating point, and the DSP instructions on ARMv7E-M.
func (c *Core) idRegister(off uint32) uint32 {
	if off < regIDPFR0 || off > regIDISAR4 || c.arch == V6M {
		return 0
	}
	i := (off - regIDPFR0) / 4
	if c.arch == V7EM {
		return [...]uint32{
			0x00000030, 0x00000200, 0x00100000, 0, // PFR0, PFR1, DFR0, AFR0
			0x00100030, 0, 0x01000000, 0, // MMFR0-3
			0x01141110, 0x02112000, 0x21232231, 0x01111131, 0x01310102, // ISAR0-4
		}[i]
	}
	return [...]uint32{
		0x00000030, 0x00000200, 0x00100000, 0,
		0x00100030, 0, 0x01000000, 0,
		0x01141110, 0x02111000, 0x21112231, 0x01111110, 0x01310102,
	}[i]
}
