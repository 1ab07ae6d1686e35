package armv7m

// VCVT, VCVTR, VCVTB and VCVTT (DDI 0403E A7.7). kind 1 is an unsigned integer.

func execVCVTFromInt(c *Core, o *op) {
	if c.executeFPCheck() {
		c.s[o.d&31] = c.fpu().FromFixed(c.s[o.m&31], 32, 0, o.kind != 0, false)
	}
}

// execVCVTToInt is VCVTR: by the rounding mode.
func execVCVTToInt(c *Core, o *op) {
	if c.executeFPCheck() {
		c.s[o.d&31] = c.fpu().ToFixed(c.s[o.m&31], 32, 0, o.kind != 0, false)
	}
}

func execVCVTToIntZero(c *Core, o *op) {
	if c.executeFPCheck() {
		c.s[o.d&31] = c.fpu().ToFixed(c.s[o.m&31], 32, 0, o.kind != 0, true)
	}
}

// Fixed point: aux bits, of which sh behind the point.

func execVCVTFromFixed(c *Core, o *op) {
	if c.executeFPCheck() {
		c.s[o.d&31] = c.fpu().FromFixed(c.s[o.d&31], uint(o.aux), uint(o.sh), o.kind != 0, true)
	}
}

func execVCVTToFixed(c *Core, o *op) {
	if c.executeFPCheck() {
		c.s[o.d&31] = c.fpu().ToFixed(c.s[o.d&31], uint(o.aux), uint(o.sh), o.kind != 0, true)
	}
}

// VCVTB and VCVTT: sh is the lowest bit of the half.

func execVCVTFromHalf(c *Core, o *op) {
	if c.executeFPCheck() {
		c.s[o.d&31] = c.fpu().HalfToSingle(uint16(c.s[o.m&31] >> (o.sh & 31)))
	}
}

func execVCVTToHalf(c *Core, o *op) {
	if c.executeFPCheck() {
		v := uint32(c.fpu().SingleToHalf(c.s[o.m&31]))
		c.s[o.d&31] = c.s[o.d&31]&^(0xffff<<(o.sh&31)) | v<<(o.sh&31)
	}
}
