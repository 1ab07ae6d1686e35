package armv7m

// op is a decoded instruction. What the fields mean is up to do. An encoding
// that the manual calls UNPREDICTABLE decodes as UNDEFINED, except that bits
// which should be zero or one are ignored.
type op struct {
	do      func(*Core, *op)
	then    func(*Core, *op) // what do hands on to, for some
	imm     uint32           // of a direct branch: its target
	d       uint8
	n       uint8
	m       uint8
	a       uint8
	size    uint8 // bytes, 2 or 4; 0: there is no instruction in this op
	cost    uint8 // cycles whatever happens
	sh      uint8 // shift amount
	kind    uint8 // shift type, condition, transfer size or the like
	aux     uint8
	flow    flow
	alignSP bool // SP is written with what may not be a multiple of 4
	falls   bool // going on to the next instruction leaves the function
}

// flow is where execution can go from an instruction.
type flow uint8

const (
	flowNext   flow = iota // only on to the next one
	flowBranch             // to imm
	flowEither             // to imm or on
	flowAway               // to where a register or memory says, or a call
	flowTrap               // BKPT: executed whatever the condition of an IT block
)

// wrappedOp is an instruction with more to do after it: to report that it left
// the function, to clear SP[1:0] (DDI 0403E B1.4.1).
type wrappedOp struct {
	op
	next     uint32
	branches bool
}

func (w *wrappedOp) exec(c *Core, _ *op) {
	from := c.at
	w.do(c, &w.op)
	if w.alignSP {
		c.r[sp] &^= 3
	}
	if c.tracer == nil || c.faulted || w.flow == flowAway {
		return
	}
	if w.falls && c.pc == w.next || w.branches && c.pc == w.imm {
		c.tracer.Jump(from, c.pc, c.r[sp])
	}
}

// finish completes what the decoder made of the instruction at pc.
func (c *Core) finish(o op, pc uint32, inIT bool) op {
	w := wrappedOp{next: pc + uint32(o.size)}
	if leaves := c.cfg.Leaves; leaves != nil && c.tracer != nil {
		w.branches = (o.flow == flowBranch || o.flow == flowEither) && leaves(pc, o.imm)
		o.falls = (o.flow == flowNext || o.flow == flowEither || inIT) && leaves(pc, w.next)
	}
	if !o.alignSP && !w.branches && !o.falls {
		return o
	}
	w.op = o
	o.do = w.exec
	return o
}
