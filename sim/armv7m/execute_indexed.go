package armv7m

// execIndexed is a load or store with writeback: then works on slotShift, the
// base register is a. imm is the offset.
func execIndexed(c *Core, o *op) {
	base := c.r[o.a]
	back := base + o.imm
	// then adds imm: the address is back for the pre-indexed form.
	c.r[slotShift] = base
	if o.kind&indexPost != 0 {
		c.r[slotShift] = base - o.imm
	}
	o.then(c, o)
	if !c.faulted {
		c.r[o.a] = back
	}
}

// execIndexedPC is LDR PC with writeback, which comes before the branch: an
// exception return uses the new SP.
func execIndexedPC(c *Core, o *op) {
	base := c.r[o.a]
	addr := base + o.imm
	if o.kind&indexPost != 0 {
		addr = base
	}
	v, ok := c.load32(addr)
	if !ok {
		return
	}
	c.r[o.a] = base + o.imm
	if o.a == sp {
		c.r[sp] &^= 3
	}
	c.interwork(v)
}

// execUnprivileged is LDRT and the like: kind is the size, aux bit 0 load, bit
// 1 signed.
func execUnprivileged(c *Core, o *op) {
	a, size := c.r[o.n]+o.imm, int(o.kind)
	if o.aux&1 == 0 {
		c.store(a, size, c.r[o.d]&uint32(1<<(8*size)-1), asUnprivileged)
		return
	}
	v, ok := c.load(a, size, asUnprivileged)
	if !ok {
		return
	}
	if o.aux&2 != 0 {
		v = signed(v, uint(8*size))
	}
	c.r[o.d] = v
}

// pair returns the address of LDRD and STRD and what the base becomes.
func (c *Core) pair(o *op) (addr uint32, ok bool) {
	addr = c.r[o.n] + o.imm
	if o.kind&indexPost != 0 {
		addr = c.r[o.n]
	}
	return addr, c.aligned(addr, 4)
}

func (c *Core) pairBack(o *op) {
	if o.kind&indexBack == 0 {
		return
	}
	c.r[o.n] += o.imm
}

func execLDRD(c *Core, o *op) {
	a, ok := c.pair(o)
	if !ok {
		return
	}
	v, ok := c.load32(a)
	if !ok {
		return
	}
	v2, ok := c.load32(a + 4)
	if !ok {
		return
	}
	c.pairBack(o)
	c.r[o.d], c.r[o.a] = v, v2
}

func execSTRD(c *Core, o *op) {
	a, ok := c.pair(o)
	if !ok || !c.store32(a, c.r[o.d]) || !c.store32(a+4, c.r[o.a]) {
		return
	}
	c.pairBack(o)
}

// Exclusives (DDI 0403E A3.4): the local monitor holds one address; kind is
// the size.
func execLDREX(c *Core, o *op) {
	a := c.r[o.n] + o.imm
	if !c.aligned(a, uint32(o.kind)) {
		return
	}
	v, ok := c.load(a, int(o.kind), asCore)
	if !ok {
		return
	}
	c.exclusive, c.exclusiveA = true, a
	c.r[o.d] = v
}

// execSTREX puts the result into a: 0 stored, 1 not.
func execSTREX(c *Core, o *op) {
	a := c.r[o.n] + o.imm
	if !c.aligned(a, uint32(o.kind)) {
		return
	}
	if !c.exclusive || c.exclusiveA != a {
		c.exclusive = false
		c.r[o.a] = 1
		return
	}
	if !c.store(a, int(o.kind), c.r[o.d]&uint32(1<<(8*o.kind)-1), asCore) {
		return
	}
	c.exclusive = false
	c.r[o.a] = 0
}

func execCLREX(c *Core, _ *op) { c.exclusive = false }
