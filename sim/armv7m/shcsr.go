package armv7m

// SHCSR bits, DDI 0403E B3.2.13.
var shcsrActive = [...]struct {
	bit uint32
	exc int
}{
	{0, excMemManage}, {1, excBusFault}, {3, excUsageFault}, {7, excSVCall}, {8, excDebugMon}, {10, excPendSV}, {11, excSysTick},
}

var shcsrPending = [...]struct {
	bit uint32
	exc int
}{
	{12, excUsageFault}, {13, excMemManage}, {14, excBusFault}, {15, excSVCall},
}

func (c *Core) readSHCSR() uint32 {
	var v uint32
	if c.arch == V6M {
		return c.pendingBit(excSVCall) << 15
	}
	for _, a := range shcsrActive {
		if c.active.has(a.exc) {
			v |= 1 << a.bit
		}
	}
	for _, p := range shcsrPending {
		v |= c.pendingBit(p.exc) << p.bit
	}
	return v | uint32(c.enabled[0]>>excMemManage&7)<<16
}

func (c *Core) pendingBit(exc int) uint32 { return uint32(c.pending[0] >> exc & 1) }

func (c *Core) writeSHCSR(v uint32) {
	put := func(s *excSet, exc int, on bool) {
		if on {
			s.add(exc)
		} else {
			s.drop(exc)
		}
	}
	if c.arch == V6M {
		put(&c.pending, excSVCall, v>>15&1 != 0)
		return
	}
	for _, a := range shcsrActive {
		put(&c.active, a.exc, v>>a.bit&1 != 0)
	}
	for _, p := range shcsrPending {
		put(&c.pending, p.exc, v>>p.bit&1 != 0)
	}
	for i := range 3 {
		put(&c.enabled, excMemManage+i, v>>(16+i)&1 != 0)
	}
}
