package armv7m

// decodeParallel: parallel addition and subtraction (DDI 0403E A5.3.13,
// A5.3.14). kind is the flavour: 0 wraps and sets GE, 1 saturates, 2 halves;
// aux 1 is unsigned.
func (c *Core) decodeParallel(w uint32, o op) op {
	op1, flavour := w>>20&7, uint8(w>>4&3)
	if c.arch != V7EM || flavour == 3 || badReg(o.n) {
		return undefinedOp32
	}
	o.kind, o.aux = flavour, uint8(w>>6&1)
	o.do = [8]func(*Core, *op){
		0: execADD8, 1: execADD16, 2: execASX, 4: execSUB8, 5: execSUB16, 6: execSAX,
	}[op1]
	return undefinedIf(o, o.do == nil)
}
