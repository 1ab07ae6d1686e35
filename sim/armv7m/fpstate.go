package armv7m

// fpState is the state of the floating-point extension (FPv4-SP, DDI 0403E
// A2.5 and B1.5.7).
type fpState struct {
	s     [32]uint32 // S0-S31; D<n> is S<2n+1>:S<2n>
	fpscr uint32
}

// cpacrCP10 are the bits of CPACR that open the floating-point extension: CP11
// must agree with CP10 (B3.2.20). 01 is privileged access only, 11 full access.
const cpacrCP10 = 3 << 20

// executeFPCheck is ExecuteFPCheck (B1.5.7), which comes before the effect of
// every floating-point instruction. It is false where the instruction may not
// execute; the fault is raised then.
func (c *Core) executeFPCheck() bool {
	access := c.cpacr & cpacrCP10 >> 20
	if access == 3 || access == 1 && c.privileged() {
		return true
	}
	c.raise(excUsageFault, ufsrNOCP)
	return false
}
