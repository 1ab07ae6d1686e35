package lockstep

import "math/bits"

func checkExpand(_ Level, w Word) RuleID {
	if i := w.Get('i'); i>>10 == 0 && i>>8 != 0 && i&0xff == 0 {
		return "expand"
	}
	return ""
}

func checkAddHigh(_ Level, w Word) RuleID {
	if w.Get('d') == 15 && w.Get('m') == 15 {
		return "high"
	}
	return ""
}

func checkCompareHigh(_ Level, w Word) RuleID {
	n, m := w.Get('n'), w.Get('m')
	if n == 15 || m == 15 {
		return "r15"
	}
	if n < 8 && m < 8 {
		return "high"
	}
	return ""
}

func checkWideMove(_ Level, w Word) RuleID {
	d, m := w.Get('d'), w.Get('m')
	if d == 15 || m == 15 {
		return "r15"
	}
	if d == 13 && m == 13 || w.Get('s') == 1 && (d == 13 || m == 13) {
		return "move"
	}
	return ""
}

// checkWideAdd: only SP may be added to or subtracted from into SP.
func checkWideAdd(_ Level, w Word) RuleID {
	d, n := w.Get('d'), w.Get('n')
	if d == 15 || n == 15 {
		return "r15"
	}
	if d == 13 && n != 13 {
		return "r13"
	}
	if d == 13 && w.Has('m') && (w.Get('k') != 0 || w.Get('i') > 3) {
		return "sp-shift"
	}
	return ""
}

func checkPlainAdd(a Level, w Word) RuleID {
	if w.Get('d') == 13 && w.Get('n') != 13 {
		return "r13"
	}
	if w.Get('d') == 15 {
		return "r15"
	}
	return ""
}

func checkNot15n(_ Level, w Word) RuleID {
	if w.Get('n') == 15 {
		return "r15"
	}
	return ""
}

// checkSatShift: ASR #0 is SSAT16 or USAT16, and UNDEFINED where those are not.
func checkSatShift(_ Level, w Word) RuleID {
	if w.Get('i') == 0 {
		return undefined
	}
	return ""
}

func checkExtractField(_ Level, w Word) RuleID {
	if w.Get('i')+w.Get('s') > 31 {
		return "field"
	}
	return ""
}

func checkInsertField(_ Level, w Word) RuleID {
	if w.Get('s') < w.Get('i') {
		return "field"
	}
	return ""
}

func checkTwice(_ Level, w Word) RuleID {
	if w.Get('n') != w.Get('m') {
		return "twice"
	}
	return ""
}

func checkLong(_ Level, w Word) RuleID {
	if w.Get('l') == w.Get('h') {
		return "long"
	}
	return ""
}

// checkNarrowList: LDM T1 writes back unless the base is loaded; STM T1 stores
// an UNKNOWN base unless it is the first of the list.
func checkNarrowList(_ Level, w Word) RuleID {
	r, n := w.Get('r'), w.Get('n')
	if r == 0 {
		return "list"
	}
	store := w.W&(1<<11) == 0
	if store && r&(1<<n) != 0 && r&(1<<n-1) != 0 {
		return "list"
	}
	return ""
}

func checkList(_ Level, w Word) RuleID {
	r, n := registerList(w), w.Get('n')
	if r == 0 || r>>14 == 3 && w.P.wide {
		return "list"
	}
	if w.P.wide && (bits.OnesCount32(r) < 2 || w.Get('w') == 1 && r&(1<<n) != 0) {
		return "list"
	}
	return ""
}

func checkIndexed(_ Level, w Word) RuleID {
	writeBack := w.Get('w') == 1 || !w.Has('w')
	if writeBack && w.Get('n') == w.Get('t') {
		return "write-back"
	}
	return ""
}

func checkDual(_ Level, w Word) RuleID {
	load := w.W&(1<<20) != 0
	writeBack := w.Get('w') == 1 || !w.Has('w')
	if w.P.Kind == memLit && writeBack {
		return "write-back"
	}
	n, t, v := w.Get('n'), w.Get('t'), w.Get('v')
	if w.P.Kind == memDual && writeBack && (n == t || n == v || n == 15) {
		return "write-back"
	}
	if load && t == v {
		return "write-back"
	}
	return ""
}

func checkStoreX(_ Level, w Word) RuleID {
	if d := w.Get('d'); d == w.Get('n') || d == w.Get('t') {
		return "exclusive"
	}
	return ""
}

func checkTable(_ Level, w Word) RuleID {
	if w.Get('n') == 13 {
		return "table"
	}
	return ""
}

func checkBX(a Level, w Word) RuleID {
	if a == V6M && w.Get('m') == 15 {
		return "branch-register"
	}
	return ""
}

func checkCPS(a Level, w Word) RuleID {
	i, f := w.Get('i'), w.Get('f')
	if i|f == 0 || a == V6M && f == 1 {
		return "cps"
	}
	return ""
}

func checkIT(_ Level, w Word) RuleID {
	c, k := w.Get('c'), w.Get('k')
	if c == 15 || c == 14 && bits.OnesCount32(k) != 1 {
		return "it"
	}
	return ""
}

func checkMRS(a Level, w Word) RuleID {
	if !specialRegister(a, w.Get('s')) {
		return "special-register"
	}
	return ""
}

func checkMSR(a Level, w Word) RuleID {
	s, k := w.Get('s'), w.Get('k')
	switch {
	case !specialRegister(a, s):
		return "special-register"
	case s <= 3 && a >= V7EM && k != 0:
		return ""
	case k != 2:
		return "special-register"
	}
	return ""
}

// specialRegister tells whether an architecture has SYSm (B5.1.1).
func specialRegister(a Level, s uint32) bool {
	switch s {
	case 0, 1, 2, 3, 5, 6, 7, 8, 9, 16, 20:
		return true
	case 17, 18, 19:
		return a != V6M
	}
	return false
}

// registerList is the list of LDM, STM, PUSH and POP with bit 14 for LR and bit
// 15 for PC, whatever the encoding.
func registerList(w Word) uint32 {
	switch {
	case !w.P.wide && w.P.Kind == memPush:
		return w.W&0xff | w.W&0x100<<6
	case !w.P.wide && w.P.Kind == memPop:
		return w.W&0xff | w.W&0x100<<7
	case !w.P.wide:
		return w.W & 0xff
	}
	return w.W & 0xdfff
}
