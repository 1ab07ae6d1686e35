package armv7m

// decodeControl: branches and miscellaneous control (DDI 0403E A5.3.4).
func (c *Core) decodeControl(w, pc uint32, inIT bool) op {
	s, j1, j2 := w>>26&1, w>>13&1, w>>11&1
	switch {
	case bit(w, 12): // B T4, BL
		imm := s<<24 | (j1^s^1)<<23 | (j2^s^1)<<22 | w>>16&0x3ff<<12 | w&0x7ff<<1
		o := op32(execB, 1+costRefill)
		o.imm, o.flow = pc+4+signed(imm, 25), flowBranch
		if bit(w, 14) {
			o.do, o.flow = execBL, flowAway
		} else if c.arch == V6M {
			return undefinedOp32
		}
		return o
	case bit(w, 14): // BLX to ARM, UDF
		return undefinedOp32
	case w>>23&7 != 7: // B T3
		if c.arch == V6M || inIT {
			return undefinedOp32
		}
		o := op32(condBranches[w>>22&15], 1)
		imm := s<<20 | j2<<19 | j1<<18 | w>>16&0x3f<<12 | w&0x7ff<<1
		o.imm, o.flow = pc+4+signed(imm, 21), flowEither
		return o
	}
	return c.decodeSystem(w)
}

func (c *Core) decodeSystem(w uint32) op {
	switch w >> 20 & 0x7f {
	case 0x38, 0x39:
		return c.decodeMSR(w)
	case 0x3a:
		if c.arch == V6M || w>>8&7 != 0 {
			return undefinedOp32
		}
		return op32(hint(w&0xff), 1)
	case 0x3b:
		switch w >> 4 & 15 {
		case 2:
			if c.arch != V6M {
				return op32(execCLREX, 1)
			}
		case 4, 5, 6: // DSB, DMB, ISB: every access is complete anyway
			return op32(execNOP, 1)
		}
	case 0x3e, 0x3f:
		o := op32(execMRS, 1)
		o.d, o.imm = fieldD(w), w&0xff
		return undefinedIf(o, badReg(o.d) || !c.special(o.imm))
	}
	return undefinedOp32
}

func (c *Core) decodeMSR(w uint32) op {
	o := op32(execMSR, 1)
	o.n, o.imm, o.kind = fieldN(w), w&0xff, uint8(w>>10&3)
	bad := badReg(o.n) || !c.special(o.imm)
	if c.arch == V7EM && o.imm < 4 {
		bad = bad || o.kind == 0
	} else {
		bad = bad || o.kind != 2
	}
	return undefinedIf(o, bad)
}

// special says whether SYSm names a special register (B5.1.1).
func (c *Core) special(sysm uint32) bool {
	switch sysm {
	case 17, 18, 19:
		return c.arch != V6M
	case 0, 1, 2, 3, 5, 6, 7, 8, 9, 16, 20:
		return true
	}
	return false
}
