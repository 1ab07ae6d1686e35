package unwind

import "github.com/mprof/mprof/snapshot"

// Special registers by their SYSm number (ARMv7-M ARM B5.1.1).
const (
	sysMSP     = 8
	sysPSP     = 9
	sysCONTROL = 20
)

// writeSpecial is MSR. A program that is about to run its first thread goes over
// to the process stack in the middle of a function: SP is another register from
// there on, and the frame stays on the main stack, at MSP.
func (f *frameState) writeSpecial(sysm uint16, v content) {
	switch sysm {
	case sysMSP:
		if f.main.kind == frameAt {
			f.main = content{}
			return
		}
		f.setSP(content{})
	case sysPSP:
		f.setPSP()
		f.process = v
	case sysCONTROL:
		f.selectStack(v)
	}
}

// selectStack writes CONTROL. A function that has written PSP and sets SPSEL
// comes from the main stack; about others nothing is known where they set it.
func (f *frameState) selectStack(v content) {
	known := v.kind == constant || v.kind == withBits
	switch {
	case known && v.n&(controlSPSEL>>24) == 0 && (v.kind == withBits || f.main.kind == anything):
		// the stack stays as it is: SPSEL is kept, or was clear
	case known && v.n&(controlSPSEL>>24) == 0:
		f.setSP(f.main)
		f.main = content{}
	case known && f.main.kind != anything:
	case known && (f.process.kind == frameAt || f.process.kind == baseAt): // the same stack by another register
		f.setSP(f.process)
	case known && f.process.kind != nowhere && f.reg[f.sp].kind == frameAt:
		f.main = f.reg[f.sp]
		f.setSP(content{})
	default:
		f.setSP(content{})
	}
}

// leaves tells whether a rule takes SP for an address in the frame although the
// function has gone over to the process stack.
func (f *frameState) leaves(r *Rule) bool {
	return f.main.kind == frameAt && r.cfa == fromRegister && r.reg == f.sp && f.reg[f.sp].kind != frameAt
}

// mainFrame is the CFA of a frame on the main stack whose function runs on the
// process stack: off above MSP. The walk goes on on the main stack.
func (w *walk) mainFrame(off int32) (uint32, Stop, bool) {
	w.consult(snapshot.MSP)
	if !w.mem.onPSP || !w.haveMain {
		return 0, Stop{NoRegister, w.pc}, false
	}
	cfa := w.mainSP + uint32(off)
	if cfa%w.m.align != 0 || cfa < w.mainSP {
		return 0, Stop{NoProgress, cfa}, false
	}
	w.mem.onPSP = false
	w.floor, w.haveMain = w.mainSP, false
	return cfa, Stop{}, true
}
