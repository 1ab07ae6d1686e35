package snapshot

// Arch is the architecture that registers and code belong to.
type Arch uint8

const (
	CortexM Arch = iota // ARMv6-M to ARMv8-M
	RV32                // RISC-V with 32-bit registers
	NumArchs
)

var archNames = [NumArchs]string{"Cortex-M", "RISC-V (RV32)"}

func (a Arch) String() string {
	if a < NumArchs {
		return archNames[a]
	}
	return "unknown architecture"
}
