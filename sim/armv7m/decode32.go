package armv7m

// decode32 decodes a 32-bit instruction (DDI 0403E A5.3); w has the first
// halfword in its upper half.
func (c *Core) decode32(w, pc uint32, inIT bool) op {
	o := undefinedOp
	o.size = 4
	return o
}
